// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/labels/targets.h"
#include "manyverbs/learning/internal/training_loop.h"

namespace manyverbs {

/// Single labels can only be scored by top-1 accuracy. If test clips select the epoch, all
/// kTableMetrics are logged; the paper selects by accuracy, the released code by IOU. The scorer
/// refers to `truth`, which must outlive it.
EpochScorer epoch_scorer(const LabelMatrix& truth, bool is_test, Recipe recipe);

}  // namespace manyverbs
