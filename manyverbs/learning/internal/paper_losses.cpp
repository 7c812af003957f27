// SPDX-License-Identifier: MIT
#include <algorithm>

#include "manyverbs/learning/internal/loss_costs.h"
#include "manyverbs/learning/internal/loss_functions.h"

namespace manyverbs::learning_internal {

double assume_negative(const LossInput& input, Matrix<float>* gradient) {
  return mean_loss(input, BinaryCost{1.0F, 0.0F, 1.0F}, gradient);
}

double weak_assume_negative(const LossInput& input, Matrix<float>* gradient) {
  const float weight = 1.0F / std::max(1.0F, static_cast<float>(input.scores.columns()) - 1.0F);
  return mean_loss(input, BinaryCost{1.0F, 0.0F, weight}, gradient);
}

double label_smoothing(const LossInput& input, Matrix<float>* gradient) {
  const double epsilon = input.settings.smoothing;
  const double spread = epsilon / static_cast<double>(input.scores.columns());
  const bool paper = input.recipe == Recipe::Paper;
  const auto present = static_cast<float>(paper ? 1.0 - epsilon / 2 : 1.0 - epsilon + spread);
  const auto absent = static_cast<float>(paper ? epsilon / 2 : spread);
  return mean_loss(input, BinaryCost{present, absent, 1.0F}, gradient);
}

double negative_label_smoothing(const LossInput& input, Matrix<float>* gradient) {
  const double epsilon = input.settings.smoothing;
  const auto absent = static_cast<float>(
      input.recipe == Recipe::Paper ? epsilon
                                    : epsilon / static_cast<double>(input.scores.columns()));
  return mean_loss(input, BinaryCost{1.0F, absent, 1.0F}, gradient);
}

double focal(const LossInput& input, Matrix<float>* gradient) {
  const double balance = input.settings.focal_balance;
  const FocalCost cost{static_cast<float>(balance), 1.0F - static_cast<float>(balance),
                       static_cast<float>(input.settings.focal_focus)};
  return mean_loss(input, cost, Reduction::MeanOverClasses, gradient);
}

double entropy_maximisation(const LossInput& input, Matrix<float>* gradient) {
  return mean_loss(input, EntropyCost{static_cast<float>(input.settings.entropy_weight)}, gradient);
}

}  // namespace manyverbs::learning_internal
