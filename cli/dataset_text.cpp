// SPDX-License-Identifier: MIT
#include "cli/dataset_text.h"

#include <cmath>

#include <fmt/format.h>

#include "manyverbs/support/internal/files.h"

namespace manyverbs::cli {

std::string grouped(std::int64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool after_digit = i > 0 && digits[i - 1] != '-';
    if (after_digit && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::int64_t count, const std::string& one, const std::string& several) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : several);
}

std::string percent(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.1f} %", 100 * share);
}

std::string titled(const Dataset& dataset) {
  const std::string folder = dataset.folder.string();
  return dataset.name == folder_name(dataset.folder) ? folder
                                                     : fmt::format("{} ({})", folder, dataset.name);
}

std::string split_lines(const Dataset& dataset) {
  const bool complete = has_complete_validation(dataset.clips);
  std::string lines;
  for (const Split split : kSplits) {
    const std::size_t count = dataset.clips_of(split).size();
    if (count == 0) continue;
    lines += fmt::format("  {:<9}{:>9}{}\n", split_name(split),
                         grouped(static_cast<std::int64_t>(count)),
                         split == Split::Val && complete ? ", with all labels" : "");
  }
  return lines;
}

Json problems_json(const Dataset& dataset, const std::vector<ClipProblem>& problems) {
  Json list = Json::array();
  for (const ClipProblem& problem : problems) {
    list.push_back({{"clip", dataset.clip(problem.clip).name}, {"problem", problem.what}});
  }
  return list;
}

std::string shell_word(const std::filesystem::path& path) {
  std::string text = path.string();
  if (text.find_first_of(" \t\n\"'\\$`&|;<>()*?[]{}!#~") == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace manyverbs::cli
