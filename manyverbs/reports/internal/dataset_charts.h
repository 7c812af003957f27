// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The charts of a data set: DataSet of web/src/report/data.ts without relabelled and
/// pseudo_labels, that is name, selection, clips, classes, single, multi, labels_per_clip,
/// cooccurrence. The label set of a test clip is its ground truth if known, otherwise its labels.
Json dataset_charts(const Dataset& dataset);

}  // namespace manyverbs
