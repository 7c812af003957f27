// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "manyverbs/learning/losses.h"
#include "manyverbs/support/internal/vectorised.h"

#if defined(__x86_64__) && defined(__GLIBC__)
// glibc has these for eight floats at a time as well; so declared, loops may use them.
extern "C" {
[[gnu::simd("notinbranch")]] float expf(float) noexcept;
[[gnu::simd("notinbranch")]] float logf(float) noexcept;
}
#endif

namespace manyverbs::learning_internal {

/// Losses that are a sum of costs, one for each class of each clip, in one vectorised pass. A loss
/// is a function object that returns the cost of a class:
///
///   struct AssumeNegative {
///     [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
///       return {present ? s.cost_present : s.cost_absent, s.p - (present ? 1.0F : 0.0F)};
///     }
///   };
///   mean_loss(input, AssumeNegative{}, Reduction::MeanOverClasses, gradient);
///
/// Both branches of a condition are computed for every class, so both must be finite.

/// A score z with p = sigmoid(z) and the costs -log p and -log(1 - p).
struct Score {
  float z;
  float p;
  float cost_present;
  float cost_absent;
};

/// The cost of one class of a clip, and its derivative with respect to the score.
struct Cost {
  float value;
  float gradient;
};

enum class Reduction { MeanOverClasses, SumOverClasses };

inline Reduction usual_reduction(Recipe recipe) {
  return recipe == Recipe::Paper ? Reduction::MeanOverClasses : Reduction::SumOverClasses;
}

/// How much a clip counts for each of its classes.
[[gnu::always_inline]] inline double class_weight(std::span<const Label> targets,
                                                  Reduction reduction) {
  if (reduction == Reduction::SumOverClasses) return 1.0;
  const auto unknown = std::count(targets.begin(), targets.end(), Label::Unknown);
  return 1.0 / static_cast<double>(targets.size() - unknown);
}

/// `common` is log(1 + exp(-|z|)), which both costs contain.
[[gnu::always_inline]] inline Score score_of(float z, float p, float common) {
  return {z, p, std::max(-z, 0.0F) + common, std::max(z, 0.0F) + common};
}

/// Replaces scores by p and computes the common part of their costs. This is a loop of its own,
/// since one that calls functions keeps nothing else in registers.
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

/// p and the common part of the costs of all scores.
struct Sigmoids {
  std::unique_ptr<float[]> p;
  std::unique_ptr<float[]> common;
};
[[gnu::always_inline]] inline Sigmoids sigmoids_of(const Matrix<float>& scores) {
  // Whole registers of scores, since exp of a single float may differ in its last bits.
  const std::size_t count = (scores.values().size() + 15) / 16 * 16;
  Sigmoids sigmoids{std::make_unique_for_overwrite<float[]>(count),
                    std::make_unique_for_overwrite<float[]>(count)};
  float* p = sigmoids.p.get();
  std::fill(std::copy(scores.values().begin(), scores.values().end(), p), p + count, 0.0F);
  compute_sigmoids({p, count}, sigmoids.common.get());
  return sigmoids;
}

/// The cost of class c. A loss that takes three arguments also receives its stored number.
template <typename CostOf>
[[gnu::always_inline]] inline Cost cost_of_class(const CostOf& cost_of, Score score, bool present,
                                                 const float* stored, std::size_t c) {
  if constexpr (std::is_invocable_v<const CostOf&, Score, bool, float>) {
    return cost_of(score, present, stored[c]);
  } else {
    return cost_of(score, present);
  }
}

/// For one clip: the sum of the costs of the classes that are not ignored, and the scaled gradient.
/// cost_of is passed by value: stores to the gradient cannot change it, so its numbers stay in
/// registers.
template <typename CostOf>
[[gnu::always_inline]] inline float clip_loss(std::span<const float> scores, const float* p,
                                              const float* common, std::span<const Label> targets,
                                              const float* stored, CostOf cost_of, float scale,
                                              float* __restrict gradient) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const Cost cost = cost_of_class(cost_of, score_of(scores[c], p[c], common[c]),
                                    targets[c] == Label::Present, stored, c);
    const bool counts = targets[c] != Label::Unknown;
    sum += counts ? cost.value : 0.0F;
    gradient[c] = counts ? scale * cost.gradient : 0.0F;
  }
  return sum;
}

template <typename CostOf>
[[gnu::always_inline]] inline double batch_loss(const Matrix<float>& scores,
                                                const LabelMatrix& targets,
                                                const Matrix<float>* stored, const CostOf& cost_of,
                                                Reduction reduction, Matrix<float>* gradient) {
  const std::size_t classes = scores.columns();
  const Sigmoids sigmoids = sigmoids_of(scores);
  double sum = 0;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const double weight = class_weight(targets.row(i), reduction);
    const auto scale = static_cast<float>(weight / static_cast<double>(scores.rows()));
    sum +=
        weight * clip_loss(scores.row(i), &sigmoids.p[i * classes], &sigmoids.common[i * classes],
                           targets.row(i), stored != nullptr ? stored->row(i).data() : nullptr,
                           cost_of, scale, gradient->row(i).data());
  }
  return sum / static_cast<double>(scores.rows());
}

/// The mean loss over clips, and its gradient. `stored`, of the shape of the scores, has the third
/// argument of cost_of.
template <typename CostOf>
double mean_loss(const LossInput& input, const CostOf& cost_of, Reduction reduction,
                 Matrix<float>* gradient, const Matrix<float>* stored = nullptr) {
  const Matrix<float>& scores = input.scores;
  const LabelMatrix& targets = input.targets;
  assert(targets.rows() == scores.rows() && targets.columns() == scores.columns());
  assert(gradient->rows() == scores.rows() && gradient->columns() == scores.columns());
  return vectorised<batch_loss<CostOf>>(scores, targets, stored, cost_of, reduction, gradient);
}

/// The same with the reduction of the recipe.
template <typename CostOf>
double mean_loss(const LossInput& input, const CostOf& cost_of, Matrix<float>* gradient,
                 const Matrix<float>* stored = nullptr) {
  return mean_loss(input, cost_of, usual_reduction(input.recipe), gradient, stored);
}

}  // namespace manyverbs::learning_internal
