// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/metrics.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "manyverbs/support/error.h"
#include "tests/metrics/examples.h"

namespace manyverbs {
namespace {

TEST(Metrics, TopOneIsTheShareOfClipsWhoseBestClassIsTrue) {
  const Matrix<float> scores(3, 2, {.9F, .1F, .2F, .3F, .6F, .5F});
  EXPECT_DOUBLE_EQ(top1_accuracy(scores, truth_of(3, 2, {1, 0, 1, 1, 0, 1})), 2.0 / 3);
}

TEST(Metrics, OfEqualScoresTheLowerClassRanksFirst) {
  const Matrix<float> scores(1, 3, {.5F, .5F, .4F});
  EXPECT_EQ(top1_accuracy(scores, truth_of(1, 3, {1, 0, 0})), 1);
  EXPECT_EQ(top1_accuracy(scores, truth_of(1, 3, {0, 1, 0})), 0);
  EXPECT_EQ(top_set_accuracy(scores, truth_of(1, 3, {0, 1, 0})), 0);
  const Matrix<float> zeros(1, 2, {-0.0F, 0.0F});
  EXPECT_EQ(top_set_accuracy(zeros, truth_of(1, 2, {1, 0})), 1);
}

TEST(Metrics, TopSetUsesTheNumberOfTrueClasses) {
  const Matrix<float> scores(2, 3, {.9F, .5F, .4F, -3, -2, -1});
  EXPECT_EQ(top_set_accuracy(Matrix<float>(1, 3, {.9F, .5F, .4F}), truth_of(1, 3, {1, 0, 1})), 0.5);
  EXPECT_EQ(top_set_accuracy(scores, truth_of(2, 3, {1, 0, 1, 0, 0, 1})), 0.75);
  EXPECT_EQ(top_set_accuracy(scores, truth_of(2, 3, {1, 1, 1, 0, 1, 1})), 1);
}

TEST(Metrics, IouAndF1OfOneClipAsWorkedInTheHeader) {
  const Matrix<float> scores(1, 3, {.9F, .6F, .4F});
  const ThresholdMetrics metrics = at_threshold(scores, truth_of(1, 3, {1, 0, 1}), 0.5);
  EXPECT_EQ(metrics.threshold, 0.5);
  EXPECT_DOUBLE_EQ(metrics.iou, 1.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.f1, 1.0 / 2);
  EXPECT_EQ(metrics.predicted_labels, 2);
}

TEST(Metrics, AScoreOnTheThresholdIsNotPredicted) {
  const Matrix<float> scores(1, 2, {.5F, std::nextafter(.5F, 1.F)});
  EXPECT_EQ(at_threshold(scores, truth_of(1, 2, {1, 0}), 0.5).predicted_labels, 1);
}

TEST(Metrics, NoPredictionIsZeroIfSomethingIsTrue) {
  const ThresholdMetrics metrics =
      at_threshold(Matrix<float>(2, 2, .3F), truth_of(2, 2, {1, 0, 1, 1}), 0.5);
  EXPECT_EQ(metrics.iou, 0);
  EXPECT_EQ(metrics.f1, 0);
  EXPECT_EQ(metrics.predicted_labels, 0);
}

TEST(Metrics, ReciprocalRankIsAGeometricMean) {
  EXPECT_DOUBLE_EQ(reciprocal_rank(Matrix<float>(1, 3, {.9F, .5F, .4F}), truth_of(1, 3, {0, 1, 0})),
                   0.5);
  const Matrix<float> two(2, 4, {.9F, .5F, .4F, .3F, .9F, .5F, .4F, .3F});
  EXPECT_DOUBLE_EQ(reciprocal_rank(two, truth_of(2, 4, {1, 0, 0, 0, 0, 0, 0, 1})), 0.5);
  // Of a clip with several true classes, each counts: ranks 1 and 2, then 2.
  EXPECT_DOUBLE_EQ(reciprocal_rank(two, truth_of(2, 4, {1, 1, 0, 0, 0, 1, 0, 0})),
                   std::exp(-(std::log(2.0) / 2 + std::log(2.0)) / 2));
}

TEST(Metrics, EqualScoresCountHalfInARank) {
  const Matrix<float> equal(1, 4, {.5F, .5F, .5F, .5F});
  EXPECT_DOUBLE_EQ(reciprocal_rank(equal, truth_of(1, 4, {0, 1, 0, 0})), 1 / 2.5);
}

TEST(Metrics, ClipsWithoutATrueClassAreIgnored) {
  const Matrix<float> scores(2, 2, {.9F, .1F, .9F, .8F});
  const LabelMatrix truth = truth_of(2, 2, {1, 0, 0, 0});
  EXPECT_EQ(top1_accuracy(scores, truth), 1);
  EXPECT_EQ(top_set_accuracy(scores, truth), 1);
  EXPECT_EQ(reciprocal_rank(scores, truth), 1);
  const ThresholdMetrics metrics = at_threshold(scores, truth, 0.5);
  EXPECT_EQ(metrics.iou, 1);
  EXPECT_EQ(metrics.f1, 1);
  EXPECT_EQ(metrics.predicted_labels, 1.5);
}

TEST(Metrics, AreNanWhenNothingIsTrueOrThereIsNoClip) {
  const Matrix<float> scores(1, 2, {.9F, .1F});
  const LabelMatrix nothing = truth_of(1, 2, {0, 0});
  EXPECT_TRUE(std::isnan(top1_accuracy(scores, nothing)));
  EXPECT_TRUE(std::isnan(top_set_accuracy(scores, nothing)));
  EXPECT_TRUE(std::isnan(reciprocal_rank(scores, nothing)));
  EXPECT_TRUE(std::isnan(at_threshold(scores, nothing, 0.5).iou));
  EXPECT_TRUE(std::isnan(at_threshold(scores, nothing, 0.5).f1));
  const Matrix<float> no_clip(0, 2);
  const LabelMatrix no_truth(0, 2);
  EXPECT_TRUE(std::isnan(top1_accuracy(no_clip, no_truth)));
  EXPECT_TRUE(std::isnan(top_set_accuracy(no_clip, no_truth)));
  EXPECT_TRUE(std::isnan(at_threshold(no_clip, no_truth, 0.5).f1));
  EXPECT_TRUE(std::isnan(at_threshold(no_clip, no_truth, 0.5).predicted_labels));
}

TEST(Metrics, AveragePrecisionIsTheAreaUnderTheSteps) {
  const std::vector<float> scores = {.9F, .8F, .1F};
  EXPECT_DOUBLE_EQ(average_precision(scores, labels_of({1, 0, 1})), (1 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(average_precision(scores, labels_of({1, 1, 0})), 1);
}

TEST(Metrics, InterpolationTakesTheBestPrecisionAtAHigherRecall) {
  const std::vector<float> scores = {.9F, .8F, .7F};
  EXPECT_DOUBLE_EQ(interpolated_average_precision(scores, labels_of({0, 1, 1})), 2.0 / 3);
  EXPECT_DOUBLE_EQ(average_precision(scores, labels_of({0, 1, 1})), 7.0 / 12);
}

TEST(Metrics, EqualScoresAreOneStepForAnyOrderOfClips) {
  const std::vector<float> scores = {.5F, .5F, .5F, .2F};
  for (const auto& truth : {labels_of({1, 0, 0, 1}), labels_of({0, 0, 1, 1})}) {
    EXPECT_DOUBLE_EQ(average_precision(scores, truth), (1.0 / 3 + 2.0 / 4) / 2);
    EXPECT_DOUBLE_EQ(interpolated_average_precision(scores, truth), 0.5);
  }
  const std::vector<float> zeros = {0.0F, -0.0F};
  EXPECT_DOUBLE_EQ(average_precision(zeros, labels_of({0, 1})), 0.5);
  EXPECT_DOUBLE_EQ(average_precision(zeros, labels_of({1, 0})), 0.5);
}

TEST(Metrics, AveragePrecisionIsNanWhenNothingIsTrue) {
  EXPECT_TRUE(std::isnan(average_precision(std::vector<float>{.9F}, labels_of({0}))));
  EXPECT_TRUE(std::isnan(interpolated_average_precision(std::vector<float>{.9F}, labels_of({0}))));
  EXPECT_TRUE(std::isnan(average_precision({}, {})));
}

TEST(Metrics, AClassAtAThresholdAsWorkedInTheHeader) {
  const Matrix<float> scores(3, 1, {.9F, .8F, .1F});
  const ClassMetrics metrics = class_metrics(scores, truth_of(3, 1, {1, 0, 1}), 0.5).at(0);
  EXPECT_EQ(metrics.positives, 2);
  EXPECT_EQ(metrics.precision, 0.5);
  EXPECT_EQ(metrics.recall, 0.5);
  EXPECT_DOUBLE_EQ(metrics.average_precision, (1 + 2.0 / 3) / 2);
}

TEST(Metrics, PrecisionIsNanWhenNothingIsPredictedAndRecallWhenNothingIsTrue) {
  const Matrix<float> scores(2, 2, {.1F, .9F, .2F, .1F});
  const auto metrics = class_metrics(scores, truth_of(2, 2, {1, 0, 0, 0}), 0.5);
  EXPECT_TRUE(std::isnan(metrics[0].precision));
  EXPECT_EQ(metrics[0].recall, 0);
  EXPECT_EQ(metrics[1].precision, 0);
  EXPECT_TRUE(std::isnan(metrics[1].recall));
  EXPECT_TRUE(std::isnan(metrics[1].average_precision));
  EXPECT_EQ(class_metrics(Matrix<float>(0, 2), LabelMatrix(0, 2), 0.5)[1].positives, 0);
}

TEST(Metrics, ScoresThatAreNotFiniteAreErrors) {
  Matrix<float> scores(2, 3);
  EXPECT_NO_THROW(require_finite(scores));
  scores(1, 2) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(require_finite(scores), Error);
  scores(1, 2) = -std::numeric_limits<float>::infinity();
  EXPECT_THROW(require_finite(scores), Error);
}

TEST(Metrics, AgreeWithScikitLearn) {
  const Golden golden = read_golden();
  EXPECT_NEAR(top1_accuracy(golden.scores, golden.truth), golden.json["top1"], 1e-12);
  EXPECT_NEAR(top_set_accuracy(golden.scores, golden.truth), golden.json["top_set"], 1e-12);
  for (const Json& expected : golden.json["thresholds"]) {
    const auto metrics = at_threshold(golden.scores, golden.truth, expected["threshold"]);
    EXPECT_NEAR(metrics.iou, expected["iou"], 1e-12);
    EXPECT_NEAR(metrics.f1, expected["f1"], 1e-12);
    EXPECT_NEAR(metrics.predicted_labels, expected["predicted_labels"], 1e-12);
  }
}

TEST(Metrics, OfClassesAgreeWithScikitLearn) {
  const Golden golden = read_golden();
  const auto classes = class_metrics(golden.scores, golden.truth, 0.5);
  ASSERT_EQ(classes.size(), golden.json["classes"].size());
  const auto expect = [](double value, const Json& expected) {
    EXPECT_EQ(std::isnan(value), expected.is_null());
    if (!expected.is_null()) {
      EXPECT_NEAR(value, expected, 1e-12);
    }
  };
  for (std::size_t j = 0; j < classes.size(); ++j) {
    const Json& expected = golden.json["classes"][j];
    EXPECT_EQ(classes[j].positives, expected["positives"]);
    expect(classes[j].precision, expected["precision"]);
    expect(classes[j].recall, expected["recall"]);
    expect(classes[j].average_precision, expected["ap"]);
    expect(classes[j].interpolated_average_precision, expected["ap_interpolated"]);
  }
}

}  // namespace
}  // namespace manyverbs
