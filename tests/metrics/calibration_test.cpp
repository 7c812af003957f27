// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/calibration.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

using Labels = std::vector<std::vector<ClassId>>;

TEST(IsotonicFit, AsWorkedInTheHeader) {
  const StepFunction fit =
      isotonic_fit(std::vector<float>{.4F, .1F, .3F, .2F}, {true, false, false, true});
  EXPECT_EQ(fit.from, (std::vector<float>{.1F, .2F, .4F}));
  EXPECT_EQ(fit.values, (std::vector<double>{0, .5, 1}));
  EXPECT_EQ(fit.at(.05F), 0);
  EXPECT_EQ(fit.at(.1F), 0);
  EXPECT_EQ(fit.at(.35F), .5);
  EXPECT_EQ(fit.at(.4F), 1);
  EXPECT_EQ(fit.at(.9F), 1);
}

TEST(IsotonicFit, EqualScoresHaveOneValueInAnyOrder) {
  const std::vector<float> scores = {.5F, .5F, .5F, .75F};
  const StepFunction first = isotonic_fit(scores, {true, false, false, true});
  EXPECT_EQ(first.from, (std::vector<float>{.5F, .75F}));
  EXPECT_EQ(first.values, (std::vector<double>{1.0 / 3, 1}));
  EXPECT_EQ(isotonic_fit(scores, {false, false, true, true}).values, first.values);
}

TEST(IsotonicFit, FallingHitsArePooledToTheirMean) {
  const StepFunction fit =
      isotonic_fit(std::vector<float>{.1F, .2F, .3F, .4F}, {true, true, false, false});
  EXPECT_EQ(fit.from, std::vector<float>{.1F});
  EXPECT_EQ(fit.values, std::vector<double>{.5});
}

TEST(Presence, AsWorkedInTheHeader) {
  const Matrix<float> even(1, 3, {.5F, .5F, 0});
  EXPECT_DOUBLE_EQ(presence_factor(even, 2), 2);
  EXPECT_DOUBLE_EQ(presence_factor(even, 1), 1);
  const Matrix<float> uneven(1, 3, {.6F, .3F, .1F});
  const double factor = presence_factor(uneven, 2);
  EXPECT_NEAR(factor, 2.5, 1e-6);
  const Matrix<float> made = presences(uneven, factor);
  EXPECT_FLOAT_EQ(made(0, 0), 1);
  EXPECT_FLOAT_EQ(made(0, 1), .75F);
  EXPECT_FLOAT_EQ(made(0, 2), .25F);
}

TEST(Presence, SumsToTheExpectedNumberOfLabelsOverAllClips) {
  const Matrix<float> sigmoids(3, 4,
                               {.9F, .8F, .1F, .2F, .05F, .01F, .02F, .9F, .3F, .3F, .3F, .3F});
  for (const double labels : {.1, 1.0, 1.7, 2.5, 3.9, 4.0}) {
    const Matrix<float> made = presences(sigmoids, presence_factor(sigmoids, labels));
    double sum = 0;
    for (const float value : made.values()) sum += value;
    EXPECT_NEAR(sum / 3, labels, 1e-5) << labels;
  }
}

TEST(Presence, IsInfiniteTimesTheShareIfTooFewClassesHaveOne) {
  const Matrix<float> sure(1, 2, {1, 0});
  EXPECT_EQ(presence_factor(sure, 2), std::numeric_limits<double>::infinity());
  EXPECT_EQ(presences(sure, presence_factor(sure, 2)), sure);
}

TEST(Presence, AnImpossibleNumberOfLabelsIsAnError) {
  EXPECT_TRUE(std::isnan(presence_factor(Matrix<float>(0, 2), 1)));
  for (const double labels : {0.0, -1.0, 2.5, std::nan("")}) {
    EXPECT_THROW(presence_factor(Matrix<float>(1, 2, .5F), labels), Error) << labels;
  }
}

// The only label of 20 clips has weight 20 / 40, the others 0.
TEST(Calibration, AClassWithManyLabelsHasMoreWeight) {
  const Calibration fit = calibration(Matrix<float>(20, 2, .5F), std::vector<ClassId>(20, 1));
  EXPECT_EQ(fit.weights, (std::vector<double>{0, .5}));
  EXPECT_EQ(fit.common.values, std::vector<double>{.5});
  EXPECT_EQ(fit.classes[1].values, std::vector<double>{1});
  // Class 0: the common 1/2. Class 1: 1/2 x 1 + 1/2 x 1/2.
  const Matrix<float> made = label_probabilities(Matrix<float>(1, 2, .5F), fit);
  EXPECT_FLOAT_EQ(made(0, 0), .4F);
  EXPECT_FLOAT_EQ(made(0, 1), .6F);
}

