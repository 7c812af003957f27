// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/reports/internal/report_data.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// A report: one HTML file with all tables and charts of some experiments. It needs no network.

/// JSON for a script element: '<' and line separators are escaped, so that no name can end the
/// element; invalid UTF-8 is replaced. {"a": "</script>"} gives {"a":"\u003c/script>"}.
std::string script_json(const Json& json);

/// Replaces the word REPORT_DATA in a page, which must contain it, by the data.
std::string filled_page(std::string_view page, const Json& data);

struct WrittenReport {
  std::size_t bytes;
  std::vector<std::string> remarks;  ///< what was left out and why
};
/// Writes the report of experiment folders. Throws Error if a folder is not an experiment.
WrittenReport write_report(const std::vector<std::filesystem::path>& experiments,
                           const std::filesystem::path& path, const ReportSettings& settings);

}  // namespace manyverbs
