// SPDX-License-Identifier: MIT
#include "manyverbs/learning/losses.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

// exp and log1p as plain arithmetic, so that the compiler can do eight classes at a time; both are
// good to the last bit or two of float over the ranges they are used on.

// exp(x) for x <= 0: 2^n exp(r) with |r| <= log(2) / 2, exp(r) by its Taylor series.
[[gnu::always_inline]] inline float exp_nonpositive(float x) {
  x = std::max(x, -87.0F);
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
  const float shifted = x * std::numbers::log2e_v<float> + kRound;
  const float n = shifted - kRound;
  // log(2) in two parts, of which n times the first is exact.
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float series = 1.0F / 5040;
  series = series * r + 1.0F / 720;
  series = series * r + 1.0F / 120;
  series = series * r + 1.0F / 24;
  series = series * r + 1.0F / 6;
  series = series * r + 0.5F;
  series = series * r + 1.0F;
  series = series * r + 1.0F;
  return series * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

// log(1 + e) for e in [0, 1]: 2 atanh(e / (2 + e)), by its series in s <= 1/3.
[[gnu::always_inline]] inline float log1p_unit(float e) {
  const float s = e / (2.0F + e);
  const float square = s * s;
  float series = 1.0F / 13;
  series = series * square + 1.0F / 11;
  series = series * square + 1.0F / 9;
  series = series * square + 1.0F / 7;
  series = series * square + 1.0F / 5;
  series = series * square + 1.0F / 3;
  series = series * square + 1.0F;
  return 2.0F * s * series;
}

// A score and what follows from it: p = sigmoid(z), and the costs -log p and -log(1 - p).
struct Score {
  float z;
  float p;
  float cost_present;
  float cost_absent;
};

[[gnu::always_inline]] inline Score score_of(float z) {
  const float e = exp_nonpositive(-std::abs(z));
  const float larger = 1.0F / (1.0F + e);
  const float rest = log1p_unit(e);
  return {z, z >= 0 ? larger : e * larger, std::max(-z, 0.0F) + rest, std::max(z, 0.0F) + rest};
}

// One of two numbers, chosen by 1 or 0 without a branch.
[[gnu::always_inline]] inline float blend(float choice, float at_one, float at_zero) {
  return choice * at_one + (1.0F - choice) * at_zero;
}

// The cost of one class in one clip, and its derivative by the score.
struct Cost {
  float value;
  float slope;
};

// Binary cross-entropy against targets that need not be 0 and 1: AN, WAN, LS, N-LS, Mask and P+S.
struct BinaryCost {
  float target_present;
  float target_absent;
  float weight_absent;

  [[gnu::always_inline]] Cost operator()(const Score& s, float present) const {
    const float target = blend(present, target_present, target_absent);
    const float weight = blend(present, 1.0F, weight_absent);
    return {weight * (target * s.cost_present + (1.0F - target) * s.cost_absent),
            weight * (s.p - target)};
  }
};

// Cross-entropy that counts less what is right already (Lin et al. 2017).
struct FocalCost {
  float balance;
  float focus;

  [[gnu::always_inline]] Cost operator()(const Score& s, float present) const {
    const float wrong = blend(present, 1.0F - s.p, s.p);
    const float cost = blend(present, s.cost_present, s.cost_absent);
    const float other_cost = blend(present, s.cost_absent, s.cost_present);
    const float damped =
        blend(present, balance, 1.0F - balance) * exp_nonpositive(-focus * other_cost);
    const float slope = damped * (wrong + focus * (1.0F - wrong) * cost);
    return {damped * cost, blend(present, -slope, slope)};
  }
};

// The checked label is learnt, the others are drawn towards "undecided" (Zhou et al. 2022).
struct EntropyCost {
  float weight;

  [[gnu::always_inline]] Cost operator()(const Score& s, float present) const {
    const float entropy = s.p * s.cost_present + (1.0F - s.p) * s.cost_absent;
    return {blend(present, s.cost_present, -weight * entropy),
            blend(present, s.p - 1.0F, weight * s.z * s.p * (1.0F - s.p))};
  }
};

// One clip: the sum of the costs of the classes that count, and scaled slopes into `gradient`.
// Costs are put down before they are summed, since a running sum would keep the loop out of vector
// registers.
template <typename CostOf>
[[gnu::always_inline]] inline float clip_loss(std::span<const float> scores, const Label* targets,
                                              const CostOf& cost_of, float scale,
                                              float* __restrict gradient) {
  constexpr std::size_t kPiece = 64;
  float values[kPiece];
  float sum = 0;
  for (std::size_t begin = 0; begin < scores.size(); begin += kPiece) {
    const std::size_t count = std::min(kPiece, scores.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      const Label target = targets[begin + i];
      const float counts = target == Label::Unknown ? 0.0F : 1.0F;
      const float present = target == Label::Present ? 1.0F : 0.0F;
      const Cost cost = cost_of(score_of(scores[begin + i]), present);
      values[i] = counts * cost.value;
      gradient[begin + i] = counts * scale * cost.slope;
    }
    for (std::size_t i = 0; i < count; ++i) sum += values[i];
  }
  return sum;
}

[[gnu::target_clones("arch=x86-64-v3", "default")]] float clip_loss_of(
    std::span<const float> scores, const Label* targets, const BinaryCost& cost, float scale,
    float* gradient) {
  return clip_loss(scores, targets, cost, scale, gradient);
}

[[gnu::target_clones("arch=x86-64-v3", "default")]] float clip_loss_of(
    std::span<const float> scores, const Label* targets, const FocalCost& cost, float scale,
    float* gradient) {
  return clip_loss(scores, targets, cost, scale, gradient);
}

[[gnu::target_clones("arch=x86-64-v3", "default")]] float clip_loss_of(
    std::span<const float> scores, const Label* targets, const EntropyCost& cost, float scale,
    float* gradient) {
  return clip_loss(scores, targets, cost, scale, gradient);
}

enum class Reduction { MeanOverClasses, SumOverClasses };

Reduction usual_reduction(Recipe recipe) {
  return recipe == Recipe::Paper ? Reduction::MeanOverClasses : Reduction::SumOverClasses;
}

template <typename CostOf>
double mean_loss(const Matrix<float>& scores, const LabelMatrix& targets, const CostOf& cost,
                 Reduction reduction, Matrix<float>* gradient) {
  assert(targets.rows() == scores.rows() && targets.columns() == scores.columns());
  assert(gradient->rows() == scores.rows() && gradient->columns() == scores.columns());
  double sum = 0;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    double weight = 1.0;
    if (reduction == Reduction::MeanOverClasses) {
      const auto row = targets.row(i);
      weight = 1.0 /
               static_cast<double>(row.size() - std::count(row.begin(), row.end(), Label::Unknown));
    }
    const auto scale = static_cast<float>(weight / static_cast<double>(scores.rows()));
    sum += weight *
           clip_loss_of(scores.row(i), targets.row(i).data(), cost, scale, gradient->row(i).data());
  }
  return sum / static_cast<double>(scores.rows());
}

