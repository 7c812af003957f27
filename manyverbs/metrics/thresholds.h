// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/metrics/metrics.h"

namespace manyverbs {

/// Where to cut. Losses differ in calibration more than in ranking: a model whose scores all stay
/// below 0.5 may still rank the right labels first. These find the cut that suits a model.
///
/// A cut lies half-way between two neighbouring scores that differ, so no score is on it; the
/// highest cut is the greatest score itself (nothing is above), the lowest lies below the least.

/// The threshold above which there are, on average, `labels` classes a clip: needs scores only, so
/// it can be found on clips whose labels nobody checked. Of equal scores none or all are above: the
/// cut whose count comes nearest is taken, of two equally near the one with fewer labels. Scores
/// {.9, .6, .4}: 2 labels at 0.5; {.9, .6, .6}: 1 label for 1.5, at 0.75. NaN without clips. Throws
/// Error unless labels is above 0 and at most C.
double threshold_for_count(const Matrix<float>& scores, double labels);

/// The best IOU and the best F1 over all thresholds, each at its own: an upper bound, since it
/// looks at the truth it is measured on.
struct BestThresholds {
  ThresholdMetrics f1;   ///< where F1 is highest
  ThresholdMetrics iou;  ///< where IOU is highest
};
/// Of equally good thresholds the highest. Scores {.9, .6, .4}, true {1, 0, 1}: F1 4/5 and IOU 2/3,
/// both below .4, where all three are predicted. NaN throughout when no clip has a true class.
BestThresholds best_thresholds(const Matrix<float>& scores, const LabelMatrix& truth);

}  // namespace manyverbs
