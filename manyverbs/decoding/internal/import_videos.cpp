// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/import_videos.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "manyverbs/dataset/internal/video_place.h"
#include "manyverbs/decoding/internal/flow_folders.h"
#include "manyverbs/decoding/internal/picture_source.h"
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
    const bool has_flow_beside_frames = clip.flow == clip.video;
    clip.video = "videos/" + name;
    if (has_flow_beside_frames) clip.flow = clip.video;
    imported_.index.states[i] = video_state(folder_ / name);
  }

  VideoPlace where_;
  VideosImported& imported_;
  std::filesystem::path folder_;
  VideoNames names_;
  std::set<std::string> done_;
};

// Converts paths to be relative to the data set.
void see_from_dataset(const std::filesystem::path& source, Dataset* dataset) {
  std::unordered_map<std::string, std::string> seen;
  const auto converted = [&](const std::string& path) {
    const auto [place, is_new] = seen.try_emplace(path);
    if (is_new) place->second = video_seen_from(dataset->folder, "", path);
    return place->second;
  };
  for (Clip& clip : dataset->clips) {
    if (clip.video.empty()) {
      throw Error(
          "{}: the clip '{}' has no video; expected a file or a folder in the column 'video'",
          source.string(), clip.name);
    }
    clip.video = converted(clip.video);
    clip.flow = converted(clip.flow);
  }
}

// Where folders have another number of images than a list says. The frames of video files are
// often counted differently.
std::vector<std::string> different_counts(const ClipLists& lists, const VideosImported& imported) {
  std::unordered_map<std::string, int> listed;
  for (std::size_t i = 0; i < lists.clips.size(); ++i) {
    if (lists.frames[i]) listed[lists.clips[i].name] = *lists.frames[i];
  }
  int different = 0;
  std::string example;
  for (std::size_t i = 0; i < imported.dataset.clips.size(); ++i) {
    const Clip& clip = imported.dataset.clips[i];
    const ClipFrames& frames = *imported.index.clips[i];
    const auto found = listed.find(clip.name);
    if (found == listed.end() || !frames.pictures || found->second == frames.count) continue;
    if (++different == 1) {
      example = fmt::format("{} has {}, listed {}", clip.name, frames.count, found->second);
    }
  }
  if (different == 0) return {};
  return {fmt::format("note: {} of {} clips have another number of frames than listed: {}",
                      different, imported.dataset.clips.size(), example)};
}

// Uses flow images beside the frames if all clips have them.
void find_flow_beside_frames(VideosImported* imported) {
  const auto has_flow = [](const std::optional<ClipFrames>& frames) {
    return !frames || (frames->pictures && frames->pictures->has(PictureKind::FlowRight));
  };
  const auto& clips = imported->index.clips;
  if (has_given_flow(imported->dataset) || !std::all_of(clips.begin(), clips.end(), has_flow)) {
    return;
  }
  for (Clip& clip : imported->dataset.clips) clip.flow = clip.video;
}

// Looks up given flow; clips without it are unusable.
void look_up_flow(OnError on_error, VideosImported* imported) {
  if (!has_given_flow(imported->dataset)) return;
  const FlowIndex flow = index_given_flow(imported->dataset, imported->index, on_error);
  store_given_settings(imported->dataset, flow);
  FrameIndex& index = imported->index;
  for (const ClipProblem& problem : flow.problems) {
    index.clips[manyverbs::index(problem.clip)].reset();
    index.problems.push_back(problem);
  }
  std::sort(index.problems.begin(), index.problems.end(),
            [](const ClipProblem& a, const ClipProblem& b) { return a.clip < b.clip; });
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
  for (const char* name : {"frames.csv", "frames.partial.csv", "tars"}) {
    if (std::filesystem::exists(partial / name)) return;
  }
  throw Error("{}: exists but is not an interrupted import; rename it or choose another --out",
              partial.string());
}

}  // namespace

VideosImported import_videos(const VideosImport& settings) {
  ClipLists lists = read_clip_lists(settings.clips);
  Dataset dataset;
  dataset.name = settings.name.empty() ? folder_name(settings.out) : settings.name;
  dataset.classes = lists.classes;
  dataset.clips = lists.clips;
  VideosImported imported =
      import_videos(std::move(dataset), settings.clips.lists.front().file, settings);
  imported.remarks = std::move(lists.remarks);
  for (std::string& note : different_counts(lists, imported)) {
    imported.remarks.push_back(std::move(note));
  }
  return imported;
}

VideosImported import_videos(
    Dataset clips, const std::filesystem::path& source, const VideosImport& settings,
    const std::function<void(const Dataset& dataset, const std::filesystem::path& folder)>&
        complete) {
  VideosImported imported;
  imported.dataset = std::move(clips);
  Dataset& dataset = imported.dataset;
  refuse_foreign(settings.out.string() + ".partial");
  FolderWriter out(settings.out, Leftovers::Resume);
  dataset.folder = out.path();
  dataset.created_as = std::filesystem::absolute(settings.out).lexically_normal();
  see_from_dataset(source, &dataset);
  imported.index = index_frames(dataset, settings.on_error);
  find_flow_beside_frames(&imported);
  look_up_flow(settings.on_error, &imported);
  leave_out_unusable(&imported);
  if (dataset.clips.empty()) {
    throw Error("{}: no clip can be imported; first error: {}", source.string(),
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
  std::filesystem::remove_all(out.path() / "features");  // of an interrupted call with other files
  if (complete) complete(dataset, out.path());
  out.commit();
  dataset.folder = settings.out;
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    imported.index.clips[i]->path = video_path(dataset, dataset.clips[i]);
  }
  return imported;
}

}  // namespace manyverbs
