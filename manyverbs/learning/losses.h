// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "manyverbs/labels/targets.h"

namespace manyverbs {

/// Losses for clips with a single label, although several labels may apply.
///
/// They differ in what they assume about unchecked classes. Each computes the mean loss over clips
/// and its gradient from raw scores z, N clips x C classes; p = sigmoid(z). Every loss ignores
/// Unknown classes. The examples are one clip with scores {0, 0, 0} whose first class is Present,
/// so that log p = log(1 - p) = -log 2.

/// The rules of training where the paper and its released code differ.
enum class Recipe {
  Paper,     ///< mean over the classes that are not ignored; smoothing as in the paper
  Released,  ///< sum over classes (focal: mean); smoothing divided by C
};

struct LossSettings {
  double smoothing = 0.1;       ///< epsilon of ls and n-ls
  double focal_balance = 0.25;  ///< alpha of focal
  double focal_focus = 2.0;     ///< gamma of focal; at least 1
  double entropy_weight = 0.2;  ///< alpha of em
};

/// Converts scores to probabilities.
enum class Activation { Sigmoid, Softmax };

/// A row of the table of losses, which `train --help`, the documentation and the tests use.
struct Loss {
  std::string_view name;     ///< value of --loss: "p+s"
  std::string_view title;    ///< in tables: "P+S"
  std::string_view summary;  ///< one line, no full stop
  /// The target of pseudo-labels; Absent if the loss does not use them.
  Label suggested;
  Activation activation;
  bool summed;  ///< whether the released code sums over classes; false for focal and ce
  /// The mean loss over clips. `gradient`, of the shape of the scores, receives the gradient.
  double (*compute)(const Matrix<float>& scores, const LabelMatrix& targets, Recipe recipe,
                    const LossSettings& settings, Matrix<float>* gradient);
};
std::span<const Loss> all_losses();

/// The factor for the gradient of a loss in SGD. The default learning rate is that of the released
/// code, which sums over classes: the factor is the number of classes C if the recipe averages
/// where the released code sums, otherwise 1. Then an AN step is the same with both recipes; a clip
/// of Mask with n ignored classes has C / (C - n) times the weight. Example: with 102 classes and
/// the recipe of the paper, 102 for an, 1 for focal and ce.
double gradient_scale(const Loss& loss, Recipe recipe, int classes);

/// Throws Error with a suggestion, "unknown loss 'maks', did you mean 'mask'?", or with all names.
const Loss& find_loss(std::string_view name);

}  // namespace manyverbs
