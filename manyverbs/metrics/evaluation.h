// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/metrics/calibration.h"
#include "manyverbs/metrics/coverage.h"
#include "manyverbs/metrics/metrics.h"
#include "manyverbs/metrics/thresholds.h"

namespace manyverbs {

/// The metrics of one clip. NaN if it has no true class.
struct ClipEvaluation {
  double top_set;
  double top1;  ///< 0 or 1
  double iou;   ///< at the threshold of the settings
  double f1;
  double expected_iou;  ///< at the threshold of Evaluation::expected
  double expected_f1;
  double best_iou;  ///< at the thresholds of Evaluation::best
  double best_f1;
};

/// All metrics of a model on a split, as printed and written by `evaluate`.
struct Evaluation {
  int clips;
  double true_labels;  ///< mean per clip
  double top_set;
  double top1;
  double map;                 ///< mean of average_precision over classes with a true clip
  double map_interpolated;    ///< mean of interpolated_average_precision
  int map_classes;            ///< the number of these classes
  ThresholdMetrics fixed;     ///< at the threshold of the settings
  double expected_labels;     ///< target number of labels per clip for `expected`
  int expected_clips;         ///< clips used to find that threshold; 0: the evaluated clips
  ThresholdMetrics expected;  ///< at the threshold that gives about that number on those clips
  BestThresholds best;        ///< at the best thresholds for the evaluated clips: an upper bound
  std::vector<ClassMetrics> classes;  ///< at the fixed threshold
  /// One entry per clip; the mean over clips with a true class is the value of the split.
  std::vector<ClipEvaluation> per_clip;
  // Set by Model::evaluate() if requested:
  std::optional<MeasuredCoverage> coverage = std::nullopt;
  std::optional<MeasuredCalibration> calibration = std::nullopt;
};

struct EvaluationSettings {
  double threshold = 0.5;      ///< a class is predicted if its probability is greater
  double expected_labels = 0;  ///< target labels per clip; 0: the ground-truth mean
  bool at_least = false;  ///< a class is also predicted at the threshold, as in the released code
};

/// Evaluates probabilities, N clips x C classes, against the ground truth. The expected threshold
/// is found on `validation_scores`, the probabilities of the same model for the validation clips;
/// if that matrix is empty, it is found on the scores themselves. Throws Error for a score that is
/// not finite and for expected labels below 0 or above C. Without clips all values are NaN.
Evaluation evaluate(const Matrix<float>& scores, const LabelMatrix& truth,
                    const Matrix<float>& validation_scores,
                    const EvaluationSettings& settings = {});

/// For the terminal, in percent with one decimal; undefined values are dashes.
std::string table(const Evaluation& evaluation);

/// One line per class, ordered by the number of true clips; names longer than 40 columns are
/// truncated.
std::string class_table(const Evaluation& evaluation, const Vocabulary& classes);

}  // namespace manyverbs
