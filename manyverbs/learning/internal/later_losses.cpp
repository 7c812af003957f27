// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "manyverbs/learning/internal/loss_costs.h"
#include "manyverbs/learning/internal/loss_functions.h"

namespace manyverbs::learning_internal {
namespace {

// Focal, with another exponent for absent classes, whose probability p is reduced to
// pm = max(p - clip, 0): easy ones have no loss (Ridnik et al. 2021).
struct AsymmetricCost {
  FocalCost of_present;
  float focus;
  float clip;

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    constexpr float kTiny = 1e-30F;
    const Cost positive = of_present(s, true);
    const float pm = std::max(s.p - clip, 0.0F);
    const float q = std::exp(-s.cost_absent);     // 1 - p, also exact near p = 1
    const float rest = std::min(q + clip, 1.0F);  // 1 - pm
    const float cost = clip > 0 ? -std::log(rest) : s.cost_absent;
    const float ratio = clip > 0 ? q / rest : 1.0F;  // (1 - p) / (1 - pm)
    const float base = std::max(pm, kTiny);
    const float power = std::exp(focus * std::log(base));  // pm^focus
    const float gradient = power * s.p * (focus * cost / base * q + ratio);
    return {present ? positive.value : power * cost,
            present ? positive.gradient : (pm > 0 ? gradient : 0.0F)};
  }
};

// For absent classes (lambda - p) p^2: its gradient falls again for large p, where a missing label
// is likely (Zhang et al. 2021).
struct HillCost {
  FocalCost of_present;
  float lambda;

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    const Cost positive = of_present(s, true);
    const float square = s.p * s.p;
    return {present ? positive.value : (lambda - s.p) * square,
            present ? positive.gradient : square * (1.0F - s.p) * (2.0F * lambda - 3.0F * s.p)};
  }
};

// Focal, where an absent class with p above the threshold counts as present (Zhang et al. 2021).
struct CorrectedCost {
  FocalCost focal;
  float threshold;

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    return focal(s, present || s.p > threshold);
  }
};

// (1 - base^q) / q, where `cost` is -log base; also exact if q * cost is small.
struct PowerCost {
  float power;  // base^q
  float value;

  [[gnu::always_inline]] PowerCost(float q, float cost) {
    const float x = q * cost;
    power = std::exp(-x);
    const float series = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5))));
    value = (x < 0.1F ? series : 1.0F - power) / q;
  }
};

// An unchecked class is present with probability K and absent otherwise, weighted by V; both depend
// on p, but are constants for the gradient (Chen et al. 2024).
struct RobustCost {
  float slope;
  float offset;
  float mean;
  float precision;  // 1 / (2 sigma^2)
  float q_present;
  float q_absent;

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    const float k = 1.0F / (1.0F + std::exp(-(slope * s.p + offset)));
    const float distance = s.p - mean;
    const float v = std::exp(-distance * distance * precision);
    const PowerCost if_present(q_present, s.cost_present);
    const PowerCost if_absent(q_absent, s.cost_absent);
    const float value = k * if_present.value + (1.0F - k) * if_absent.value;
    const float gradient = (1.0F - k) * s.p * if_absent.power - k * (1.0F - s.p) * if_present.power;
    return {present ? s.cost_present : v * value, present ? s.p - 1.0F : v * gradient};
  }
};

FocalCost plain_focal(double focus) { return {1.0F, 1.0F, static_cast<float>(focus)}; }

// The scores, less the margin for Present classes. The gradient is the same.
Matrix<float> with_margin(const LossInput& input) {
  Matrix<float> scores = input.scores;
  const auto margin = static_cast<float>(input.settings.margin);
  const Label* targets = input.targets.data();
  for (std::size_t i = 0; i < scores.values().size(); ++i) {
    scores.data()[i] -= targets[i] == Label::Present ? margin : 0.0F;
  }
  return scores;
}

// Linear from the first epoch to the planned last one.
float scheduled(const LossInput& input, double start, double end) {
  const double last = std::max(1, input.epochs - 1);
  return static_cast<float>(start + (end - start) * (input.epoch - 1) / last);
}

}  // namespace

double asymmetric(const LossInput& input, Matrix<float>* gradient) {
  const LossSettings& settings = input.settings;
  const AsymmetricCost cost{plain_focal(settings.asl_focus_present),
                            static_cast<float>(settings.asl_focus_absent),
                            static_cast<float>(settings.asl_clip)};
  return mean_loss(input, cost, gradient);
}

double hill(const LossInput& input, Matrix<float>* gradient) {
  const HillCost cost{plain_focal(input.settings.focal_focus),
                      static_cast<float>(input.settings.hill_lambda)};
  const Matrix<float> scores = with_margin(input);
  return mean_loss({scores, input.targets, input.settings, input.recipe}, cost, gradient);
}

double self_paced_correction(const LossInput& input, Matrix<float>* gradient) {
  const LossSettings& settings = input.settings;
  const bool corrects = input.epoch > settings.splc_warm_up;
  const CorrectedCost cost{plain_focal(settings.focal_focus),
                           corrects ? static_cast<float>(settings.splc_threshold) : 1.0F};
  const Matrix<float> scores = with_margin(input);
  return mean_loss({scores, input.targets, settings, input.recipe}, cost, gradient);
}

double generalised_robust(const LossInput& input, Matrix<float>* gradient) {
  const LossSettings& settings = input.settings;
  const float sigma = scheduled(input, settings.gr_spread_start, settings.gr_spread_end);
  const RobustCost cost{scheduled(input, settings.gr_slope_start, settings.gr_slope_end),
                        scheduled(input, settings.gr_offset_start, settings.gr_offset_end),
                        scheduled(input, settings.gr_mean_start, settings.gr_mean_end),
                        1.0F / (2.0F * sigma * sigma),
                        static_cast<float>(settings.gr_q_present),
                        static_cast<float>(settings.gr_q_absent)};
  return mean_loss(input, cost, gradient);
}

}  // namespace manyverbs::learning_internal
