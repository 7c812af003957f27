// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/mixup.h"

#include <cmath>
#include <numeric>
#include <span>

namespace manyverbs {
namespace {

// Beta(alpha, alpha) by the method of Joehnk, which accepts at least half of the pairs if alpha is
// at most 1.
double beta_sample(double alpha, Random& random) {
  while (true) {
    const double a = std::pow(random.uniform(), 1 / alpha);
    const double b = std::pow(random.uniform(), 1 / alpha);
    // Both may be 0 for a small alpha.
    if (a + b <= 1 && a + b > 0) return a / (a + b);
  }
}

}  // namespace

Mixture draw_mixture(std::size_t clips, double alpha, Random& random) {
  Mixture mixture{beta_sample(alpha, random), std::vector<int>(clips)};
  std::iota(mixture.partners.begin(), mixture.partners.end(), 0);
  random.shuffle(std::span(mixture.partners));
  return mixture;
}

}  // namespace manyverbs
