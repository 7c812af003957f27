// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/protocols/experiment.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

struct ReportSettings {
  std::string title;                  ///< empty: the names of the experiments
  std::string program = "manyverbs";  ///< with its version, where that is known
  int examples = 12;                  ///< test clips shown of each experiment
  int pseudo_label_examples = 6;      ///< training clips shown of each set of pseudo-labels
};

struct ReportData {
  Json json;                         ///< Report of web/src/report/data.ts
  std::vector<std::string> remarks;  ///< what is left out and why, one line each
};

/// All that a report page shows, small enough to open at once: curves are thinned, numbers have
/// five digits. Data sets that several experiments share are there once. What needs a data set or
/// run folder that is gone is left out with a remark, the rest comes from the results themselves;
/// such a data set has a name only. Videos are found from the folder of the page.
ReportData report_data(const std::vector<Results>& experiments, const ReportSettings& settings,
                       const std::filesystem::path& page_folder);

}  // namespace manyverbs
