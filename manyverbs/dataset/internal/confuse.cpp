// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/confuse.h"

#include <cassert>
#include <map>

#include "manyverbs/dataset/internal/feature_links.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"

namespace manyverbs {
namespace {

std::vector<ClassId> every_way(const std::vector<ClassId>& labels, int num_classes, int ways) {
  std::vector<ClassId> all;
  for (const ClassId label : labels) {
    for (int way = 0; way < ways; ++way) all.push_back(way * num_classes + label);
  }
  return all;
}

// The path of each data set relative to `out`: empty for a single data set, otherwise its folder
// name.
std::vector<std::filesystem::path> places(const std::vector<std::filesystem::path>& folders) {
  if (folders.size() == 1) return {""};
  std::vector<std::filesystem::path> names;
  std::map<std::string, std::filesystem::path> taken;
  for (const std::filesystem::path& folder : folders) {
    const std::string name = folder_name(folder);
    const auto [earlier, is_new] = taken.emplace(name, folder);
    if (!is_new) {
      throw Error("{}: has the same folder name '{}' as {}; confuse them separately",
                  folder.string(), name, earlier->second.string());
    }
    names.emplace_back(name);
  }
  return names;
}

}  // namespace

Vocabulary confused_classes(const Vocabulary& classes, int ways) {
  std::vector<std::string> names;
  for (int way = 0; way < ways; ++way) {
    for (const std::string& name : classes.names())
      names.push_back(fmt::format("{}^{}", name, way));
  }
  return Vocabulary(std::move(names));
}

Dataset confused(const Dataset& dataset, int ways, Random& random) {
  assert(ways > 0);
  const int num_classes = dataset.classes.size();
  Dataset result = dataset;
  result.name = "confusing-" + dataset.name;
  result.classes = confused_classes(dataset.classes, ways);
  const bool complete_val = has_complete_validation(dataset.clips);
  for (Clip& clip : result.clips) {
    clip.truth = every_way(clip.truth.empty() ? clip.labels : clip.truth, num_classes, ways);
    if (clip.split == Split::Test || (clip.split == Split::Val && complete_val)) {
      clip.labels = every_way(clip.labels, num_classes, ways);
      if (ways > 1) clip.original.reset();  // the ways are indistinguishable
    } else {
      clip.labels.front() += static_cast<ClassId>(random.below(ways)) * num_classes;
      if (clip.original) clip.original = clip.labels.front();
    }
  }
  return result;
}

std::vector<Dataset> confuse(const ConfuseSettings& settings) {
  const std::vector<std::filesystem::path> names = places(settings.folders);
  FolderWriter out(settings.out);
  Random random(settings.seed);
  std::vector<Dataset> results;
  for (std::size_t i = 0; i < names.size(); ++i) {
    stop_if_interrupted();
    const Dataset dataset = read_dataset(settings.folders[i]);
    Dataset result = confused(dataset, settings.ways, random);
    const std::filesystem::path folder = out.path() / names[i];
    std::filesystem::create_directories(folder);
    for (Clip& clip : result.clips) {
      const auto seen_from_folder = [&](const std::string& text, const auto& path) {
        if (text.empty() || std::filesystem::path(text).is_absolute()) return text;
        return std::filesystem::relative(path, folder).string();
      };
      clip.flow = seen_from_folder(clip.flow, flow_path(dataset, clip));
      if (clip.video.empty()) continue;
      clip.video = seen_from_folder(clip.video, video_path(dataset, clip));
    }
    result.shared.clear();
    result.folder = names[i].empty() ? settings.out : settings.out / names[i];
    result.created_as = std::filesystem::absolute(result.folder).lexically_normal();
    write_dataset(folder, result);
    link_features(dataset, folder);
    results.push_back(std::move(result));
  }
  out.commit();
  return results;
}

}  // namespace manyverbs
