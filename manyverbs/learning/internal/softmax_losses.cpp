// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "manyverbs/learning/internal/loss_functions.h"

namespace manyverbs::learning_internal {

// Softmax over the classes that are not ignored; several Present classes have equal targets.
double cross_entropy(const LossInput& input, Matrix<float>* gradient) {
  const Matrix<float>& scores = input.scores;
  double total = 0;
  const auto clips = static_cast<double>(scores.rows());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const auto z = scores.row(i);
    const auto target = input.targets.row(i);
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

}  // namespace manyverbs::learning_internal
