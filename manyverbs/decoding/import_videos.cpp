// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/import_videos.h"

#include <map>
#include <set>

#include "manyverbs/support/error.h"
#include "manyverbs/support/files.h"

namespace manyverbs {
namespace {

// Where a video is now.
std::filesystem::path source_path(const VideosImport& settings, const Clip& clip) {
  const std::filesystem::path folder =
      settings.videos.empty() ? settings.clips.parent_path() : settings.videos;
  return std::filesystem::absolute(folder / clip.video).lexically_normal();
}

// Gives each video a name under videos/: its own, with a number where two would be the same.
class VideoNames {
 public:
  std::string name_of(const std::filesystem::path& source) {
    std::string& name = names_[source];
    if (name.empty()) {
      name = source.filename().string();
      for (int i = 2; !taken_.insert(name).second; ++i) {
        name = fmt::format("{}-{}{}", source.stem().string(), i, source.extension().string());
      }
    }
    return name;
  }

 private:
  std::map<std::filesystem::path, std::string> names_;
  std::set<std::string> taken_;
};

// Takes the videos along and returns what clips.csv says of them.
class VideoMover {
 public:
  VideoMover(const VideosImport& settings, std::filesystem::path folder)
      : settings_(settings), folder_(std::filesystem::absolute(std::move(folder))) {}

  std::string move(const Clip& clip) {
    const std::filesystem::path source = source_path(settings_, clip);
    if (settings_.place == VideoPlace::There) {
      return std::filesystem::path(clip.video).is_absolute()
                 ? clip.video
                 : source.lexically_relative(folder_.lexically_normal()).string();
    }
    const std::filesystem::path place = std::filesystem::path("videos") / names_.name_of(source);
    std::filesystem::create_directories(folder_ / "videos");
    if (!std::filesystem::exists(source)) return place.string();  // reported when it is opened
    if (!std::filesystem::exists(std::filesystem::symlink_status(folder_ / place))) {
      if (settings_.place == VideoPlace::Linked) {
        std::filesystem::create_symlink(source, folder_ / place);
      } else {
        std::filesystem::copy(source, folder_ / place,
                              std::filesystem::copy_options::recursive);
      }
    }
    return place.string();
  }

 private:
  const VideosImport& settings_;
  std::filesystem::path folder_;
  VideoNames names_;
};

// Leaves out the clips whose videos cannot be used, with a line for each.
void leave_out_unusable(VideosImported* imported) {
  FrameIndex& index = imported->index;
  std::vector<Clip>& clips = imported->dataset.clips;
  for (const ClipProblem& problem : index.problems) {
    imported->skipped.push_back(fmt::format("{}: {}", clips[problem.clip].name, problem.what));
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    if (!index.clips[i]) continue;
    if (kept != i) {
      clips[kept] = std::move(clips[i]);
      index.clips[kept] = std::move(index.clips[i]);
    }
    ++kept;
  }
  clips.resize(kept);
  index.clips.resize(kept);
  index.problems.clear();
}

}  // namespace

VideosImported import_videos(const VideosImport& settings) {
  FolderWriter out(settings.out);
  VideosImported imported;
  Dataset& dataset = imported.dataset;
  dataset.folder = out.path();
  dataset.name = settings.name.empty() ? folder_name(settings.out) : settings.name;
  dataset.classes = settings.classes.empty() ? classes_in_clips(settings.clips)
                                             : read_vocabulary(settings.classes);
  dataset.clips = read_clips(settings.clips, dataset.classes);
  std::vector<std::string> sources;
  VideoMover mover(settings, out.path());
  for (Clip& clip : dataset.clips) {
    if (clip.video.empty()) {
      throw Error("{}: the clip '{}' names no video; the column 'video' holds a file or a folder",
                  settings.clips.string(), clip.name);
    }
    clip.video = mover.move(clip);
  }
  imported.index = index_frames(dataset, settings.on_error);
  leave_out_unusable(&imported);
  if (dataset.clips.empty()) {
    throw Error("{}: no clip is left; the first: {}", settings.clips.string(),
                imported.skipped.front());
  }
  write_dataset(out.path(), dataset);
  out.commit();
  dataset.folder = settings.out;
  return imported;
}

}  // namespace manyverbs
