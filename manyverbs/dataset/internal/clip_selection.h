// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace manyverbs {

/// How test clips were chosen before people annotated them: selection.json of a data set that
/// `annotate export` wrote.
struct ClipSelection {
  std::string choice;               ///< "all", "sample", "wrong" or "disagreement"
  std::vector<std::string> runs;    ///< names of the runs whose predictions people chose from
  std::vector<std::string> models;  ///< content hashes of their models

  /// Whether the predictions of these runs determined the clips.
  bool by_runs() const { return choice == "wrong" || choice == "disagreement"; }
};

/// One sentence without full stop: "the test clips are a random sample", "the test clips are those
/// whose top prediction by p+s-1 was wrong: metrics of this run on them are biased".
std::string selection_text(const ClipSelection& selection);

/// Nothing if the folder of the data set has no selection.json.
std::optional<ClipSelection> read_selection(const std::filesystem::path& dataset);
void write_selection(const std::filesystem::path& dataset, const ClipSelection& selection);

}  // namespace manyverbs
