// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/evaluation_json.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "manyverbs/metrics/internal/evaluation_json.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/parallel.h"
#include "tests/metrics/examples.h"

namespace manyverbs {
namespace {

const Matrix<float> kNoScores;

// Three clips and three classes of which the last is never true; quarters, so that all is exact.
Example small_example() {
  return {Matrix<float>(3, 3, {.75F, .5F, .125F, .625F, .25F, 0, .375F, .25F, .875F}),
          truth_of(3, 3, {1, 1, 0, 1, 0, 0, 0, 1, 0})};
}

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  return keys;
}

TEST(Evaluation, AgreesWithScikitLearn) {
  const Golden golden = read_golden();
  const Evaluation evaluation = evaluate(golden.scores, golden.truth, kNoScores);
  EXPECT_EQ(evaluation.clips, 60);
  EXPECT_NEAR(evaluation.top1, golden.json["top1"], 1e-12);
  EXPECT_NEAR(evaluation.top_set, golden.json["top_set"], 1e-12);
  EXPECT_NEAR(evaluation.map, golden.json["map"], 1e-12);
  EXPECT_NEAR(evaluation.map_interpolated, golden.json["map_interpolated"], 1e-12);
  EXPECT_EQ(evaluation.map_classes, golden.json["map_classes"]);
  EXPECT_NEAR(evaluation.fixed.f1, golden.json["thresholds"][2]["f1"], 1e-12);
  EXPECT_NEAR(evaluation.best.f1.f1, golden.json["best_f1"]["f1"], 1e-12);
}

// Above 0.5: {0}, {0} and {2} of true {0, 1}, {0} and {1}.
TEST(Evaluation, OfEachClipWorkedByHand) {
  const Example example = small_example();
  const Evaluation evaluation = evaluate(example.scores, example.truth, kNoScores);
  ASSERT_EQ(evaluation.per_clip.size(), 3);
  EXPECT_EQ(evaluation.per_clip[0].top_set, 1);
  EXPECT_EQ(evaluation.per_clip[0].top1, 1);
  EXPECT_EQ(evaluation.per_clip[0].iou, 0.5);
  EXPECT_DOUBLE_EQ(evaluation.per_clip[0].f1, 2.0 / 3);
  EXPECT_EQ(evaluation.per_clip[1].f1, 1);
  EXPECT_EQ(evaluation.per_clip[2].top1, 0);
  EXPECT_EQ(evaluation.per_clip[2].iou, 0);
}

TEST(Evaluation, TheMeanOverClipsWithATrueClassIsTheValueOfTheSplit) {
  Example example = random_example(3, 50, 8, 20);
  for (std::size_t j = 0; j < 8; ++j) example.truth(7, j) = Label::Absent;
  const Evaluation all = evaluate(example.scores, example.truth, kNoScores);
  const auto mean = [&](double ClipEvaluation::*value) {
    double sum = 0;
    int defined = 0;
    for (const ClipEvaluation& clip : all.per_clip) {
      if (std::isnan(clip.*value)) continue;
      sum += clip.*value;
      ++defined;
    }
    return sum / defined;
  };
  EXPECT_TRUE(std::isnan(all.per_clip[7].top1));
  EXPECT_NEAR(mean(&ClipEvaluation::top_set), all.top_set, 1e-12);
  EXPECT_NEAR(mean(&ClipEvaluation::top1), all.top1, 1e-12);
  EXPECT_NEAR(mean(&ClipEvaluation::iou), all.fixed.iou, 1e-12);
  EXPECT_NEAR(mean(&ClipEvaluation::f1), all.fixed.f1, 1e-12);
  EXPECT_NEAR(mean(&ClipEvaluation::expected_iou), all.expected.iou, 1e-12);
  EXPECT_NEAR(mean(&ClipEvaluation::expected_f1), all.expected.f1, 1e-12);
  EXPECT_NEAR(mean(&ClipEvaluation::best_iou), all.best.iou.iou, 1e-12);
  EXPECT_NEAR(mean(&ClipEvaluation::best_f1), all.best.f1.f1, 1e-12);
}

TEST(Evaluation, WithoutValidationScoresTheExpectedThresholdIsFoundOnTheScoresThemselves) {
  const Example example = small_example();
  const Evaluation evaluation = evaluate(example.scores, example.truth, kNoScores);
  EXPECT_DOUBLE_EQ(evaluation.expected_labels, 4.0 / 3);
  // Four scores of nine are above: .875 .75 .625 .5 | .375
  EXPECT_EQ(evaluation.expected.threshold, 0.4375);
  EXPECT_DOUBLE_EQ(evaluation.expected.predicted_labels, 4.0 / 3);
  EXPECT_DOUBLE_EQ(evaluation.expected.iou, 2.0 / 3);
}

TEST(Evaluation, TheExpectedThresholdIsFoundOnValidationScores) {
  const Example example = small_example();
  const Matrix<float> validation(2, 3, {.25F, .5F, .75F, 0, .5F, .125F});
  EvaluationSettings settings;
  settings.expected_labels = 0.5;
  const Evaluation evaluation = evaluate(example.scores, example.truth, validation, settings);
  EXPECT_EQ(evaluation.expected_labels, 0.5);
  EXPECT_EQ(evaluation.expected.threshold, 0.625);
  EXPECT_DOUBLE_EQ(evaluation.expected.predicted_labels, 2.0 / 3);
}

TEST(Evaluation, ClassesAreMeasuredAtTheFixedThreshold) {
  const Example example = small_example();
  EvaluationSettings settings;
  settings.threshold = 0.7;
  const Evaluation evaluation = evaluate(example.scores, example.truth, kNoScores, settings);
  EXPECT_EQ(evaluation.fixed.threshold, 0.7);
  EXPECT_EQ(evaluation.classes[0].precision, 1);
  EXPECT_EQ(evaluation.classes[0].recall, 0.5);
}

TEST(Evaluation, AllClassesTrueForAllClipsIsValid) {
  const Evaluation evaluation =
      evaluate(Matrix<float>(2, 1, {.2F, .7F}), truth_of(2, 1, {1, 1}), kNoScores);
  EXPECT_EQ(evaluation.expected.f1, 1);
  EXPECT_EQ(evaluation.expected.predicted_labels, 1);
}

TEST(Evaluation, IsUndefinedWithoutClips) {
  const Evaluation evaluation = evaluate(Matrix<float>(0, 2), LabelMatrix(0, 2), kNoScores);
  const Json json = to_json(evaluation, Vocabulary({"cut", "peel"}));
  EXPECT_EQ(json["clips"], 0);
  for (const char* key : {"true_labels", "top_set", "top1", "iou", "f1", "map", "map_interpolated",
                          "predicted_labels"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
  for (const auto& item : json["at_expected"].items()) EXPECT_TRUE(item.value().is_null());
  for (const auto& item : json["best"].items()) EXPECT_TRUE(item.value().is_null());
  EXPECT_TRUE(json["classes"][1]["ap"].is_null());
}

TEST(Evaluation, IsUndefinedIfNothingIsTrue) {
  const Evaluation evaluation = evaluate(Matrix<float>(2, 2, .5F), LabelMatrix(2, 2), kNoScores);
  EXPECT_EQ(evaluation.true_labels, 0);
  EXPECT_TRUE(std::isnan(evaluation.map));
  EXPECT_EQ(evaluation.map_classes, 0);
  EXPECT_TRUE(std::isnan(evaluation.expected.threshold));
}

TEST(Evaluation, RejectsInvalidInput) {
  Example example = small_example();
  EvaluationSettings settings;
  settings.expected_labels = -1;
  EXPECT_THROW(evaluate(example.scores, example.truth, kNoScores, settings), Error);
  settings.expected_labels = 4;
  EXPECT_THROW(evaluate(example.scores, example.truth, kNoScores, settings), Error);
  example.scores(1, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(evaluate(example.scores, example.truth, kNoScores), Error);
  EXPECT_THROW(evaluate(small_example().scores, example.truth, example.scores), Error);
}

TEST(Evaluation, AMeasuredCoverageIsInJsonAndTable) {
  const Example example = small_example();
  Evaluation evaluation = evaluate(example.scores, example.truth, kNoScores);
  EXPECT_EQ(table(evaluation).find("coverage"), std::string::npos);
  evaluation.coverage = {{0.975, .1, 40}, .925, 6.5, 0};
  EXPECT_EQ(to_json(evaluation, Vocabulary({"cut", "peel", "wash"}))["coverage"],
            (Json{{"requested", 0.975},
                  {"covered", .925},
                  {"labels_per_set", 6.5},
                  {"validation_clips", 40},
                  {"clips_with_several", 0}}));
  const std::string note =
      "coverage: label sets for 97.5 %, from the 40 validation clips, contain the label of 92.5 % "
      "of these clips, with 6.50 labels per set\n";
  EXPECT_TRUE(table(evaluation).ends_with(note));
  evaluation.coverage->clips_with_several = 2;
  EXPECT_TRUE(table(evaluation)
                  .ends_with(note + "2 of these clips have several labels and no original label: "
                                    "of each, the share of its "
                                    "labels in the set counts\n"));
}

TEST(Evaluation, AMeasuredCalibrationIsInJsonAndTable) {
  const Example example = small_example();
  Evaluation evaluation = evaluate(example.scores, example.truth, kNoScores);
  EXPECT_EQ(table(evaluation).find("calibration"), std::string::npos);
  evaluation.calibration = {{.25, .75}, {.125, .5}};
  EXPECT_EQ(to_json(evaluation, Vocabulary({"cut", "peel", "wash"}))["calibration"].dump(),
            R"({"before":{"error":0.25,"brier":0.75},"after":{"error":0.125,"brier":0.5}})");
  EXPECT_TRUE(table(evaluation)
                  .ends_with("label probabilities: calibration error 25.0 %, 12.5 % after "
                             "calibration; Brier score 0.750, "
                             "0.500 after calibration\n"));
}

TEST(Evaluation, JsonHasTheKeysInOrder) {
  const Example example = small_example();
  const Vocabulary classes({"cut", "peel", "wash"});
  const Json json = to_json(evaluate(example.scores, example.truth, kNoScores), classes);
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys_of(json), (Keys{"clips", "true_labels", "threshold", "top_set", "top1", "iou",
                                 "f1", "map", "map_interpolated", "map_classes", "predicted_labels",
                                 "at_expected", "best", "classes"}));
  EXPECT_EQ(keys_of(json["at_expected"]),
            (Keys{"expected_labels", "threshold", "iou", "f1", "predicted_labels"}));
  EXPECT_EQ(keys_of(json["best"]),
            (Keys{"threshold", "f1", "predicted_labels", "iou", "iou_threshold"}));
  EXPECT_EQ(keys_of(json["classes"][0]),
            (Keys{"name", "positives", "precision", "recall", "ap", "ap_interpolated"}));
  EXPECT_EQ(json["classes"][2]["name"], "wash");
  EXPECT_TRUE(json["classes"][2]["recall"].is_null());
}

TEST(Evaluation, IsBitIdenticalForAnyNumberOfThreads) {
  const Example example = random_example(5, 8000, 40, 50);
  const Vocabulary classes([] {
    std::vector<std::string> names;
    for (int j = 0; j < 40; ++j) names.push_back(std::to_string(j));
    return names;
  }());
  const int threads = num_threads();
  set_num_threads(1);
  const Json of_one = to_json(evaluate(example.scores, example.truth, kNoScores), classes);
  set_num_threads(5);
  const Json of_five = to_json(evaluate(example.scores, example.truth, kNoScores), classes);
  set_num_threads(threads);
  EXPECT_EQ(of_one, of_five);
}

TEST(EvaluationTable, ShowsTheFiveMetricsAndTheThreeThresholds) {
  const Example example = small_example();
  EXPECT_EQ("\n" + table(evaluate(example.scores, example.truth, kNoScores)), R"(
 Top-set   Top-1     IOU      F1     mAP
    66.7    66.7    50.0    55.6    91.7
in percent, over 3 clips; mAP over the 2 of 3 classes that occur (interpolated: 91.7)

                   fixed  expected   best*
threshold            0.5     0.438   0.188
IOU                 50.0      66.7    66.7
F1                  55.6      66.7    72.2
predicted labels    1.00      1.33    2.33
true labels         1.33      1.33    1.33
expected: the threshold that gives 1.33 labels per clip on these clips
* upper bound: the best threshold on these clips (for IOU 0.438)
)");
}

TEST(EvaluationTable, ShowsTheClipsOfTheExpectedThreshold) {
  const Example example = small_example();
  const Matrix<float> validation(2, 3, {.25F, .5F, .75F, 0, .5F, .125F});
  // Of 2 x 4/3 labels on the validation clips, three come nearest: .75 .5 .5 | .25
  const std::string text = table(evaluate(example.scores, example.truth, validation));
  EXPECT_NE(text.find("\npredicted labels    1.00      1.33    2.33\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nexpected: the threshold that gives 1.33 labels per clip on the 2 "
                      "validation clips; on these 3 clips it gives 1.33\n"),
            std::string::npos)
      << text;
  EvaluationSettings settings;
  settings.expected_labels = 0.5;
  const std::string half = table(evaluate(example.scores, example.truth, validation, settings));
  EXPECT_NE(half.find("gives 0.50 labels per clip on the 2 validation clips; on these 3 clips it "
                      "gives 0.67\n"),
            std::string::npos)
      << half;
}

TEST(EvaluationTable, ShowsADashForUndefinedValues) {
  const std::string text = table(evaluate(Matrix<float>(0, 2), LabelMatrix(0, 2), kNoScores));
  EXPECT_NE(text.find("\n       -       -       -       -       -\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nF1                     -         -       -\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

TEST(EvaluationTable, ListsClassesWithTheMostTrueClipsFirst) {
  Example example = small_example();
  example.truth(2, 1) = Label::Absent;
  const Vocabulary classes({"cut", "peel", "wash and dry"});
  EXPECT_EQ("\n" + class_table(evaluate(example.scores, example.truth, kNoScores), classes), R"(
class          clips  precision  recall     AP  interpolated
cut                2      100.0   100.0  100.0         100.0
peel               1          -     0.0  100.0         100.0
wash and dry       0        0.0       -      -             -
)");
}

TEST(EvaluationTable, ColumnsAreAlignedForAnyNames) {
  const Example example = small_example();
  const Vocabulary classes({"切る", "épl\nucher", std::string(60, 'x')});
  EXPECT_EQ("\n" + class_table(evaluate(example.scores, example.truth, kNoScores), classes), R"(
class                                      clips  precision  recall     AP  interpolated
切る                                           2      100.0   100.0  100.0         100.0
épl ucher                                      2          -     0.0   83.3          83.3
xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…       0        0.0       -      -             -
)");
}

// Scores are .9, .5 and .4; the class at .5 is true.
TEST(Evaluate, ClassesAtTheThresholdArePredictedIfWanted) {
  const Matrix<float> scores(1, 3, {0.9F, 0.5F, 0.4F});
  const LabelMatrix truth(1, 3, {Label::Present, Label::Present, Label::Absent});
  const Evaluation above = evaluate(scores, truth, {});
  const Evaluation at_least = evaluate(scores, truth, {}, {.at_least = true});
  EXPECT_DOUBLE_EQ(above.fixed.predicted_labels, 1);
  EXPECT_DOUBLE_EQ(at_least.fixed.predicted_labels, 2);
  EXPECT_DOUBLE_EQ(at_least.fixed.iou, 1);
  EXPECT_DOUBLE_EQ(at_least.per_clip[0].f1, 1);
  EXPECT_DOUBLE_EQ(at_least.fixed.threshold, 0.5);
}

}  // namespace
}  // namespace manyverbs
