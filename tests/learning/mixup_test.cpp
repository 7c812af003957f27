// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/mixup.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

// Beta(a, a) has the mean 1/2 and the variance 1 / (4 (2 a + 1)). The standard error of the mean of
// 20,000 values is below 0.0036.
TEST(Mixup, WeightsHaveTheMeanAndVarianceOfTheBetaDistribution) {
  for (const double alpha : {0.1, 0.4, 1.0}) {
    Random random(3);
    constexpr int kDraws = 20000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double weight = draw_mixture(1, alpha, random).weight;
      ASSERT_GE(weight, 0);
      ASSERT_LE(weight, 1);
      sum += weight;
      squares += weight * weight;
    }
    const double mean = sum / kDraws;
    EXPECT_NEAR(mean, 0.5, 0.012) << alpha;
    EXPECT_NEAR(squares / kDraws - mean * mean, 1 / (4 * (2 * alpha + 1)), 0.004) << alpha;
  }
}

TEST(Mixup, PartnersAreAPermutationThatChanges) {
  Random random(3);
  const Mixture first = draw_mixture(50, 0.4, random);
  const Mixture second = draw_mixture(50, 0.4, random);
  EXPECT_NE(first.partners, second.partners);
  std::vector<int> sorted = first.partners;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> all(50);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
}

}  // namespace
}  // namespace manyverbs
