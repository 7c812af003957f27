// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// What a report shows of a data set, as DataSet of web/src/report/data.ts without its
/// pseudo-labels: name, clips, classes, single, multi, labels_per_clip, cooccurrence. The label set
/// of a test clip is its truth where that is known, else its labels.
Json dataset_charts(const Dataset& dataset);

}  // namespace manyverbs