double binary_loss(const Matrix<float>& scores, const LabelMatrix& targets, Recipe recipe,
                   const BinaryCost& cost, Matrix<float>* gradient) {
  return mean_loss(scores, targets, cost, usual_reduction(recipe), gradient);
}

double assume_negative(const Matrix<float>& scores, const LabelMatrix& targets, Recipe recipe,
                       const LossSettings& /*settings*/, Matrix<float>* gradient) {
  return binary_loss(scores, targets, recipe, {1.0F, 0.0F, 1.0F}, gradient);
}

double weak_assume_negative(const Matrix<float>& scores, const LabelMatrix& targets, Recipe recipe,
                            const LossSettings& /*settings*/, Matrix<float>* gradient) {
  const float weight = 1.0F / std::max(1.0F, static_cast<float>(scores.columns()) - 1.0F);
  return binary_loss(scores, targets, recipe, {1.0F, 0.0F, weight}, gradient);
}

double label_smoothing(const Matrix<float>& scores, const LabelMatrix& targets, Recipe recipe,
                       const LossSettings& settings, Matrix<float>* gradient) {
  const double epsilon = settings.smoothing;
  const double spread = epsilon / static_cast<double>(scores.columns());
  const bool paper = recipe == Recipe::Paper;
  const auto present = static_cast<float>(paper ? 1.0 - epsilon / 2 : 1.0 - epsilon + spread);
  const auto absent = static_cast<float>(paper ? epsilon / 2 : spread);
  return binary_loss(scores, targets, recipe, {present, absent, 1.0F}, gradient);
}

