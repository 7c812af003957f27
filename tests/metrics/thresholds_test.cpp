// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/thresholds.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "manyverbs/support/error.h"
#include "tests/metrics/examples.h"

namespace manyverbs {
namespace {

double mean_above(const Matrix<float>& scores, double threshold) {
  const auto count = std::count_if(scores.values().begin(), scores.values().end(),
                                   [&](float score) { return score > threshold; });
  return static_cast<double>(count) / static_cast<double>(scores.rows());
}

// All possible thresholds, highest first.
std::vector<double> all_cuts(const Matrix<float>& scores) {
  const std::set<float, std::greater<>> distinct(scores.values().begin(), scores.values().end());
  std::vector<double> cuts = {*distinct.begin()};
  for (auto at = distinct.begin(); std::next(at) != distinct.end(); ++at) {
    cuts.push_back((static_cast<double>(*at) + *std::next(at)) / 2);
  }
  cuts.push_back(*distinct.rbegin() - 1.0);
  return cuts;
}

TEST(ThresholdForCount, IsHalfWayBetweenAdjacentScores) {
  EXPECT_DOUBLE_EQ(threshold_for_count(Matrix<float>(1, 3, {.9F, .6F, .4F}), 2),
                   (double{.6F} + .4F) / 2);
  EXPECT_EQ(threshold_for_count(Matrix<float>(2, 2, {.25F, .5F, .75F, 1}), 1), 0.625);
}

TEST(ThresholdForCount, OfEqualScoresNoneOrAllAreAbove) {
  const Matrix<float> scores(1, 3, {.9F, .6F, .6F});
  EXPECT_DOUBLE_EQ(threshold_for_count(scores, 1.5), (double{.9F} + .6F) / 2);
  EXPECT_EQ(mean_above(scores, threshold_for_count(scores, 2)), 1);
  EXPECT_EQ(mean_above(scores, threshold_for_count(scores, 2.1)), 3);
}

TEST(ThresholdForCount, IsTheMaximumScoreIfNoLabelIsNearest) {
  EXPECT_EQ(threshold_for_count(Matrix<float>(1, 4, 0.5F), 1), 0.5);
}

TEST(ThresholdForCount, IsBelowTheMinimumScoreForAllLabels) {
  EXPECT_LT(threshold_for_count(Matrix<float>(1, 2, {0, 1e30F}), 2), 0);
  EXPECT_LT(threshold_for_count(Matrix<float>(1, 1, -1e30F), 1), -1e30);
}

TEST(ThresholdForCount, IsTheNearestOfAllThresholds) {
  for (const int levels : {3, 20, 100000}) {
    const Matrix<float> scores = random_example(levels, 37, 11, levels).scores;
    for (const double labels : {0.01, 0.5, 1.0, 2.3, 7.77, 10.99, 11.0}) {
      double nearest = 11;
      for (const double cut : all_cuts(scores)) {
        nearest = std::min(nearest, std::abs(mean_above(scores, cut) - labels));
      }
      const double found = mean_above(scores, threshold_for_count(scores, labels));
      EXPECT_NEAR(std::abs(found - labels), nearest, 1e-12) << levels << " " << labels;
    }
  }
}

TEST(ThresholdForCount, IsNanWithoutClips) {
  EXPECT_TRUE(std::isnan(threshold_for_count(Matrix<float>(0, 3), 1)));
}

TEST(ThresholdForCount, RejectsAnInvalidCount) {
  const Matrix<float> scores(1, 3, {.9F, .6F, .4F});
  for (const double labels : {0.0, -1.0, 3.1, std::nan("")}) {
    EXPECT_THROW(threshold_for_count(scores, labels), Error) << labels;
  }
}

TEST(BestThresholds, AsWorkedInTheHeader) {
  const Matrix<float> scores(1, 3, {.9F, .6F, .4F});
  const BestThresholds best = best_thresholds(scores, truth_of(1, 3, {1, 0, 1}));
  EXPECT_DOUBLE_EQ(best.f1.f1, 4.0 / 5);
  EXPECT_DOUBLE_EQ(best.iou.iou, 2.0 / 3);
  EXPECT_LT(best.f1.threshold, .4F);
  EXPECT_EQ(best.f1.predicted_labels, 3);
}

TEST(BestThresholds, F1AndIouHaveTheirOwn) {
  const Golden golden = read_golden();
  const BestThresholds best = best_thresholds(golden.scores, golden.truth);
  EXPECT_EQ(best.f1.threshold, golden.json["best_f1"]["threshold"]);
  EXPECT_NEAR(best.f1.f1, golden.json["best_f1"]["f1"], 1e-12);
  EXPECT_NEAR(best.f1.iou, golden.json["best_f1"]["iou"], 1e-12);
  EXPECT_EQ(best.iou.threshold, golden.json["best_iou"]["threshold"]);
  EXPECT_NEAR(best.iou.iou, golden.json["best_iou"]["iou"], 1e-12);
  EXPECT_NE(best.f1.threshold, best.iou.threshold);
}

TEST(BestThresholds, NoThresholdIsBetter) {
  for (const int levels : {2, 7, 100000}) {
    const Example example = random_example(levels, 300, 12, levels);
    const BestThresholds best = best_thresholds(example.scores, example.truth);
    double best_f1 = 0;
    double best_iou = 0;
    for (const double cut : all_cuts(example.scores)) {
      const ThresholdMetrics metrics = at_threshold(example.scores, example.truth, cut);
      best_f1 = std::max(best_f1, metrics.f1);
      best_iou = std::max(best_iou, metrics.iou);
    }
    EXPECT_NEAR(best.f1.f1, best_f1, 1e-12) << levels;
    EXPECT_NEAR(best.iou.iou, best_iou, 1e-12) << levels;
  }
}

TEST(BestThresholds, AreFoundBelowManyWrongScores) {
  // 2,000 clips whose true class has the second lowest score: all higher thresholds score zero.
  Matrix<float> scores(2000, 20, .9F);
  LabelMatrix truth(2000, 20);
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    scores(i, 3) = .2F;
    scores(i, 5) = .1F;
    truth(i, 3) = Label::Present;
  }
  const BestThresholds best = best_thresholds(scores, truth);
  EXPECT_DOUBLE_EQ(best.f1.threshold, (double{.2F} + .1F) / 2);
  EXPECT_NEAR(best.iou.iou, 1.0 / 19, 1e-12);
}

TEST(BestThresholds, OfEqualOnesTheHighestIsTaken) {
  const Matrix<float> scores(2, 2, {.75F, .5F, .25F, .5F});
  const BestThresholds best = best_thresholds(scores, truth_of(2, 2, {1, 0, 0, 0}));
  EXPECT_EQ(best.f1.f1, 1);
  EXPECT_EQ(best.f1.threshold, .625);
}

TEST(BestThresholds, AreNanWhenNothingIsTrue) {
  for (const std::size_t clips : {0, 2}) {
    const BestThresholds best =
        best_thresholds(Matrix<float>(clips, 2, .5F), LabelMatrix(clips, 2));
    EXPECT_TRUE(std::isnan(best.f1.threshold));
    EXPECT_TRUE(std::isnan(best.f1.f1));
    EXPECT_TRUE(std::isnan(best.iou.iou));
    EXPECT_TRUE(std::isnan(best.iou.predicted_labels));
  }
}

}  // namespace
}  // namespace manyverbs
