// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/schedule.h"

#include "manyverbs/support/error.h"
#include "tests/scratch.h"

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

std::vector<EpochRecord> with_losses(const std::vector<double>& losses) {
  std::vector<EpochRecord> epochs;
  for (const double loss : losses) epochs.push_back({0, 0, loss, {}});
  return epochs;
}

double plateau(const std::vector<double>& losses) {
  return rate_factor(Schedule::Plateau, with_losses(losses), 100);
}

TEST(Schedule, EveryPlateauOfMoreThanTenEpochsDividesTheRateByTen) {
  std::vector<double> losses(11, 1.0);  // the first is the least, ten are no better
  EXPECT_EQ(plateau({}), 1);
  EXPECT_EQ(plateau(losses), 1);
  losses.push_back(1.0);
  EXPECT_DOUBLE_EQ(plateau(losses), 0.1);
  losses.insert(losses.end(), 10, 1.0);
  EXPECT_DOUBLE_EQ(plateau(losses), 0.1);
  losses.push_back(1.0);
  EXPECT_DOUBLE_EQ(plateau(losses), 0.01);
}

TEST(Schedule, ABetterLossEndsAPlateauAndATinyImprovementDoesNot) {
  std::vector<double> better(11, 1.0);
  better.push_back(0.99);
  EXPECT_EQ(plateau(better), 1);
  std::vector<double> hardly(11, 1.0);
  hardly.push_back(0.99995);
  EXPECT_DOUBLE_EQ(plateau(hardly), 0.1);
}

// Entropy maximisation has negative losses.
TEST(Schedule, NegativeLossesHavePlateausToo) {
  EXPECT_EQ(plateau(std::vector<double>(11, -0.5)), 1);
  EXPECT_DOUBLE_EQ(plateau(std::vector<double>(12, -0.5)), 0.1);
  std::vector<double> better(11, -0.5);
  better.push_back(-0.6);
  EXPECT_EQ(plateau(better), 1);
}

TEST(Schedule, ConstantIgnoresTheLosses) {
  EXPECT_EQ(rate_factor(Schedule::Constant, with_losses(std::vector<double>(30, 1.0)), 40), 1);
}

TEST(Schedule, CosineDecaysFromTheFullRateToNearlyZero) {
  const auto factor = [](int epochs) {
    return rate_factor(Schedule::Cosine, with_losses(std::vector<double>(epochs, 1.0)), 4);
  };
  EXPECT_DOUBLE_EQ(factor(0), 1);
  EXPECT_NEAR(factor(1), 0.854, 0.0005);
  EXPECT_NEAR(factor(2), 0.5, 1e-12);
  EXPECT_NEAR(factor(3), 0.146, 0.0005);
}

}  // namespace
}  // namespace manyverbs
