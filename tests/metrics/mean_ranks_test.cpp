// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/mean_ranks.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

TEST(Ranks, TheHighestIsFirstAndTiesShareTheMeanOfTheirRanks) {
  EXPECT_EQ(ranks(std::vector<double>{0.5, 0.7, 0.5}), (std::vector<double>{2.5, 1, 2.5}));
  EXPECT_EQ(ranks(std::vector<double>{1, 1, 1}), (std::vector<double>{2, 2, 2}));
  EXPECT_TRUE(ranks({}).empty());
}

TEST(FriedmanTest, OfThreeDataSetsWorkedByHand) {
  const FriedmanTest test = friedman_test(Matrix<double>(3, 3, {3, 2, 1, 3, 2, 1, 2, 3, 1}));
  EXPECT_DOUBLE_EQ(test.mean_ranks[0], 4.0 / 3);
  EXPECT_DOUBLE_EQ(test.mean_ranks[1], 5.0 / 3);
  EXPECT_DOUBLE_EQ(test.mean_ranks[2], 3);
  EXPECT_DOUBLE_EQ(test.chi_squared, 14.0 / 3);
  EXPECT_DOUBLE_EQ(test.f, 7);
  EXPECT_NEAR(test.p, 1 / (4.5 * 4.5), 1e-12);
}

TEST(FriedmanTest, EqualsScipyWithAndWithoutTies) {
  const Json golden =
      read_json(std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden" / "intervals.json");
  for (const Json& each : golden["friedman"]) {
    std::vector<double> values;
    for (const Json& row : each["values"]) values.insert(values.end(), row.begin(), row.end());
    const std::size_t datasets = each["values"].size();
    const FriedmanTest test =
        friedman_test(Matrix<double>(datasets, values.size() / datasets, values));
    for (std::size_t j = 0; j < test.mean_ranks.size(); ++j) {
      EXPECT_NEAR(test.mean_ranks[j], each["mean_ranks"][j], 1e-12);
    }
    EXPECT_NEAR(test.chi_squared, each["chi_squared"], 1e-10);
    EXPECT_NEAR(test.f, each["f"], 1e-10);
    EXPECT_NEAR(test.p, each["p"], 1e-10);
  }
}

// Of 2^3 orders of two methods on three data sets, two are the same on all; of 6^3 of three
// methods, six.
TEST(FriedmanTest, TheSameOrderOnAllDataSetsHasItsExactProbability) {
  const FriedmanTest two = friedman_test(Matrix<double>(3, 2, {2, 1, 5, 3, 9, 0}));
  EXPECT_TRUE(std::isinf(two.f));
  EXPECT_NEAR(two.p, 0.25, 1e-12);
  const FriedmanTest three = friedman_test(Matrix<double>(3, 3, {3, 2, 1, 6, 4, 2, 9, 5, 0}));
  EXPECT_NEAR(three.p, 1.0 / 36, 1e-12);
}

TEST(FriedmanTest, IsUndefinedForEqualMethodsOrOneDataSet) {
  EXPECT_TRUE(std::isnan(friedman_test(Matrix<double>(2, 2, {1, 1, 3, 3})).p));
  const FriedmanTest one = friedman_test(Matrix<double>(1, 2, {1, 2}));
  EXPECT_TRUE(std::isnan(one.p));
  EXPECT_EQ(one.mean_ranks, (std::vector<double>{2, 1}));
}

// Demsar, "Statistical comparisons of classifiers over multiple data sets", 2006, section 3.2.4.
TEST(CriticalDifference, OfDemsarsFourAlgorithms) {
  EXPECT_NEAR(critical_difference(4, 14), 1.25, 5e-3);
  EXPECT_NEAR(critical_difference(2, 6), 1.959964 * std::sqrt(2.0 * 3 / 36), 1e-6);
}

}  // namespace
}  // namespace manyverbs
