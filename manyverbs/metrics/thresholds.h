// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/metrics/metrics.h"

namespace manyverbs {

/// Where to cut. Losses differ in calibration more than in ranking: a model whose scores all stay
/// below 0.5 may still rank the right labels first. These find the cut that suits a model.

/// The threshold above which there are, on average, `labels` classes a clip: needs scores only, so it
/// can be found on clips whose labels nobody checked. Half-way between the two scores it divides; of
/// equal scores, none or all are above. Throws Error unless labels is in (0, C).
double threshold_for_count(const Matrix<float>& scores, double labels);

/// The best IOU and the best F1 over all thresholds, each at its own: an upper bound, since it looks
/// at the truth it is measured on.
struct BestThresholds {
  ThresholdMetrics f1;   ///< where F1 is highest
  ThresholdMetrics iou;  ///< where IOU is highest
};
BestThresholds best_thresholds(const Matrix<float>& scores, const LabelMatrix& truth);

}  // namespace manyverbs