TEST(Calibration, LabelProbabilitiesAreEqualIfNoneIsAboveZero) {
  const Matrix<float> known(2, 2, {.9F, .1F, .1F, .9F});
  const Calibration fit = calibration(known, std::vector<ClassId>{0, 1});
  EXPECT_EQ(label_probabilities(Matrix<float>(1, 2, .1F), fit), Matrix<float>(1, 2, .5F));
}

TEST(Calibration, InvalidInputIsAnError) {
  EXPECT_THROW(calibration(Matrix<float>(0, 2), {}), Error);
  Matrix<float> probabilities(2, 2, .5F);
  const Calibration fit = calibration(probabilities, std::vector<ClassId>{0, 1});
  probabilities(1, 1) = std::nanf("");
  EXPECT_THROW(calibration(probabilities, std::vector<ClassId>{0, 1}), Error);
  EXPECT_THROW(label_probabilities(probabilities, fit), Error);
}

TEST(Calibration, IsThatOfAnIndependentImplementation) {
  const Json golden =
      read_json(std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden" / "calibration.json");
  const std::size_t clips = golden["clips"];
  const auto rows = golden["probabilities"].get<std::vector<std::vector<float>>>();
  const auto labels = golden["labels"].get<std::vector<ClassId>>();
  std::vector<float> known;
  std::vector<float> others;
  Labels other_labels;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<float>& part = i < clips ? known : others;
    part.insert(part.end(), rows[i].begin(), rows[i].end());
    if (i >= clips) other_labels.push_back({labels[i]});
  }
  const std::size_t classes = rows[0].size();
  const Calibration fit =
      calibration(Matrix<float>(clips, classes, known), std::span(labels).first(clips));
  const Json& common = golden["common"];
  for (std::size_t i = 0; i < common[0].size(); ++i) {
    EXPECT_NEAR(fit.common.at(common[0][i]), common[1][i], 1e-12);
  }
  const Matrix<float> scores(rows.size() - clips, classes, others);
  const Matrix<float> made = label_probabilities(scores, fit);
  for (std::size_t i = 0; i < made.rows(); ++i) {
    for (std::size_t c = 0; c < classes; ++c) {
      EXPECT_NEAR(made(i, c), golden["label_probabilities"][i][c], 1e-6) << i << " " << c;
    }
  }
  const LabelProbabilityErrors errors = measured_calibration(scores, other_labels, fit).after;
  EXPECT_NEAR(errors.calibration, golden["error"], 1e-6);
  EXPECT_NEAR(errors.brier, golden["brier"], 1e-6);
}

TEST(LabelProbabilityErrors, AsWorkedInTheHeader) {
  const Matrix<float> row(1, 2, {.8F, .2F});
  const LabelProbabilityErrors one = label_probability_errors(row, Labels{{0}});
  EXPECT_NEAR(one.calibration, .2, 1e-6);
  EXPECT_NEAR(one.brier, .08, 1e-6);
  const LabelProbabilityErrors two = label_probability_errors(row, Labels{{0, 1}});
  EXPECT_NEAR(two.calibration, .3, 1e-6);
  EXPECT_NEAR(two.brier, .68, 1e-6);
}

TEST(LabelProbabilityErrors, ErrorsCancelWithinABinOnly) {
  // .75 is in one bin: right in 3 of 4 clips, so calibrated.
  const Matrix<float> same(4, 2, {.75F, .25F, .75F, .25F, .75F, .25F, .75F, .25F});
  EXPECT_EQ(label_probability_errors(same, Labels{{0}, {0}, {0}, {1}}).calibration, 0);
  // 1 and .5 are in two: too high by .5 on half of the clips, too low by .5 on the others.
  const Matrix<float> apart(4, 2, {1, 0, 1, 0, .5F, .5F, .5F, .5F});
  EXPECT_EQ(label_probability_errors(apart, Labels{{0}, {1}, {0}, {0}}).calibration, .5);
}

TEST(LabelProbabilityErrors, AreNanWithoutClips) {
  const LabelProbabilityErrors errors = label_probability_errors(Matrix<float>(0, 2), {});
  EXPECT_TRUE(std::isnan(errors.calibration));
  EXPECT_TRUE(std::isnan(errors.brier));
}

TEST(MeasuredCalibration, BeforeIsOfTheSharesOfTheProbabilities) {
  const Matrix<float> scores(1, 2, {.4F, .1F});
  const Calibration fit = calibration(Matrix<float>(20, 2, .5F), std::vector<ClassId>(20, 1));
  const MeasuredCalibration measured = measured_calibration(scores, Labels{{0}}, fit);
  EXPECT_NEAR(measured.before.brier, .08, 1e-6);
  EXPECT_NEAR(measured.after.brier, .72, 1e-6);
}

}  // namespace
}  // namespace manyverbs
