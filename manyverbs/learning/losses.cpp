// SPDX-License-Identifier: MIT
#include "manyverbs/learning/losses.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/spelling.h"
#include "manyverbs/support/internal/vectorised.h"

#if defined(__x86_64__) && defined(__GLIBC__)
// glibc has these for eight floats at a time as well; so declared, loops may use them.
extern "C" {
[[gnu::simd("notinbranch")]] float expf(float) noexcept;
[[gnu::simd("notinbranch")]] float logf(float) noexcept;
}
#endif

namespace manyverbs {
namespace {

// A score z with p = sigmoid(z) and the costs -log p and -log(1 - p).
struct Score {
  float z;
  float p;
  float cost_present;
  float cost_absent;
};

// `common` is log(1 + exp(-|z|)), which both costs contain.
[[gnu::always_inline]] inline Score score_of(float z, float p, float common) {
  return {z, p, std::max(-z, 0.0F) + common, std::max(z, 0.0F) + common};
}

// Replaces scores by p and computes the common part of their costs. This is a loop of its own,
// since one that calls functions keeps nothing else in registers.
[[gnu::always_inline]] inline void compute_sigmoids(std::span<float> scores,
                                                    float* __restrict common) {
#pragma omp simd
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const float e = std::exp(-std::abs(scores[i]));
    const float sum = 1.0F + e;
    const float larger = 1.0F / sum;
    scores[i] = scores[i] >= 0 ? larger : e * larger;
    // log1p(e), in less time: the second term restores what rounding took from the sum.
    common[i] = std::log(sum) + (e - (sum - 1.0F)) * larger;
  }
}

// The cost of one class of a clip, and its derivative with respect to the score.
struct Cost {
  float value;
  float gradient;
};

// Binary cross-entropy with targets in [0, 1]: AN, WAN, LS, N-LS, Mask and P+S.
struct BinaryCost {
  float target_present;
  float target_absent;
  float weight_absent;

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    const float target = present ? target_present : target_absent;
    const float weight = present ? 1.0F : weight_absent;
    return {weight * (target * s.cost_present + (1.0F - target) * s.cost_absent),
            weight * (s.p - target)};
  }
};

// Cross-entropy with less weight for correct predictions (Lin et al. 2017).
struct FocalCost {
  float balance;
  float focus;

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    const float wrong = present ? 1.0F - s.p : s.p;
    const float cost = present ? s.cost_present : s.cost_absent;
    // wrong^focus, from its logarithm
    const float power = std::exp(-focus * (present ? s.cost_absent : s.cost_present));
    const float damped = (present ? balance : 1.0F - balance) * power;
    const float gradient = damped * (wrong + focus * (1.0F - wrong) * cost);
    return {damped * cost, present ? -gradient : gradient};
  }
};

// Cross-entropy for the own label, entropy maximisation for the others (Zhou et al. 2022).
struct EntropyCost {
  float weight;

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    const float entropy = s.p * s.cost_present + (1.0F - s.p) * s.cost_absent;
    return {present ? s.cost_present : -weight * entropy,
            present ? s.p - 1.0F : weight * s.z * s.p * (1.0F - s.p)};
  }
};

// For one clip: the sum of the costs of the classes that are not ignored, and the scaled gradient.
// cost_of is passed by value: stores to the gradient cannot change it, so its numbers stay in
// registers.
template <typename CostOf>
[[gnu::always_inline]] inline float clip_loss(std::span<const float> scores, const float* p,
                                              const float* common, std::span<const Label> targets,
                                              CostOf cost_of, float scale,
                                              float* __restrict gradient) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const Cost cost = cost_of(score_of(scores[c], p[c], common[c]), targets[c] == Label::Present);
    const bool counts = targets[c] != Label::Unknown;
    sum += counts ? cost.value : 0.0F;
    gradient[c] = counts ? scale * cost.gradient : 0.0F;
  }
  return sum;
}

enum class Reduction { MeanOverClasses, SumOverClasses };

Reduction usual_reduction(Recipe recipe) {
  return recipe == Recipe::Paper ? Reduction::MeanOverClasses : Reduction::SumOverClasses;
}

