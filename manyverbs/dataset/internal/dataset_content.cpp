// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/dataset_content.h"

#include <fmt/ranges.h>

#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

std::string labels_hash(const Dataset& dataset) {
  std::string text;
  for (const std::string& name : dataset.classes.names()) text += name + '\n';
  for (const Clip& clip : dataset.clips) {
    text +=
        fmt::format("{}\n{} {}\n", clip.name, split_name(clip.split), fmt::join(clip.labels, " "));
  }
  return text_hash(text);
}

std::string truth_hash(const Dataset& dataset) {
  std::string text;
  for (const Clip& clip : dataset.clips) text += fmt::format("{}\n", fmt::join(clip.truth, " "));
  return text_hash(text);
}

}  // namespace

DatasetContent labels_content(const Dataset& dataset) { return {labels_hash(dataset), "", {}}; }

DatasetContent truth_content(const Dataset& dataset) {
  return {labels_hash(dataset), truth_hash(dataset), {}};
}

DatasetContent features_content(const Dataset& dataset, const std::vector<std::string>& streams) {
  DatasetContent content = labels_content(dataset);
  for (const std::string& stream : chosen_streams(dataset, streams)) {
    content.features[stream] = kept_content_hash(stream_path(dataset, stream));
  }
  return content;
}

std::string changed_features(const Dataset& dataset, const DatasetContent& then) {
  for (const auto& [stream, hash] : then.features) {
    const std::filesystem::path file = stream_path(dataset, stream);
    if (!std::filesystem::exists(file) || kept_content_hash(file) != hash) return file.string();
  }
  return "";
}

std::string changed_file(const Dataset& dataset, const DatasetContent& then) {
  if (then.labels != labels_hash(dataset) ||
      (!then.truth.empty() && then.truth != truth_hash(dataset))) {
    return (dataset.folder / "clips.csv").string();
  }
  return changed_features(dataset, then);
}

Json to_json(const DatasetContent& content) {
  Json json = {{"labels", content.labels}};
  if (!content.truth.empty()) json["truth"] = content.truth;
  if (!content.features.empty()) json["features"] = content.features;
  return json;
}

DatasetContent content_at(const Json& json, const std::string& key,
                          const std::filesystem::path& path) {
  const Json found = json_value<Json>(json, key, path);
  DatasetContent content;
  content.labels = json_value<std::string>(found, "labels", path);
  if (found.contains("truth")) content.truth = json_value<std::string>(found, "truth", path);
  if (found.contains("features")) {
    content.features = json_value<std::map<std::string, std::string>>(found, "features", path);
  }
  return content;
}

}  // namespace manyverbs
