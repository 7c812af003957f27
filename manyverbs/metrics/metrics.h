// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/labels/targets.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Metrics that compare scores with ground-truth labels.
///
/// Scores are N clips x C classes, finite, higher is more probable. Truth has the same shape and
/// contains no Unknown. Undefined values are NaN, never 0, and are shown as a dash. Of equal scores
/// of a clip, the class with the lower number ranks first. The results do not depend on the number
/// of threads.

/// Throws Error with clip and class if a score is NaN or infinite, for example after training
/// diverged.
void require_finite(const Matrix<float>& scores);

/// Share of clips whose highest-scored class is true, among clips with a true class; NaN without
/// such clips. Scores {.5, .5, .4}, true {1, 0, 0}: 1.
double top1_accuracy(const Matrix<float>& scores, const LabelMatrix& truth);

/// How high the true classes rank, from 1 / C to 1: the geometric mean of 1 / rank over the true
/// classes of a clip, then over clips with a true class. The rank is 1 plus the number of higher
/// scores, and half of the number of other equal ones. Scores {.9, .5, .4}, true {0, 1, 0}: 1/2;
/// two clips whose only true class has rank 1 and 4: 1/2. NaN without a true class.
double reciprocal_rank(const Matrix<float>& scores, const LabelMatrix& truth);

/// For a clip with k true classes, the share of its k highest-scored classes that are true; mean
/// over clips with a true class (Wray et al. 2019). Scores {.9, .5, .4}, true {1, 0, 1}: k = 2, so
/// 0.5.
double top_set_accuracy(const Matrix<float>& scores, const LabelMatrix& truth);

/// Metrics of predicting every class with a score above a threshold.
struct ThresholdMetrics {
  double threshold;
  double iou;               ///< |true and predicted| / |true or predicted|, mean over clips
  double f1;                ///< 2 |true and predicted| / (|true| + |predicted|), mean over clips
  double predicted_labels;  ///< mean per clip
};
/// Clips without a true label are ignored in iou and f1. Scores are compared as double: 0.5 is not
/// above 0.5. Scores {.9, .6, .4}, true {1, 0, 1}, threshold 0.5: IOU 1/3, F1 1/2, 2 labels.
ThresholdMetrics at_threshold(const Matrix<float>& scores, const LabelMatrix& truth,
                              double threshold);

/// Area under the precision-recall steps of one class. Equal scores are one step, so the order of
/// clips does not matter. Scores {.9, .8, .1}, true {1, 0, 1}: (1 + 2/3) / 2. NaN if no clip is
/// true.
double average_precision(std::span<const float> scores, std::span<const Label> truth);

/// The same, with each precision replaced by the highest one at the same or a higher recall, as in
/// detection benchmarks and in the released code of the paper. Scores {.9, .8, .7}, true {0, 1, 1}:
/// 2/3, not 7/12.
double interpolated_average_precision(std::span<const float> scores, std::span<const Label> truth);

/// Metrics of one class at a threshold.
struct ClassMetrics {
  int positives;     ///< number of true clips
  double precision;  ///< NaN if nothing is predicted
  double recall;     ///< NaN if no clip is true
  double average_precision;
  double interpolated_average_precision;
};
/// One entry per class. Scores {.9, .8, .1}, true {1, 0, 1}, threshold 0.5: 2 positives, precision
/// 1/2, recall 1/2.
std::vector<ClassMetrics> class_metrics(const Matrix<float>& scores, const LabelMatrix& truth,
                                        double threshold);

}  // namespace manyverbs
