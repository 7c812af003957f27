// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/labels/targets.h"
#include "manyverbs/learning/internal/training_loop.h"

namespace manyverbs {

/// The score that selects the epoch. On single labels it is the reciprocal rank of the label:
/// unlike top-1 accuracy, which is logged beside it, it does not depend on a few clips whose label
/// is just first or second, and it hardly penalises another true label for ranking first. If
/// validation clips have several labels, it is the F1 at the best threshold for them. The protocol
/// of the paper selects by top-1 accuracy. If test clips select the epoch, all
/// kTableMetrics are logged; the paper selects by accuracy, the released code by IOU, for backbones
/// by Top-set. The scorer refers to `truth`, which must outlive it.
EpochScorer epoch_scorer(const LabelMatrix& truth, bool is_test, const RunSettings& settings);

}  // namespace manyverbs
