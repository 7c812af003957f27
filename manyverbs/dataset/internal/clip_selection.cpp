// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/clip_selection.h"

#include <fmt/ranges.h>

#include "manyverbs/support/internal/json.h"

namespace manyverbs {

std::string selection_text(const ClipSelection& selection) {
  const std::string runs = fmt::format("{}", fmt::join(selection.runs, ", "));
  if (selection.choice == "wrong") {
    return fmt::format(
        "the test clips are those whose top prediction by {} was wrong: metrics of {} on them are "
        "biased",
        runs, selection.runs.size() == 1 ? "this run" : "these runs");
  }
  if (selection.choice == "disagreement") {
    return fmt::format(
        "the test clips are those on which {} disagreed: metrics of these runs on them are biased",
        runs);
  }
  if (selection.choice == "sample") return "the test clips are a random sample";
  return "the test clips were not chosen by predictions";
}

std::optional<ClipSelection> read_selection(const std::filesystem::path& dataset) {
  const std::filesystem::path path = dataset / "selection.json";
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Json json = read_json(path);
  return ClipSelection{json_value<std::string>(json, "choice", path),
                       json_value<std::vector<std::string>>(json, "runs", path),
                       json_value<std::vector<std::string>>(json, "models", path)};
}

void write_selection(const std::filesystem::path& dataset, const ClipSelection& selection) {
  write_json(
      dataset / "selection.json",
      {{"choice", selection.choice}, {"runs", selection.runs}, {"models", selection.models}});
}

}  // namespace manyverbs
