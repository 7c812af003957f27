// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/metrics/metrics.h"
#include "manyverbs/metrics/thresholds.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Everything that is measured of a model on a split, as `evaluate` prints and writes it.
struct Evaluation {
  int clips;
  double true_labels;  ///< mean number a clip
  double top_set;
  double top1;
  double map;                 ///< mean of average_precision over the classes that have a true clip
  double map_interpolated;    ///< the same of interpolated_average_precision
  int map_classes;            ///< how many those classes are
  ThresholdMetrics fixed;     ///< at the threshold of the settings
  double expected_labels;     ///< the number of labels per clip that `expected` aims at
  int expected_clips;         ///< on which that threshold was found; 0: on the measured clips
  ThresholdMetrics expected;  ///< at the threshold that gives about that many on those clips
  BestThresholds best;        ///< at the thresholds that suit these very clips: an upper bound
  std::vector<ClassMetrics> classes;  ///< at the fixed threshold
};

struct EvaluationSettings {
  double threshold = 0.5;      ///< what a probability must exceed
  double expected_labels = 0;  ///< labels a clip to aim at; 0: the mean number of true labels
};

/// Measures probabilities, N clips x C classes, against their truth. The expected threshold is
/// found on `validation_scores`, the same model's probabilities of the validation clips; give an
/// empty matrix where there are none, and it is found on the scores themselves. Throws
/// Error for a score that is not finite and for expected labels below 0 or above C. Without clips
/// all values are NaN.
Evaluation evaluate(const Matrix<float>& scores, const LabelMatrix& truth,
                    const Matrix<float>& validation_scores,
                    const EvaluationSettings& settings = {});

/// Fractions; null where a value is not defined. The keys: clips, true_labels, threshold, top_set,
/// top1, iou, f1, map, map_interpolated, map_classes, predicted_labels; at_expected with
/// expected_labels, threshold, iou, f1, predicted_labels; best with threshold, f1,
/// predicted_labels, iou, iou_threshold; classes, a list of name, positives, precision, recall, ap,
/// ap_interpolated.
Json to_json(const Evaluation& evaluation, const Vocabulary& classes);

/// The same for the terminal, in percent with one decimal, a dash where a value is not defined.
std::string table(const Evaluation& evaluation);

/// One line per class, those with the most true clips first; names of more than 40 columns are cut.
std::string class_table(const Evaluation& evaluation, const Vocabulary& classes);

}  // namespace manyverbs