double negative_label_smoothing(const Matrix<float>& scores, const LabelMatrix& targets,
                                Recipe recipe, const LossSettings& settings,
                                Matrix<float>* gradient) {
  const bool paper = recipe == Recipe::Paper;
  const auto absent = static_cast<float>(
      paper ? settings.smoothing : settings.smoothing / static_cast<double>(scores.columns()));
  return binary_loss(scores, targets, recipe, {1.0F, absent, 1.0F}, gradient);
}

double focal(const Matrix<float>& scores, const LabelMatrix& targets, Recipe /*recipe*/,
             const LossSettings& settings, Matrix<float>* gradient) {
  const FocalCost cost{static_cast<float>(settings.focal_balance),
                       static_cast<float>(settings.focal_focus)};
  return mean_loss(scores, targets, cost, Reduction::MeanOverClasses, gradient);
}

double entropy_maximisation(const Matrix<float>& scores, const LabelMatrix& targets, Recipe recipe,
                            const LossSettings& settings, Matrix<float>* gradient) {
  const EntropyCost cost{static_cast<float>(settings.entropy_weight)};
  return mean_loss(scores, targets, cost, usual_reduction(recipe), gradient);
}

// Softmax over the classes that count; a clip with several Present classes shares its belief
// equally.
double cross_entropy(const Matrix<float>& scores, const LabelMatrix& targets, Recipe /*recipe*/,
                     const LossSettings& /*settings*/, Matrix<float>* gradient) {
  double total = 0;
  const auto clips = static_cast<double>(scores.rows());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const auto z = scores.row(i);
    const auto target = targets.row(i);
    const auto slope = gradient->row(i);
    const auto present =
        static_cast<double>(std::count(target.begin(), target.end(), Label::Present));
    float largest = -INFINITY;
    for (std::size_t c = 0; c < z.size(); ++c) {
      if (target[c] != Label::Unknown) largest = std::max(largest, z[c]);
    }
    double sum = 0;
    for (std::size_t c = 0; c < z.size(); ++c) {
      if (target[c] != Label::Unknown) sum += std::exp(static_cast<double>(z[c] - largest));
    }
    const double log_sum = largest + std::log(sum);
    for (std::size_t c = 0; c < z.size(); ++c) {
      const double belief = target[c] == Label::Present ? 1.0 / present : 0.0;
      const double p = target[c] == Label::Unknown ? 0.0 : std::exp(z[c] - log_sum);
      total += belief * (log_sum - z[c]);
      slope[c] = static_cast<float>((p - belief) / clips);
    }
  }
  return total / clips;
}

constexpr std::array kLosses = std::to_array<Loss>({
    {"an", "AN", "Assume Negative: an unchecked class is absent", Label::Absent,
     Activation::Sigmoid, true, assume_negative},
    {"wan", "WAN", "Weak Assume Negative: unchecked classes together weigh as much as the label",
     Label::Absent, Activation::Sigmoid, true, weak_assume_negative},
    {"ls", "LS", "Label Smoothing: a little doubt about every class", Label::Absent,
     Activation::Sigmoid, true, label_smoothing},
    {"n-ls", "N-LS", "Label Smoothing of the unchecked classes only", Label::Absent,
     Activation::Sigmoid, true, negative_label_smoothing},
    {"focal", "Focal", "Focal: what is right already counts less", Label::Absent,
     Activation::Sigmoid, false, focal},
    {"em", "EM", "Entropy Maximisation: unchecked classes are drawn to undecided", Label::Absent,
     Activation::Sigmoid, true, entropy_maximisation},
    {"mask", "Mask", "Assume Negative, pseudo-labels left out (the paper's)", Label::Unknown,
     Activation::Sigmoid, true, assume_negative},
    {"p+s", "P+S", "Assume Negative, pseudo-labels taught as present (the paper's)", Label::Present,
     Activation::Sigmoid, true, assume_negative},
    {"ce", "CE", "Cross-entropy: exactly one class is right", Label::Absent, Activation::Softmax,
     false, cross_entropy},
});

}  // namespace

std::span<const Loss> all_losses() { return kLosses; }

double gradient_scale(const Loss& loss, Recipe recipe, int classes) {
  return loss.summed && recipe == Recipe::Paper ? classes : 1;
}

const Loss& find_loss(std::string_view name) {
  std::vector<std::string> names;
  for (const Loss& loss : kLosses) {
    if (loss.name == name) return loss;
    names.emplace_back(loss.name);
  }
  throw Error("no loss '{}'{}", name, did_you_mean_or_list(name, names));
}

}  // namespace manyverbs
