// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/labels/targets.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// How well scores agree with the labels that people agreed on.
///
/// Scores are N clips x C classes, finite, larger is more likely; truth has the same shape and no
/// Unknown. A value that is not defined is NaN, never 0, and a report shows it as a dash. Where two
/// scores of a clip are equal, the class with the lower number counts as the better one. Whatever
/// the number of threads, the bits are the same.

/// Throws Error with clip and class where a score is NaN or infinite, as of a model that diverged.
void require_finite(const Matrix<float>& scores);

/// Share of clips whose best-scored class is true, among those that have a true class; NaN without
/// such clips. Scores {.5, .5, .4}, true {1, 0, 0}: 1.
double top1_accuracy(const Matrix<float>& scores, const LabelMatrix& truth);

/// For a clip with k true classes, the share of its k best-scored classes that are true; averaged
/// over clips that have a true class (Wray et al. 2019). Scores {.9, .5, .4}, true {1, 0, 1}: k =
/// 2, so 0.5.
double top_set_accuracy(const Matrix<float>& scores, const LabelMatrix& truth);

/// What is predicted when every class that scores above a threshold is.
struct ThresholdMetrics {
  double threshold;
  double iou;               ///< |true and predicted| / |true or predicted|, mean over clips
  double f1;                ///< 2 |true and predicted| / (|true| + |predicted|), mean over clips
  double predicted_labels;  ///< mean number a clip
};
/// Clips without a true label are left out of iou and f1. A score is above when it is greater as a
/// double, so that 0.5 is not above 0.5. Scores {.9, .6, .4}, true {1, 0, 1}, threshold 0.5:
/// IOU 1/3, F1 1/2, 2 labels.
ThresholdMetrics at_threshold(const Matrix<float>& scores, const LabelMatrix& truth,
                              double threshold);

/// Area under one class's precision-recall steps; equal scores are one step, so the order of clips
/// does not matter. Scores {.9, .8, .1}, true {1, 0, 1}: (1 + 2/3) / 2. NaN if no clip is true.
double average_precision(std::span<const float> scores, std::span<const Label> truth);

/// The same with each precision raised to the best one at a higher recall, as detection benchmarks
/// and the paper's released code have it. Scores {.9, .8, .7}, true {0, 1, 1}: 2/3, not 7/12.
double interpolated_average_precision(std::span<const float> scores, std::span<const Label> truth);

/// One class at a threshold.
struct ClassMetrics {
  int positives;     ///< clips that are true
  double precision;  ///< NaN if nothing is predicted
  double recall;     ///< NaN if no clip is true
  double average_precision;
  double interpolated_average_precision;
};
/// One entry a class, in order. Scores {.9, .8, .1}, true {1, 0, 1}, threshold 0.5: 2 positives,
/// precision 1/2, recall 1/2.
std::vector<ClassMetrics> class_metrics(const Matrix<float>& scores, const LabelMatrix& truth,
                                        double threshold);

}  // namespace manyverbs
