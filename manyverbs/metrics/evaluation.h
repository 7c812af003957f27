// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/metrics/metrics.h"
#include "manyverbs/metrics/thresholds.h"
#include "manyverbs/support/json.h"

namespace manyverbs {

/// Everything that is measured of a model on a split, as `evaluate` prints and writes it.
struct Evaluation {
  int clips;
  double true_labels;  ///< mean number a clip
  double top_set;
  double top1;
  double map;               ///< mean of average_precision over the classes that have a true clip
  double map_interpolated;  ///< the same of interpolated_average_precision
  int map_classes;          ///< how many those classes are
  ThresholdMetrics fixed;   ///< at the usual threshold, 0.5
  double expected_labels;   ///< the number of labels a clip that `expected` aims at
  ThresholdMetrics expected;
  BestThresholds best;
  std::vector<ClassMetrics> classes;
};

struct EvaluationSettings {
  double threshold = 0.5;
  double expected_labels = 0;           ///< 0: the mean number of true labels
  double expected_threshold = 0;        ///< found on other clips with threshold_for_count
};

/// `scores` are probabilities.
Evaluation evaluate(const Matrix<float>& scores, const LabelMatrix& truth,
                    const EvaluationSettings& settings);

/// Fractions; the keys top_set, top1, iou, f1, map, map_interpolated, predicted_labels, threshold;
/// the last five again under at_expected and best; null where a value is not defined.
Json to_json(const Evaluation& evaluation, const Vocabulary& classes);

}  // namespace manyverbs
