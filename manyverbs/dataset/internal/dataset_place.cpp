// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/dataset_place.h"

#include <string>

namespace manyverbs {

Json place_json(const std::filesystem::path& dataset, const std::filesystem::path& folder) {
  const auto relative = std::filesystem::weakly_canonical(dataset).lexically_relative(
      std::filesystem::weakly_canonical(folder));
  return {{"path", dataset.string()}, {"relative", relative.string()}};
}

std::filesystem::path find_place(
    const Json& place, const std::filesystem::path& file,
    const std::function<bool(const std::filesystem::path& dataset)>& is_it) {
  const std::filesystem::path before = json_value<std::string>(place, "path", file);
  const auto relative = json_value<std::string>(place, "relative", file);
  if (relative.empty()) return before;
  const auto beside = std::filesystem::weakly_canonical(file.parent_path() / relative);
  if (!std::filesystem::exists(beside)) return before;
  if (!std::filesystem::exists(before)) return beside;
  return std::filesystem::equivalent(before, beside) || is_it(beside) ? beside : before;
}

}  // namespace manyverbs
