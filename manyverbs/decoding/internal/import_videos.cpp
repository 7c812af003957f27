// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/import_videos.h"

#include <map>
#include <set>

#include "manyverbs/dataset/internal/video_place.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs {
namespace {

// Assigns each video a name in videos/: its own, with a number if names collide.
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

// Creates a copy or a link, completely or not at all.
void put_video(VideoPlace where, const std::filesystem::path& source,
               const std::filesystem::path& place) {
  const std::filesystem::path partial = place.string() + ".partial";
  std::filesystem::remove_all(partial);
  if (where == VideoPlace::Linked) {
    std::filesystem::create_symlink(source, partial);
  } else {
    std::filesystem::copy(source, partial, std::filesystem::copy_options::recursive);
  }
  std::filesystem::remove_all(place);
  std::filesystem::rename(partial, place);
}

// Whether an earlier call created it.
bool is_put(VideoPlace where, const std::filesystem::path& source,
            const std::filesystem::path& place, const std::string& content) {
  const bool is_link = std::filesystem::is_symlink(place);
  if (where == VideoPlace::Linked) return is_link && std::filesystem::read_symlink(place) == source;
  return !is_link && std::filesystem::exists(place) && content_hash(place) == content;
}

// Copies or links the videos into videos/ of the data set, each once. Removes other files of an
// earlier call.
class VideoMover {
 public:
  VideoMover(VideoPlace where, VideosImported* imported)
      : where_(where), imported_(*imported), folder_(imported->dataset.folder / "videos") {}

  void run() {
    std::filesystem::create_directory(folder_);
    const std::size_t clips = imported_.dataset.clips.size();
    Progress progress("videos", static_cast<std::int64_t>(clips));
    std::size_t moved = 0;
    try {
      for (; moved < clips; ++moved) {
        stop_if_interrupted();
        move(moved);
        progress.advance();
      }
    } catch (const Interrupted&) {
      throw Interrupted(fmt::format("the videos of {} of {} clips are copied", moved, clips));
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (!done_.contains(name)) std::filesystem::remove_all(entry.path());
    }
  }

 private:
  void move(std::size_t i) {
    Clip& clip = imported_.dataset.clips[i];
    const std::filesystem::path source =
        std::filesystem::absolute(video_path(imported_.dataset, clip)).lexically_normal();
    const std::string name = names_.name_of(source);
    const std::string& content = imported_.index.clips[i]->content;
    if (done_.insert(name).second && !is_put(where_, source, folder_ / name, content)) {
      put_video(where_, source, folder_ / name);
    }
    clip.video = "videos/" + name;
    imported_.index.states[i] = file_state(folder_ / name);
  }

  VideoPlace where_;
  VideosImported& imported_;
  std::filesystem::path folder_;
  VideoNames names_;
  std::set<std::string> done_;
};

// Converts video paths to be relative to the data set.
void find_videos(const VideosImport& settings, Dataset* dataset) {
  const std::filesystem::path base =
      settings.videos.empty() ? settings.clips.parent_path() : settings.videos;
  for (Clip& clip : dataset->clips) {
    if (clip.video.empty()) {
      throw Error(
          "{}: the clip '{}' has no video; expected a file or a folder in the column 'video'",
          settings.clips.string(), clip.name);
    }
    clip.video = video_seen_from(dataset->folder, base, clip.video);
  }
}

// Removes the clips whose videos cannot be read, with one line each.
void leave_out_unusable(VideosImported* imported) {
  FrameIndex& index = imported->index;
  std::vector<Clip>& clips = imported->dataset.clips;
  for (const ClipProblem& problem : index.problems) {
    imported->skipped.push_back(
        fmt::format("{}: {}", imported->dataset.clip(problem.clip).name, problem.what));
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    if (!index.clips[i]) continue;
    if (kept != i) {
      clips[kept] = std::move(clips[i]);
      index.clips[kept] = std::move(index.clips[i]);
      index.states[kept] = std::move(index.states[i]);
    }
    ++kept;
  }
  clips.resize(kept);
  index.clips.resize(kept);
  index.states.resize(kept);
  index.problems.clear();
}

// Throws Error if the folder to resume was not left by an import, because its videos/ would be
// replaced.
void refuse_foreign(const std::filesystem::path& partial) {
  if (!std::filesystem::exists(partial) || std::filesystem::is_empty(partial)) return;
  for (const char* file : {"frames.csv", "frames.partial.csv"}) {
    if (std::filesystem::exists(partial / file)) return;
  }
  throw Error("{}: exists but is not an interrupted import; rename it or choose another --out",
              partial.string());
}

}  // namespace

VideosImported import_videos(const VideosImport& settings) {
  VideosImported imported;
  Dataset& dataset = imported.dataset;
  dataset.name = settings.name.empty() ? folder_name(settings.out) : settings.name;
  dataset.classes = settings.classes.empty() ? classes_in_clips(settings.clips)
                                             : read_vocabulary(settings.classes);
  dataset.clips = read_clips(settings.clips, dataset.classes);
  refuse_foreign(settings.out.string() + ".partial");
  FolderWriter out(settings.out, Leftovers::Resume);
  dataset.folder = out.path();
  dataset.created_as = std::filesystem::absolute(settings.out).lexically_normal();
  find_videos(settings, &dataset);
  imported.index = index_frames(dataset, settings.on_error);
  leave_out_unusable(&imported);
  if (dataset.clips.empty()) {
    throw Error("{}: no clip can be imported; first error: {}", settings.clips.string(),
                imported.skipped.front());
  }
  if (settings.place == VideoPlace::There) {
    std::filesystem::remove_all(dataset.folder /
                                "videos");  // of an earlier call with --copy or --link
  } else {
    VideoMover(settings.place, &imported).run();
  }
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
