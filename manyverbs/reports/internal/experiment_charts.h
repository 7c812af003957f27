// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/protocols/experiment.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// What a report shows of an experiment without its models: Experiment of web/src/report/data.ts
/// with no thresholds and no examples yet. `places` are the positions of its data sets among those
/// of the report; a run has at most `points` of its training curve.
Json experiment_charts(const Results& results, const std::vector<std::size_t>& places,
                       std::size_t points);

}  // namespace manyverbs
