// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/reports/internal/report_data.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// One HTML file with every table and figure of some experiments, which opens from disk without a
/// network.

/// JSON that can stand inside a script element: no '<' and no line separators, so that no name can
/// end it; bytes that are no UTF-8 are replaced. {"a": "</script>"} gives {"a":"\u003c/script>"}.
std::string script_json(const Json& json);

/// A page with the data in place of the word REPORT_DATA, which must stand in it.
std::string filled_page(std::string_view page, const Json& data);

struct WrittenReport {
  std::size_t bytes;
  std::vector<std::string> remarks;  ///< what was left out and why
};
/// Writes the report of experiment folders. Throws Error when a folder is no experiment.
WrittenReport write_report(const std::vector<std::filesystem::path>& experiments,
                           const std::filesystem::path& path, const ReportSettings& settings);

}  // namespace manyverbs
