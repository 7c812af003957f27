// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/import_videos.h"

#include <map>
#include <set>

#include "manyverbs/dataset/video_place.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/files.h"
#include "manyverbs/support/interruption.h"
#include "manyverbs/support/progress.h"

namespace manyverbs {
namespace {

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

// Puts the videos under videos/ of the data set, each once.
void take_along(VideoPlace where, Dataset* dataset) {
  std::filesystem::create_directory(dataset->folder / "videos");
  VideoNames names;
  Progress progress("videos", std::ssize(dataset->clips));
  for (Clip& clip : dataset->clips) {
    stop_if_interrupted();
    const std::filesystem::path source =
        std::filesystem::absolute(video_path(*dataset, clip)).lexically_normal();
    clip.video = "videos/" + names.name_of(source);
    const std::filesystem::path place = dataset->folder / clip.video;
    if (!std::filesystem::exists(place)) {
      if (where == VideoPlace::Linked) {
        std::filesystem::create_symlink(source, place);
      } else {
        std::filesystem::copy(source, place, std::filesystem::copy_options::recursive);
      }
    }
    progress.advance();
  }
}

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
  const std::filesystem::path base =
      settings.videos.empty() ? settings.clips.parent_path() : settings.videos;
  for (Clip& clip : dataset.clips) {
    if (clip.video.empty()) {
      throw Error("{}: the clip '{}' names no video; the column 'video' holds a file or a folder",
                  settings.clips.string(), clip.name);
    }
    clip.video = video_seen_from(out.path(), base, clip.video);
  }
  try {
    imported.index = index_frames(dataset, settings.on_error);
  } catch (const Interrupted&) {
    throw Interrupted();  // what was found goes with the folder
  }
  leave_out_unusable(&imported);
  if (dataset.clips.empty()) {
    throw Error("{}: no clip is left; the first: {}", settings.clips.string(),
                imported.skipped.front());
  }
  if (settings.place != VideoPlace::There) take_along(settings.place, &dataset);
  write_dataset(out.path(), dataset);
  write_frame_index(dataset, imported.index);
  out.commit();
  dataset.folder = settings.out;
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    imported.index.clips[i]->path = video_path(dataset, dataset.clips[i]);
  }
  return imported;
}

}  // namespace manyverbs
