// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/protocols/internal/experiment.h"
#include "manyverbs/reports/report.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

struct ReportData {
  Json json;                         ///< Report of web/src/report/data.ts
  std::vector<std::string> remarks;  ///< what was left out and why, one line each
};

/// The complete data of a report page. To keep it small, curves are thinned and numbers have five
/// digits. A data set that several experiments share is included once. Parts that need a missing
/// data set or run folder are left out with a remark; a missing data set has only a name. Video
/// paths are relative to the folder of the page.
ReportData report_data(const std::vector<Results>& experiments, const ReportSettings& settings,
                       const std::filesystem::path& page_folder);

}  // namespace manyverbs
