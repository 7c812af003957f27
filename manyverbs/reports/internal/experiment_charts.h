// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/protocols/internal/experiment.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The charts of an experiment that need no models: Experiment of web/src/report/data.ts without
/// thresholds and examples. `places` are the indices of its data sets in the report. The training
/// curve of a run has at most `points` points.
Json experiment_charts(const Results& results, const std::vector<std::size_t>& places,
                       std::size_t points);

}  // namespace manyverbs
