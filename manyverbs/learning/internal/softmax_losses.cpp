// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "manyverbs/learning/internal/loss_functions.h"

namespace manyverbs::learning_internal {
namespace {

// The loss of one clip, and its gradient times the number of clips. Softmax over the classes for
// which `counts` is true; `share` gives the target of a class.
template <typename Counts, typename Share>
double clip_cross_entropy(std::span<const float> z, const Counts& counts, const Share& share,
                          double clips, std::span<float> derivative) {
  float largest = -INFINITY;
  for (std::size_t c = 0; c < z.size(); ++c) {
    if (counts(c)) largest = std::max(largest, z[c]);
  }
  double sum = 0;
  for (std::size_t c = 0; c < z.size(); ++c) {
    if (counts(c)) sum += std::exp(static_cast<double>(z[c] - largest));
  }
  const double log_sum = largest + std::log(sum);
  double total = 0;
  for (std::size_t c = 0; c < z.size(); ++c) {
    const double target = share(c);
    const double p = counts(c) ? std::exp(z[c] - log_sum) : 0.0;
    total += target * (log_sum - z[c]);
    derivative[c] = static_cast<float>((p - target) / clips);
  }
  return total;
}

}  // namespace

// Several Present classes have equal targets.
double cross_entropy(const LossInput& input, Matrix<float>* gradient) {
  const auto clips = static_cast<double>(input.scores.rows());
  double total = 0;
  for (std::size_t i = 0; i < input.scores.rows(); ++i) {
    const auto target = input.targets.row(i);
    const auto present =
        static_cast<double>(std::count(target.begin(), target.end(), Label::Present));
    total += clip_cross_entropy(
        input.scores.row(i), [&](std::size_t c) { return target[c] != Label::Unknown; },
        [&](std::size_t c) { return target[c] == Label::Present ? 1.0 / present : 0.0; }, clips,
        gradient->row(i));
  }
  return total / clips;
}

double cross_entropy_of_shares(const Matrix<float>& scores, const Matrix<float>& shares,
                               Matrix<float>* gradient) {
  const auto clips = static_cast<double>(scores.rows());
  double total = 0;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const auto target = shares.row(i);
    total += clip_cross_entropy(
        scores.row(i), [](std::size_t) { return true; },
        [&](std::size_t c) { return static_cast<double>(target[c]); }, clips, gradient->row(i));
  }
  return total / clips;
}

}  // namespace manyverbs::learning_internal
