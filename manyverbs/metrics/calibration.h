// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Label probabilities: how likely an annotator gives a clip a class as its label. They add up to 1
/// per clip. The probabilities of a model depend on the assumptions of its loss about unchecked
/// classes, and single labels cannot show whether these hold; they do show how often a class is
/// the label of clips with a similar probability. This is what a calibration learns.

/// A function that does not decrease: values[i] from from[i] up to from[i + 1], values[0] below.
struct StepFunction {
  std::vector<float> from;  ///< ascending
  std::vector<double> values;

  double at(float x) const;
};
/// Isotonic regression: of all such functions the one with the least squared error. Scores {.1, .2,
/// .3, .4}, of which .2 and .4 are hits: 0 from .1, 1/2 from .2, 1 from .4. At least one score.
StepFunction isotonic_fit(std::span<const float> scores, const std::vector<bool>& hits);

struct Calibration {
  StepFunction common;                ///< of all classes together
  std::vector<StepFunction> classes;  ///< of each class alone
  std::vector<double> weights;        ///< of each class: n / (n + 20) for n clips with this label
};
/// From N clips x C classes that were not trained on, with one label each. Throws Error without
/// clips and for a probability that is not finite.
Calibration calibration(const Matrix<float>& probabilities, std::span<const ClassId> labels);

/// The label probabilities of N clips x C classes: for each class, weight x its own function + (1 -
/// weight) x the common one, divided by the sum over classes. Equal if the sum is 0.
Matrix<float> label_probabilities(const Matrix<float>& probabilities,
                                  const Calibration& calibration);

/// Presence: how likely a class applies to a clip. If annotators choose evenly among the n labels
/// that apply, the share of each is 1/n, so presence is the share times n, at most 1. One n for all
/// clips is found from the expected number of labels per clip. The share of a class is its
/// probability divided by the sum over the classes of the clip.

/// The factor n at which the presences of a clip sum to `labels`, mean over clips. Shares {.5, .5,
/// 0}: 2 for 2 labels, 1 for 1; {.6, .3, .1}: 2.5 for 2 labels, with presences {1, .75, .25}. NaN
/// without clips; infinite if fewer than `labels` classes have a share above 0. Throws Error unless
/// labels is above 0 and at most C.
double presence_factor(const Matrix<float>& probabilities, double labels);
/// The presences of N clips x C classes.
Matrix<float> presences(const Matrix<float>& probabilities, double factor);

/// Errors of label probabilities, lower is better.
struct LabelProbabilityErrors {
  /// Expected calibration error: clips are put into 15 bins of equal width by their highest label
  /// probability; |mean of it - share of clips with this label|, mean over clips.
  double calibration;
  /// Brier score: sum over classes of (label probability - 1 if it is the label, otherwise 0)^2,
  /// mean over clips. From 0 to 2.
  double brier;
};
/// `labels` has at least one label per clip; of several, each counts as the label of an equal part
/// of the clip. Label probabilities {.8, .2}, label 0: calibration .2, Brier .08; labels {0, 1}:
/// calibration .3, Brier (.08 + 1.28) / 2. NaN without clips.
LabelProbabilityErrors label_probability_errors(const Matrix<float>& label_probabilities,
                                                std::span<const std::vector<ClassId>> labels);

/// What a calibration achieves.
struct MeasuredCalibration {
  LabelProbabilityErrors before;  ///< of the probabilities divided by their sum
  LabelProbabilityErrors after;
};
MeasuredCalibration measured_calibration(const Matrix<float>& probabilities,
                                         std::span<const std::vector<ClassId>> labels,
                                         const Calibration& calibration);

}  // namespace manyverbs
