// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/shared_data.h"

#include <optional>

#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

constexpr int kSharedFormat = 1;

struct Sharing {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> others;
};

// What the data set shares; nothing if it is no longer where shared.json expects it.
std::optional<Sharing> sharing_of(const Dataset& dataset) {
  if (dataset.shared.empty()) return {};
  const std::filesystem::path folder = dataset.folder / dataset.shared;
  const std::filesystem::path file = folder / "shared.json";
  if (!std::filesystem::is_regular_file(file)) return {};
  const Json json = read_json(file);
  if (json_value<int>(json, "format", file) != kSharedFormat) {
    throw Error("{}: expected format {}, found {}", file.string(), kSharedFormat,
                json["format"].dump());
  }
  Sharing sharing{folder, {}};
  bool has_this = false;
  for (const auto& name : json_value<std::vector<std::string>>(json, "datasets", file)) {
    const std::filesystem::path other = folder / name;
    if (!std::filesystem::exists(other / "dataset.json")) continue;
    if (std::filesystem::equivalent(other, dataset.folder)) {
      has_this = true;
    } else {
      sharing.others.push_back(other);
    }
  }
  return has_this ? std::optional(sharing) : std::nullopt;
}

}  // namespace

std::filesystem::path shared_folder(const Dataset& dataset) {
  const std::optional<Sharing> sharing = sharing_of(dataset);
  return sharing ? sharing->folder : dataset.folder;
}

std::vector<std::filesystem::path> sharing_datasets(const Dataset& dataset) {
  const std::optional<Sharing> sharing = sharing_of(dataset);
  return sharing ? sharing->others : std::vector<std::filesystem::path>();
}

std::string write_shared(const std::filesystem::path& parent,
                         const std::vector<std::string>& names) {
  std::filesystem::create_directories(parent / "shared");
  Json datasets = Json::array();
  for (const std::string& name : names) datasets.push_back("../" + name);
  write_json(parent / "shared" / "shared.json",
             {{"format", kSharedFormat}, {"datasets", datasets}});
  return "../shared";
}

}  // namespace manyverbs
