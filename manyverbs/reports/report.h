// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace manyverbs {

/// A report: one HTML file with all tables and charts of some experiments. It needs no network.

struct ReportSettings {
  std::string title;                  ///< empty: the names of the experiments
  std::string program = "manyverbs";  ///< with its version, if known
  int examples = 12;                  ///< test clips shown per experiment
  int pseudo_label_examples = 6;      ///< training clips shown per pseudo-label file
};

struct WrittenReport {
  std::size_t bytes;
  std::vector<std::string> remarks;  ///< what was left out and why
};
/// Writes the report of experiment folders. Throws Error if a folder is not an experiment.
WrittenReport write_report(const std::vector<std::filesystem::path>& experiments,
                           const std::filesystem::path& path, const ReportSettings& settings);

}  // namespace manyverbs
