// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/import_benchmarks.h"

#include <unordered_map>

#include "manyverbs/dataset/internal/reference_features.h"
#include "manyverbs/dataset/internal/video_place.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

// The reference ids of the clips that are left, by name.
std::vector<std::int64_t> ids_of(const Dataset& left, const Dataset& all,
                                 const std::vector<std::int64_t>& ids) {
  std::unordered_map<std::string, std::int64_t> id_of;
  for (std::size_t i = 0; i < all.clips.size(); ++i) id_of.emplace(all.clips[i].name, ids[i]);
  std::vector<std::int64_t> found;
  for (const Clip& clip : left.clips) found.push_back(id_of.at(clip.name));
  return found;
}

// All clips of the splits, each once, as a data set beside them.
Dataset union_of(const std::vector<Hmdb51Split>& splits, const std::filesystem::path& folder) {
  Dataset all;
  all.folder = folder;
  std::unordered_map<std::string, bool> seen;
  for (const Hmdb51Split& split : splits) {
    for (const Clip& clip : split.dataset.clips) {
      if (seen.emplace(clip.name, true).second) all.clips.push_back(clip);
    }
  }
  return all;
}

// Removes the clips without frames, and gives each split its part of the frame index.
void take_index(const Dataset& all, const FrameIndex& index, const std::filesystem::path& folder,
                Dataset* dataset) {
  std::unordered_map<std::string, std::size_t> row_of;
  for (std::size_t i = 0; i < all.clips.size(); ++i) row_of.emplace(all.clips[i].name, i);
  std::erase_if(dataset->clips,
                [&](const Clip& clip) { return !index.clips[row_of.at(clip.name)]; });
  FrameIndex part;
  for (const Clip& clip : dataset->clips) {
    part.clips.push_back(index.clips[row_of.at(clip.name)]);
    part.states.push_back(index.states[row_of.at(clip.name)]);
  }
  Dataset placed = *dataset;
  placed.folder = folder;
  write_frame_index(placed, part);
}

// The name of a clip is its path without the ending.
void see_videos_from(const std::filesystem::path& folder, const Hmdb51Import& settings,
                     Dataset* dataset) {
  const bool is_absolute = settings.videos.is_absolute();
  for (Clip& clip : dataset->clips) {
    const std::filesystem::path video = settings.videos / (clip.name + ".avi");
    clip.video = is_absolute ? video.string() : video_seen_from(folder, "", video.string());
  }
  dataset->created_as = std::filesystem::absolute(dataset->folder).lexically_normal();
}

}  // namespace

Epic100Frames import_epic100_frames(const Epic100Import& settings, OnError on_error) {
  Epic100Imported read = read_epic100(settings);
  Epic100Frames result;
  result.has_flow = read.has_flow;
  VideosImport import;
  import.on_error = on_error;
  import.out = settings.out;
  const auto add_features = [&](const Dataset& left, const std::filesystem::path& folder) {
    if (settings.features.empty()) return;
    const auto ids = ids_of(left, read.dataset, epic100_reference_ids(read.dataset));
    result.streams = import_reference_features(settings.features, left, ids, folder);
  };
  result.imported = import_videos(read.dataset, settings.annotations / "EPIC_100_train.csv", import,
                                  add_features);
  return result;
}

Hmdb51Videos import_hmdb51_videos(const Hmdb51Import& settings, OnError on_error) {
  Hmdb51Videos result;
  result.splits = read_hmdb51(settings);
  const std::filesystem::path partial = settings.out.string() + ".partial";
  if (std::filesystem::exists(partial) && !std::filesystem::exists(partial / "shared")) {
    throw Error("{}: exists but is not an interrupted import; rename it or choose another --out",
                partial.string());
  }
  FolderWriter out(settings.out, Leftovers::Resume);
  const std::filesystem::path shared = out.path() / "shared";
  std::filesystem::create_directories(shared);
  for (Hmdb51Split& split : result.splits) see_videos_from(shared, settings, &split.dataset);
  // Seen from shared/, paths are the same as from the folders of the splits beside it.
  const Dataset all = union_of(result.splits, shared);
  const FrameIndex index = index_frames(all, on_error);
  for (const ClipProblem& problem : index.problems) {
    result.skipped.push_back(fmt::format("{}: {}", all.clip(problem.clip).name, problem.what));
  }
  if (index.problems.size() == all.clips.size()) {
    throw Error("{}: no clip can be imported; first error: {}", settings.videos.string(),
                result.skipped.front());
  }
  result.videos_known = index.videos_known;
  const std::vector<Hmdb51Split> listed = result.splits;
  for (Hmdb51Split& split : result.splits) {
    const std::filesystem::path folder = out.path() / folder_name(split.dataset.folder);
    std::filesystem::create_directories(folder);
    take_index(all, index, folder, &split.dataset);
  }
  write_hmdb51(out.path(), settings, listed, &result.splits);
  std::filesystem::remove(shared / "frames.csv");
  out.commit();
  return result;
}

}  // namespace manyverbs