// How much a clip counts for each of its classes.
[[gnu::always_inline]] inline double class_weight(std::span<const Label> targets,
                                                  Reduction reduction) {
  if (reduction == Reduction::SumOverClasses) return 1.0;
  const auto unknown = std::count(targets.begin(), targets.end(), Label::Unknown);
  return 1.0 / static_cast<double>(targets.size() - unknown);
}

template <typename CostOf>
[[gnu::always_inline]] inline double batch_loss(const Matrix<float>& scores,
                                                const LabelMatrix& targets, const CostOf& cost_of,
                                                Reduction reduction, Matrix<float>* gradient) {
  const std::size_t classes = scores.columns();
  // Whole registers of scores, since exp of a single float may differ in its last bits.
  const std::size_t count = (scores.values().size() + 15) / 16 * 16;
  const auto p = std::make_unique_for_overwrite<float[]>(count);
  const auto common = std::make_unique_for_overwrite<float[]>(count);
  std::fill(std::copy(scores.values().begin(), scores.values().end(), p.get()), p.get() + count,
            0.0F);
  compute_sigmoids({p.get(), count}, common.get());
  double sum = 0;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const double weight = class_weight(targets.row(i), reduction);
    const auto scale = static_cast<float>(weight / static_cast<double>(scores.rows()));
    sum += weight * clip_loss(scores.row(i), &p[i * classes], &common[i * classes], targets.row(i),
                              cost_of, scale, gradient->row(i).data());
  }
  return sum / static_cast<double>(scores.rows());
}

template <typename CostOf>
double mean_loss(const Matrix<float>& scores, const LabelMatrix& targets, const CostOf& cost_of,
                 Reduction reduction, Matrix<float>* gradient) {
  assert(targets.rows() == scores.rows() && targets.columns() == scores.columns());
  assert(gradient->rows() == scores.rows() && gradient->columns() == scores.columns());
  return vectorised<batch_loss<CostOf>>(scores, targets, cost_of, reduction, gradient);
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

// Softmax over the classes that are not ignored; several Present classes have equal targets.
double cross_entropy(const Matrix<float>& scores, const LabelMatrix& targets, Recipe /*recipe*/,
                     const LossSettings& /*settings*/, Matrix<float>* gradient) {
  double total = 0;
  const auto clips = static_cast<double>(scores.rows());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const auto z = scores.row(i);
    const auto target = targets.row(i);
    const auto derivative = gradient->row(i);
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
      derivative[c] = static_cast<float>((p - belief) / clips);
    }
  }
  return total / clips;
}

constexpr std::array kLosses = std::to_array<Loss>({
    {"an", "AN", "Assume Negative: an unchecked class is absent", Label::Absent,
     Activation::Sigmoid, true, assume_negative},
    {"wan", "WAN",
     "Weak Assume Negative: all unchecked classes together weigh as much as the label",
     Label::Absent, Activation::Sigmoid, true, weak_assume_negative},
    {"ls", "LS", "Label Smoothing: smoothed targets for all classes", Label::Absent,
     Activation::Sigmoid, true, label_smoothing},
    {"n-ls", "N-LS", "Negative Label Smoothing: smoothed targets for unchecked classes only",
     Label::Absent, Activation::Sigmoid, true, negative_label_smoothing},
    {"focal", "Focal", "Focal: correct predictions have less weight", Label::Absent,
     Activation::Sigmoid, false, focal},
    {"em", "EM", "Entropy Maximisation: maximises the entropy of unchecked classes", Label::Absent,
     Activation::Sigmoid, true, entropy_maximisation},
    {"mask", "Mask", "Assume Negative, but pseudo-labels are ignored (proposed by the paper)",
     Label::Unknown, Activation::Sigmoid, true, assume_negative},
    {"p+s", "P+S", "Assume Negative, but pseudo-labels are present (proposed by the paper)",
     Label::Present, Activation::Sigmoid, true, assume_negative},
    {"ce", "CE", "Cross-entropy: exactly one class is present", Label::Absent, Activation::Softmax,
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
  throw Error("unknown loss '{}'{}", name, did_you_mean_or_list(name, names));
}

}  // namespace manyverbs
