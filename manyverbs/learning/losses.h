// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "manyverbs/labels/targets.h"

namespace manyverbs {

/// Losses for clips that carry one checked label while the truth may hold several.
///
/// They differ in what they believe of a class that nobody checked. Each reads raw scores z (no
/// sigmoid; p = sigmoid(z)), N clips x C classes, and gives the mean over clips and its
/// gradient. Unknown classes are left out of every loss. The examples are one clip with scores
/// {0, 0, 0} of which the first class is Present, so that log p = log(1 - p) = -log 2.

/// Where the paper and the code released with it differ.
enum class Recipe {
  Paper,     ///< averaged over the classes that count; smoothing as the paper's formulas have it
  Released,  ///< summed over classes (focal averaged); smoothing spread over the C classes
};

struct LossSettings {
  double smoothing = 0.1;       ///< epsilon of ls and n-ls
  double focal_balance = 0.25;  ///< alpha of focal
  double focal_focus = 2.0;     ///< gamma of focal; at least 1
  double entropy_weight = 0.2;  ///< alpha of em
};

/// What turns scores into probabilities.
enum class Activation { Sigmoid, Softmax };

/// A loss as users meet it; `train --help`, the documentation and the tests walk this table.
struct Loss {
  std::string_view name;     ///< as typed: "p+s"
  std::string_view title;    ///< as the paper's tables have it: "P+S"
  std::string_view summary;  ///< one line, no full stop
  /// What a class suggested by the neighbours becomes: Absent where the loss ignores suggestions.
  Label suggested;
  Activation activation;
  bool summed;  ///< over classes by the released code; focal is averaged, ce has one term
  /// The mean loss of N clips x C classes; `gradient`, of the shape of the scores, gets its
  /// derivative by each score.
  double (*compute)(const Matrix<float>& scores, const LabelMatrix& targets, Recipe recipe,
                    const LossSettings& settings, Matrix<float>* gradient);
};
std::span<const Loss> all_losses();

/// The factor by which SGD multiplies the gradient of a loss, since the released code's learning
/// rate goes with its sums over classes: the number of classes where the recipe averages what that
/// code sums, else 1. With it, an AN step of either recipe is the same step, weight decay included;
/// a clip of Mask, averaged over its C - n classes that count, weighs C / (C - n) times as much as
/// there. 102 classes, the paper's recipe: 102 for an, 1 for focal and ce.
double gradient_scale(const Loss& loss, Recipe recipe, int classes);

/// Throws Error with the nearest spelling, "no loss 'maks', did you mean 'mask'?", or with all.
const Loss& find_loss(std::string_view name);

}  // namespace manyverbs
