// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/dataset.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

constexpr int kFormat = 1;

// Whether some video would be lost if the data set were moved without it.
bool has_videos_outside(const Dataset& dataset) {
  return !dataset.created_as.empty() &&
         std::any_of(dataset.clips.begin(), dataset.clips.end(), [](const Clip& clip) {
           return clip.video.starts_with("..") || clip.flow.starts_with("..");
         });
}

// ".." after a symbolic link is relative to the target of the link.
std::filesystem::path place_of(const std::filesystem::path& path) {
  const std::filesystem::path plain = path.lexically_normal();
  std::error_code ignored;
  if (plain == path || std::filesystem::equivalent(plain, path, ignored)) return plain;
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  const auto plainly = std::filesystem::weakly_canonical(std::filesystem::absolute(plain));
  return plainly == real ? plain : real;
}

// A path in clips.csv, seen from the current folder.
std::filesystem::path path_in(const Dataset& dataset, const std::string& text) {
  const std::filesystem::path path = place_of(dataset.folder / text);
  if (dataset.created_as.empty() || std::filesystem::exists(path)) return path;
  const std::filesystem::path before = place_of(dataset.created_as / text);
  return std::filesystem::exists(before) ? before : path;
}

}  // namespace

std::vector<ClipRow> Dataset::clips_of(Split split) const {
  std::vector<ClipRow> chosen;
  for (const ClipRow row : first_rows(clips.size())) {
    if (clip(row).split == split) chosen.push_back(row);
  }
  return chosen;
}

std::vector<ClassId> Dataset::labels_of(const std::vector<ClipRow>& chosen) const {
  std::vector<ClassId> labels;
  labels.reserve(chosen.size());
  for (const ClipRow row : chosen) labels.push_back(clip(row).labels.front());
  return labels;
}

std::vector<std::vector<ClassId>> Dataset::label_sets_of(const std::vector<ClipRow>& chosen) const {
  std::vector<std::vector<ClassId>> sets;
  sets.reserve(chosen.size());
  for (const ClipRow row : chosen) sets.push_back(clip(row).labels);
  return sets;
}

std::vector<std::vector<ClassId>> Dataset::truth_of(const std::vector<ClipRow>& chosen) const {
  std::vector<std::vector<ClassId>> sets;
  sets.reserve(chosen.size());
  for (const ClipRow row : chosen) sets.push_back(clip(row).truth);
  return sets;
}

Dataset read_dataset(const std::filesystem::path& folder) {
  const std::filesystem::path about = folder / "dataset.json";
  if (!std::filesystem::exists(folder)) {
    throw Error("{}: the folder does not exist; create a data set with 'manyverbs import'",
                folder.string());
  }
  if (!std::filesystem::exists(about)) {
    throw Error("{}: is not a data set: it has no dataset.json; create one with 'manyverbs import'",
                folder.string());
  }
  const Json json = read_json(about);
  const int format = json_value<int>(json, "format", about);
  if (format != kFormat) {
    throw Error("{}: expected data set format {}, found {}", about.string(), kFormat, format);
  }
  Dataset dataset;
  dataset.folder = folder;
  dataset.name = json_value<std::string>(json, "name", about);
  if (json.contains("created_as")) {
    dataset.created_as = json_value<std::string>(json, "created_as", about);
  }
  if (json.contains("shared")) {
    dataset.shared = json_value<std::string>(json, "shared", about);
  }
  dataset.classes = read_vocabulary(folder / "classes.csv");
  dataset.clips = read_clips(folder / "clips.csv", dataset.classes);
  return dataset;
}

void write_dataset(const std::filesystem::path& folder, const Dataset& dataset) {
  Json about = {{"format", kFormat}, {"name", dataset.name}};
  if (has_videos_outside(dataset)) about["created_as"] = dataset.created_as.string();
  if (!dataset.shared.empty()) about["shared"] = dataset.shared;
  write_json(folder / "dataset.json", about);
  write_vocabulary(folder / "classes.csv", dataset.classes);
  write_clips(folder / "clips.csv", dataset.clips, dataset.classes);
}

std::vector<std::string> feature_streams(const Dataset& dataset) {
  std::vector<std::string> names;
  const std::filesystem::path folder = dataset.folder / "features";
  if (!std::filesystem::is_directory(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".npy") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::filesystem::path stream_path(const Dataset& dataset, const std::string& stream) {
  return dataset.folder / "features" / (stream + ".npy");
}

std::vector<std::string> chosen_streams(const Dataset& dataset,
                                        const std::vector<std::string>& streams) {
  const std::vector<std::string> present = feature_streams(dataset);
  if (present.empty()) {
    throw Error(
        "{}: the data set has no features; create them with 'manyverbs extract', or write "
        "features/NAME.npy with one row per clip",
        dataset.folder.string());
  }
  for (const std::string& stream : streams) {
    if (std::find(present.begin(), present.end(), stream) == present.end()) {
      throw Error("{}: unknown feature stream '{}'; existing streams: {}{}",
                  dataset.folder.string(), stream, fmt::join(present, ", "),
                  did_you_mean(stream, present));
    }
  }
  return streams.empty() ? present : streams;
}

FeatureTable open_features(const Dataset& dataset, const std::vector<std::string>& streams) {
  std::vector<ArrayFile> files;
  for (const std::string& stream : chosen_streams(dataset, streams)) {
    files.emplace_back(stream_path(dataset, stream));
    if (files.back().rows() != dataset.clips.size()) {
      throw Error("{}: expected {} rows, one per clip in clips.csv, found {}",
                  files.back().path().string(), dataset.clips.size(), files.back().rows());
    }
  }
  return FeatureTable(std::move(files));
}

std::filesystem::path video_path(const Dataset& dataset, const Clip& clip) {
  if (clip.video.empty()) {
    throw Error("{}: the clip '{}' has no video", (dataset.folder / "clips.csv").string(),
                clip.name);
  }
  return path_in(dataset, clip.video);
}

std::filesystem::path flow_path(const Dataset& dataset, const Clip& clip) {
  return clip.flow.empty() ? std::filesystem::path() : path_in(dataset, clip.flow);
}

}  // namespace manyverbs
