// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/intervals.h"

#include <cmath>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "manyverbs/metrics/internal/distributions.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

// A part of the golden values.
Json golden(const char* part) {
  return read_json(std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden" /
                   "intervals.json")[part];
}

Matrix<double> matrix_of(const Json& rows) {
  Matrix<double> values(rows.size(), rows[0].size());
  for (std::size_t s = 0; s < values.rows(); ++s) {
    for (std::size_t i = 0; i < values.columns(); ++i) values(s, i) = rows[s][i];
  }
  return values;
}

TEST(Distributions, QuantilesOfStudentAreThoseOfTables) {
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 1e5), 1.960, 5e-4);
  EXPECT_EQ(student_t_quantile(0.5, 3), 0);
}

// Closed forms: tan(pi (p - 1/2)) with one degree of freedom, (2 p - 1) / sqrt(2 p (1 - p)) with
// two.
TEST(Distributions, QuantilesOfStudentWithOneAndTwoDegreesOfFreedomAreExact) {
  for (const double p : {0.6, 0.9, 0.975, 0.9995}) {
    const double one = std::tan(std::acos(-1.0) * (p - 0.5));
    const double two = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(student_t_quantile(p, 1), one, 1e-11 * one) << p;
    EXPECT_NEAR(student_t_quantile(p, 2), two, 1e-11 * two) << p;
  }
}

