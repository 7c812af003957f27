// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/metrics/metrics.h"

namespace manyverbs {

/// Thresholds for predictions. Losses differ in calibration more than in ranking: a model whose
/// scores are all below 0.5 may still rank the correct labels first.
///
/// A threshold is half-way between two adjacent different scores, so no score equals it. The
/// highest threshold is the maximum score (no score is above it), the lowest is below the minimum
/// score.

/// The threshold at which the mean number of predicted classes per clip is `labels`. It needs
/// scores only, so it can be found on clips without complete labels. Equal scores are all above or
/// all below; the threshold with the nearest count is taken, of two equally near ones the one with
/// fewer labels. Scores {.9, .6, .4}: 2 labels at 0.5; {.9, .6, .6}: 1 label for 1.5, at 0.75. NaN
/// without clips. Throws Error unless labels is above 0 and at most C.
double threshold_for_count(const Matrix<float>& scores, double labels);

/// The highest IOU and the highest F1 over all thresholds, each at its own threshold. They are
/// upper bounds, because the threshold is chosen with the ground truth.
struct BestThresholds {
  ThresholdMetrics f1;   ///< where F1 is highest
  ThresholdMetrics iou;  ///< where IOU is highest
};
/// Of equally good thresholds, takes the highest. Scores {.9, .6, .4}, true {1, 0, 1}: F1 4/5 and
/// IOU 2/3, both below .4, where all three classes are predicted. NaN if no clip has a true class.
BestThresholds best_thresholds(const Matrix<float>& scores, const LabelMatrix& truth);

}  // namespace manyverbs
