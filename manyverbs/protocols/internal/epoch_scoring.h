// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/labels/targets.h"
#include "manyverbs/learning/internal/training_loop.h"

namespace manyverbs {

/// Single labels can only be scored by top-1 accuracy. Where test clips choose the epoch, all of
/// kTableMetrics are logged: the paper's text chooses by accuracy, its released code by IOU. The
/// scorer keeps a reference to the truth.
EpochScorer epoch_scorer(const LabelMatrix& truth, bool is_test, Recipe recipe);

}  // namespace manyverbs