// SciPy has an error of 1e-9: for p = 0.9995 and one degree of freedom 636.61924943 instead of
// 636.61924877.
TEST(Distributions, QuantilesOfStudentEqualScipy) {
  int compared = 0;
  for (const Json& each : golden("t")) {
    const double quantile = each["quantile"];
    EXPECT_NEAR(student_t_quantile(each["p"], each["freedom"]), quantile, 1e-8 * std::abs(quantile))
        << each.dump();
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

TEST(Distributions, QuantilesOfStudentAreUndefinedOutsideOfTheirRange) {
  EXPECT_TRUE(std::isnan(student_t_quantile(0, 3)));
  EXPECT_TRUE(std::isnan(student_t_quantile(1, 3)));
  EXPECT_TRUE(std::isnan(student_t_quantile(0.9, 0)));
  EXPECT_TRUE(std::isnan(student_t_quantile(NAN, 3)));
}

// With two numerator degrees of freedom the tail is (1 + 2 f / b)^(-b / 2).
TEST(Distributions, TailsOfFWorkedByHandAndByScipy) {
  EXPECT_NEAR(f_tail(5.786, 2, 5), 0.05, 5e-6);
  EXPECT_NEAR(f_tail(7, 2, 4), 1 / (4.5 * 4.5), 1e-12);
  EXPECT_EQ(f_tail(0, 2, 4), 1);
  EXPECT_EQ(f_tail(INFINITY, 2, 4), 0);
  for (const Json& each : golden("f")) {
    const double tail = each["tail"];
    EXPECT_NEAR(f_tail(each["f"], each["a"], each["b"]), tail, 1e-9 * tail) << each.dump();
  }
}

// For two variables, the range is the size of a normal variable with variance 2. The quantiles
// divided by sqrt(2) are in Table 5 of Demsar 2006.
TEST(Distributions, QuantilesOfTheNormalRangeAreThoseOfTablesAndScipy) {
  EXPECT_NEAR(normal_range_quantile(0.95, 2), 1.959963985 * std::sqrt(2.0), 1e-8);
  const std::vector<double> table = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164};
  for (int k = 2; k <= 10; ++k) {
    EXPECT_NEAR(normal_range_quantile(0.95, k) / std::sqrt(2.0), table[k - 2], 1e-3) << k;
  }
  for (const Json& each : golden("range")) {
    EXPECT_NEAR(normal_range_quantile(0.95, each["k"]), each["quantile"].get<double>(), 1e-7);
  }
}

TEST(MeanInterval, OfThreeValuesWorkedByHand) {
  const Interval interval = mean_interval(std::vector<double>{1, 2, 3});
  EXPECT_DOUBLE_EQ(interval.mean, 2);
  EXPECT_NEAR(interval.half_width, 4.302653 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(interval.low(), 2 - 2.484138, 1e-6);
  EXPECT_NEAR(interval.high(), 2 + 2.484138, 1e-6);
}

TEST(MeanInterval, EqualsScipy) {
  const Json student = golden("student");
  const Interval interval = mean_interval(student["values"].get<std::vector<double>>());
  EXPECT_NEAR(interval.low(), student["low"], 1e-9);
  EXPECT_NEAR(interval.high(), student["high"], 1e-9);
}

TEST(MeanInterval, OfOneValueHasNoWidthAndOfNoneNoMean) {
  const Interval one = mean_interval(std::vector<double>{3});
  EXPECT_EQ(one.mean, 3);
  EXPECT_TRUE(std::isnan(one.half_width));
  EXPECT_TRUE(std::isnan(mean_interval({}).mean));
}

TEST(MeanInterval, OfEqualValuesIsAPoint) {
  EXPECT_EQ(mean_interval(std::vector<double>{2, 2}).half_width, 0);
}

TEST(CrossedInterval, OfTwoRunsAndThreeClipsWorkedByHand) {
  const std::vector<Matrix<double>> values = {Matrix<double>(2, 3, {1, 2, 6, 1, 4, 4})};
  const Interval interval = crossed_interval(values);
  EXPECT_DOUBLE_EQ(interval.mean, 3);
  EXPECT_NEAR(interval.half_width, 4.302653 * std::sqrt(4.0 / 3), 1e-6);
}

// The clip means {2, 2, 2} do not vary, so runs alone remain: means 1 and 3, t 12.706, deviation
// sqrt(2) / sqrt(2).
TEST(CrossedInterval, WithoutVariationOfClipsIsTheOneOverRuns) {
  const std::vector<Matrix<double>> values = {Matrix<double>(2, 3, {0, 1, 2, 4, 3, 2})};
  EXPECT_NEAR(crossed_interval(values).half_width, 12.706205, 1e-6);
}

// Run and clip means are all 1, so only the interaction remains: 4 / (6 - 1 - 2 - 1) / 6.
TEST(CrossedInterval, IsNoPointIfRunsAgreeByChance) {
  const std::vector<Matrix<double>> values = {Matrix<double>(2, 3, {0, 1, 2, 2, 1, 0})};
  EXPECT_NEAR(crossed_interval(values).half_width, 4.302653 * std::sqrt(1.0 / 3), 1e-6);
}

TEST(CrossedInterval, OfOneRunIsTheOneOverClips) {
  const std::vector<double> clips = {0.5, 0, 1, 0.25};
  const std::vector<Matrix<double>> values = {Matrix<double>(1, 4, clips)};
  EXPECT_DOUBLE_EQ(crossed_interval(values).half_width, mean_interval(clips).half_width);
}

// Means 3 and 0; a = 0, b = 4/3 + 4/3, c = 1/3 + 1/3, each with 2 + 2 degrees of freedom.
TEST(CrossedInterval, OfTwoDataSetsIsOfTheMeanOfTheirMeans) {
  const std::vector<Matrix<double>> values = {Matrix<double>(2, 3, {1, 2, 6, 1, 4, 4}),
                                              Matrix<double>(2, 3, {-2, -1, 3, -2, 1, 1})};
  const Interval interval = crossed_interval(values);
  EXPECT_DOUBLE_EQ(interval.mean, 1.5);
  EXPECT_NEAR(interval.half_width, 2.776445 * std::sqrt(8.0 / 3) / 2, 1e-6);
}

TEST(CrossedInterval, OfOneRunAndOneClipHasNoWidth) {
  const std::vector<Matrix<double>> values = {Matrix<double>(1, 1, {0.5})};
  EXPECT_TRUE(std::isnan(crossed_interval(values).half_width));
}

TEST(CrossedInterval, EqualsAnAnalysisOfVariance) {
  for (const Json& each : golden("crossed")) {
    std::vector<Matrix<double>> datasets;
    for (const Json& rows : each["datasets"]) datasets.push_back(matrix_of(rows));
    const Interval interval = crossed_interval(datasets);
    EXPECT_NEAR(interval.mean, each["mean"], 1e-12);
    EXPECT_NEAR(interval.half_width, each["half_width"], 1e-9);
  }
}

// The share of samples whose interval contains the true mean, 0.
double coverage(std::size_t runs, double run_deviation, double clip_deviation) {
  constexpr int kSamples = 2000;
  constexpr std::size_t kClips = 40;
  Random random(1);
  int covered = 0;
  for (int n = 0; n < kSamples; ++n) {
    std::vector<Matrix<double>> values = {Matrix<double>(runs, kClips)};
    std::vector<double> of_clip(kClips);
    for (double& value : of_clip) value = clip_deviation * random.normal();
    for (std::size_t s = 0; s < runs; ++s) {
      const double of_run = run_deviation * random.normal();
      for (std::size_t i = 0; i < kClips; ++i) {
        values[0](s, i) = of_run + of_clip[i] + random.normal();
      }
    }
    const Interval interval = crossed_interval(values);
    if (interval.low() <= 0 && interval.high() >= 0) ++covered;
  }
  return static_cast<double>(covered) / kSamples;
}

TEST(CrossedInterval, ContainsTheTrueMeanInAtLeastAbout95Of100Samples) {
  for (const std::size_t runs : {2, 3, 5}) {
    for (const double of_runs : {0.1, 1.0}) {
      for (const double of_clips : {0.0, 2.0}) {
        const double share = coverage(runs, of_runs, of_clips);
        EXPECT_GT(share, 0.935) << runs << " " << of_runs << " " << of_clips;
        EXPECT_LT(share, 0.995) << runs << " " << of_runs << " " << of_clips;
      }
    }
  }
}

}  // namespace
}  // namespace manyverbs
