// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/coverage.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

// Clips of two classes whose first class, the label, has the given share.
Matrix<float> with_label_shares(const std::vector<float>& shares) {
  Matrix<float> probabilities(shares.size(), 2);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    probabilities(i, 0) = shares[i];
    probabilities(i, 1) = 1 - shares[i];
  }
  return probabilities;
}

CoverageRule rule_of(const std::vector<float>& label_shares, double coverage) {
  return coverage_rule(with_label_shares(label_shares),
                       std::vector<ClassId>(label_shares.size(), 0), coverage);
}

std::string problem(std::size_t clips, double coverage) {
  try {
    rule_of(std::vector<float>(clips, .5F), coverage);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

CoverageRule at_least(double share) { return {0.9, share, 100}; }

TEST(CoverageRule, AsWorkedInTheHeader) {
  const CoverageRule rule = rule_of({.5F, .1F, .4F, .25F}, 0.6);
  EXPECT_EQ(rule.least_share, .25);
  EXPECT_EQ(rule.coverage, 0.6);
  EXPECT_EQ(rule.clips, 4);
}

TEST(CoverageRule, SharesDoNotDependOnTheScaleOfAClip) {
  const std::vector<ClassId> labels = {0, 0};
  const Matrix<float> probabilities(2, 3, {.5F, .25F, .25F, .02F, .01F, .01F});
  EXPECT_DOUBLE_EQ(coverage_rule(probabilities, labels, 0.6).least_share, 0.5);
  EXPECT_EQ(covering_set(std::vector<float>{.02F, .01F, .01F}, at_least(.3)),
            covering_set(std::vector<float>{.8F, .4F, .4F}, at_least(.3)));
}

// 10 x 0.7 is 7 and 100 x 0.07 is 7, although both products are above 7 in double or could be.
TEST(CoverageRule, RoundingDoesNotRequireAnotherLabel) {
  std::vector<float> shares;
  for (int i = 1; i <= 99; ++i) shares.push_back(static_cast<float>(100 - i) / 128);
  EXPECT_EQ(rule_of(shares, 0.07).least_share, 93.0 / 128);
  EXPECT_EQ(rule_of(shares, 0.56).least_share, 44.0 / 128);
  EXPECT_EQ(rule_of(shares, 0.99).least_share, 1.0 / 128);
  EXPECT_EQ(rule_of(shares, 0.0701).least_share, 92.0 / 128);
}

TEST(CoverageRule, TooFewClipsAreAnErrorBecauseSetsWouldHaveAllClasses) {
  EXPECT_EQ(problem(8, 0.9), "a coverage of 0.9 requires 9 or more validation clips, found 8");
  EXPECT_EQ(problem(9, 0.9), "");
  EXPECT_EQ(problem(98, 0.99), "a coverage of 0.99 requires 99 or more validation clips, found 98");
  EXPECT_EQ(problem(99, 0.99), "");
  EXPECT_EQ(problem(1, 0.7), "a coverage of 0.7 requires 3 or more validation clips, found 1");
  EXPECT_EQ(problem(0, 0.1), "a coverage of 0.1 requires 1 or more validation clips, found 0");
}

TEST(CoverageRule, AnInvalidCoverageIsAnError) {
  for (const double coverage : {0.0, 1.0, -0.5, 90.0, std::nan("")}) {
    EXPECT_EQ(problem(1000, coverage),
              fmt::format("invalid coverage {}; expected a number above 0 and below 1", coverage));
  }
}

TEST(CoverageRule, ANanProbabilityIsAnError) {
  Matrix<float> probabilities(20, 2, .5F);
  probabilities(3, 1) = std::nanf("");
  EXPECT_THROW(coverage_rule(probabilities, std::vector<ClassId>(20, 0), 0.5), Error);
}

TEST(CoveringSet, AsWorkedInTheHeader) {
  const std::vector<float> probabilities = {.8F, .4F, .4F};
  EXPECT_EQ(covering_set(probabilities, at_least(.25)), (std::vector<ClassId>{0, 1, 2}));
  EXPECT_EQ(covering_set(probabilities, at_least(.3)), (std::vector<ClassId>{0}));
}

TEST(CoveringSet, IsOrderedByProbabilityAndNeverEmpty) {
  const std::vector<float> probabilities = {.1F, .2F, .6F, .1F};
  EXPECT_EQ(covering_set(probabilities, at_least(.15)), (std::vector<ClassId>{2, 1}));
  EXPECT_EQ(covering_set(probabilities, at_least(.9)), (std::vector<ClassId>{2}));
}

TEST(CoveringSet, HasAllOrOneClassIfAllProbabilitiesAreZero) {
  const std::vector<float> zeros(4, 0.0F);
  EXPECT_EQ(covering_set(zeros, at_least(.25)), (std::vector<ClassId>{0, 1, 2, 3}));
  EXPECT_EQ(covering_set(zeros, at_least(.26)), (std::vector<ClassId>{0}));
}

TEST(MeasuredCoverage, AsWorkedInTheHeader) {
  const Matrix<float> probabilities(2, 3, {.5F, .1F, .4F, .1F, .8F, .1F});
  const std::vector<std::vector<ClassId>> labels = {{0}, {1, 2}};
  const MeasuredCoverage measured = measured_coverage(probabilities, labels, at_least(.3));
  EXPECT_EQ(measured.covered, 0.75);
  EXPECT_EQ(measured.labels_per_set, 1.5);
  EXPECT_EQ(measured.clips_with_several, 1);
  EXPECT_EQ(measured.rule.least_share, .3);
}

TEST(MeasuredCoverage, ClipsWithoutLabelsCountOnlyInTheSizeOfSets) {
  const Matrix<float> probabilities(2, 2, {.5F, .5F, .9F, .1F});
  const std::vector<std::vector<ClassId>> labels = {{}, {0}};
  const MeasuredCoverage measured = measured_coverage(probabilities, labels, at_least(.3));
  EXPECT_EQ(measured.covered, 1);
  EXPECT_EQ(measured.labels_per_set, 1.5);
}

TEST(MeasuredCoverage, IsNanWithoutClips) {
  const MeasuredCoverage measured = measured_coverage(Matrix<float>(0, 2), {}, at_least(.3));
  EXPECT_TRUE(std::isnan(measured.covered));
  EXPECT_TRUE(std::isnan(measured.labels_per_set));
}

// 40 clips give the rules, 10 others have sets.
TEST(Coverage, IsThatOfAnIndependentImplementation) {
  const Json golden =
      read_json(std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden" / "coverage.json");
  const std::size_t clips = golden["clips"];
  const auto rows = golden["probabilities"].get<std::vector<std::vector<float>>>();
  const auto labels = golden["labels"].get<std::vector<ClassId>>();
  const auto part = [&](std::size_t begin, std::size_t end) {
    std::vector<float> values;
    for (std::size_t i = begin; i < end; ++i) {
      values.insert(values.end(), rows[i].begin(), rows[i].end());
    }
    return Matrix<float>(end - begin, rows[0].size(), values);
  };
  const Matrix<float> others = part(clips, rows.size());
  std::vector<std::vector<ClassId>> other_labels;
  for (std::size_t i = clips; i < rows.size(); ++i) other_labels.push_back({labels[i]});
  for (const Json& expected : golden["rules"]) {
    const CoverageRule rule =
        coverage_rule(part(0, clips), std::span(labels).first(clips), expected["coverage"]);
    EXPECT_NEAR(rule.least_share, expected["least_share"], 1e-12);
    for (std::size_t i = 0; i < others.rows(); ++i) {
      std::vector<ClassId> set = covering_set(others.row(i), rule);
      std::sort(set.begin(), set.end());
      EXPECT_EQ(set, expected["sets"][i].get<std::vector<ClassId>>()) << i;
    }
    const MeasuredCoverage measured = measured_coverage(others, other_labels, rule);
    EXPECT_NEAR(measured.covered, expected["covered"], 1e-12);
    EXPECT_NEAR(measured.labels_per_set, expected["labels_per_set"], 1e-12);
  }
}

// The model is bad on purpose: its probabilities are the true ones to the power of a random number.
// On average over rules, the coverage is k / (N + 1) = 46 / 51.
TEST(Coverage, HoldsForAnyModelOnAverageOverRules) {
  constexpr std::size_t kClips = 50;
  constexpr int kRules = 400;
  Random random(3);
  double covered = 0;
  for (int r = 0; r < kRules; ++r) {
    Matrix<float> probabilities(kClips + 1, 5);
    std::vector<ClassId> labels;
    for (std::size_t i = 0; i < probabilities.rows(); ++i) {
      double sum = 0;
      for (float& value : probabilities.row(i)) sum += value = static_cast<float>(random.uniform());
      double left = random.uniform() * sum;
      ClassId label = 0;
      while (label < 4 && (left -= probabilities(i, label)) > 0) ++label;
      labels.push_back(label);
      const double power = 4 * random.uniform();
      for (float& value : probabilities.row(i)) value = std::pow(value, static_cast<float>(power));
    }
    const Matrix<float> known(
        kClips, 5, {probabilities.data(), probabilities.data() + kClips * probabilities.columns()});
    const CoverageRule rule = coverage_rule(known, std::span(labels).first(kClips), 0.9);
    const std::vector<ClassId> set = covering_set(probabilities.row(kClips), rule);
    covered += std::count(set.begin(), set.end(), labels[kClips]);
  }
  EXPECT_NEAR(covered / kRules, 46.0 / 51, 0.03);
}

}  // namespace
}  // namespace manyverbs
