// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "manyverbs/reports/internal/co_occurrence.h"
#include "manyverbs/reports/internal/dataset_charts.h"
#include "manyverbs/reports/internal/model_charts.h"
#include "manyverbs/reports/internal/relabelled_charts.h"
#include "manyverbs/reports/internal/report_values.h"
#include "manyverbs/reports/internal/threshold_curve.h"
#include "manyverbs/reports/internal/training_curve.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Sets = std::vector<std::vector<ClassId>>;

TEST(BlockOrder, SimilarRowsAreAdjacent) {
  Matrix<double> likeness(4, 4);
  likeness(0, 2) = likeness(2, 0) = likeness(1, 3) = likeness(3, 1) = 0.5;
  EXPECT_EQ(block_order(likeness), (std::vector{0, 2, 1, 3}));
  EXPECT_EQ(block_order(Matrix<double>(1, 1)), std::vector{0});
  EXPECT_EQ(block_order(Matrix<double>()), std::vector<int>());
}

// A chain 3 - 0 - 2 - 1, where each is alike only to its neighbours, the middle ones most.
TEST(BlockOrder, AdjacentEndsAreMostSimilar) {
  Matrix<double> likeness(4, 4);
  const auto set = [&](int a, int b, double value) { likeness(a, b) = likeness(b, a) = value; };
  set(0, 2, 0.9);
  set(3, 0, 0.5);
  set(2, 1, 0.4);
  EXPECT_EQ(block_order(likeness), (std::vector{3, 0, 2, 1}));
}

TEST(BlockOrder, FindsShuffledBlocks) {
  constexpr int kBlocks = 5;
  constexpr int kSize = 7;
  Matrix<double> likeness(kBlocks * kSize, kBlocks * kSize);
  // Class i is of block i mod 5; likeness within a block varies, between blocks there is a little.
  for (int i = 0; i < kBlocks * kSize; ++i) {
    for (int j = 0; j < kBlocks * kSize; ++j) {
      likeness(i, j) = i % kBlocks == j % kBlocks ? 0.3 + 0.01 * ((i * j) % 7) : 0.05;
    }
  }
  const std::vector<int> order = block_order(likeness);
  ASSERT_EQ(order.size(), kBlocks * kSize);
  int changes = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    changes += order[i] % kBlocks != order[i - 1] % kBlocks ? 1 : 0;
  }
  EXPECT_EQ(changes, kBlocks - 1);
}

TEST(CoOccurrence, SharesAreNormalisedPerRow) {
  const CoOccurrenceMatrix matrix = co_occurrence_matrix(Sets{{0, 1}, {0}, {0, 1}, {2}}, 3);
  EXPECT_EQ(matrix.order, (std::vector<ClassId>{0, 1}));
  EXPECT_EQ(matrix.shares, Matrix<double>(2, 2, {1, 2.0 / 3, 1, 1}));
  EXPECT_EQ(matrix.left_out, 1);
}

TEST(CoOccurrence, OfTooManyClassesThoseWithMostCoOccurrencesAreShown) {
  const Sets sets = {{0, 3}, {1, 2}, {1, 2}, {1, 3}};
  const CoOccurrenceMatrix matrix = co_occurrence_matrix(sets, 5, 3);
  EXPECT_EQ(matrix.left_out, 2);  // 0 with one companion, 4 with none
  ASSERT_EQ(matrix.order.size(), 3);
  EXPECT_EQ(std::count(matrix.order.begin(), matrix.order.end(), 0), 0);
  EXPECT_TRUE(co_occurrence_matrix(Sets{}, 0).order.empty());
}

TEST(ThresholdCurve, ThresholdsRiseFromZeroToOneThroughTheMiddle) {
  const std::vector<double> thresholds = curve_thresholds();
  ASSERT_EQ(thresholds.size(), 61);
  EXPECT_EQ(thresholds.front(), 0);
  EXPECT_EQ(thresholds[30], 0.5);
  EXPECT_EQ(thresholds.back(), 1);
  EXPECT_LT(thresholds[1], 0.001);
  for (std::size_t i = 1; i < thresholds.size(); ++i) EXPECT_GT(thresholds[i], thresholds[i - 1]);
}

TEST(ThresholdCurve, EqualsTheMetricsAtEachThreshold) {
  constexpr std::size_t kClips = 40;
  constexpr std::size_t kClasses = 9;
  Matrix<float> scores(kClips, kClasses);
  LabelMatrix truth(kClips, kClasses);
  const std::vector<double> thresholds = curve_thresholds();
  for (std::size_t i = 0; i < kClips; ++i) {
    for (std::size_t j = 0; j < kClasses; ++j) {
      const std::size_t mixed = (i * 131 + j * 37) % 97;
      // Some scores are exactly on a threshold.
      scores(i, j) = static_cast<float>(mixed % 5 == 0 ? thresholds[mixed % 61]
                                                       : static_cast<double>(mixed) / 97);
      // The first clips have no true class.
      if (i >= 3 && (i + 3 * j) % 4 == 0) truth(i, j) = Label::Present;
    }
  }
  ThresholdCurve curve(thresholds);
  const auto rows = [&](std::size_t begin, std::size_t end) {
    std::vector<float> part(scores.data() + begin * kClasses, scores.data() + end * kClasses);
    std::vector<Label> labels(truth.data() + begin * kClasses, truth.data() + end * kClasses);
    curve.add(Matrix<float>(end - begin, kClasses, part),
              LabelMatrix(end - begin, kClasses, labels));
  };
  rows(0, 17);
  rows(17, kClips);
  const std::vector<ThresholdMetrics> points = curve.points();
  ASSERT_EQ(points.size(), thresholds.size());
  for (std::size_t t = 0; t < thresholds.size(); ++t) {
    const ThresholdMetrics expected = at_threshold(scores, truth, thresholds[t]);
    EXPECT_EQ(points[t].threshold, thresholds[t]);
    EXPECT_NEAR(points[t].iou, expected.iou, 1e-12) << thresholds[t];
    EXPECT_NEAR(points[t].f1, expected.f1, 1e-12) << thresholds[t];
    EXPECT_NEAR(points[t].predicted_labels, expected.predicted_labels, 1e-12) << thresholds[t];
  }
}

TEST(ThresholdCurve, IsUndefinedWithoutClips) {
  EXPECT_TRUE(std::isnan(ThresholdCurve({0.5}).points()[0].f1));
}

TEST(ReportValues, NumbersHaveFiveDigits) {
  EXPECT_EQ(short_number(0.123456).dump(), "0.12346");
  EXPECT_EQ(short_number(1234567.0).dump(), "1234600.0");
  EXPECT_EQ(short_number(0).dump(), "0");
  EXPECT_EQ(short_number(1e-9).dump(), "1e-09");
  EXPECT_TRUE(short_number(NAN).is_null());
  EXPECT_TRUE(short_number(INFINITY).is_null());
}

TEST(ReportValues, ASelectionIsVaried) {
  EXPECT_EQ(varied_choice(std::vector{1.0, 1.0, 0.8}, Sets{{0}, {0}, {1}}, 2), (std::vector{0, 2}));
  EXPECT_EQ(varied_choice(std::vector{1.0, 1.0, 0.8}, Sets{{0}, {0}, {1}}, 9),
            (std::vector{0, 2, 1}));
  EXPECT_EQ(varied_choice(std::vector{-1.0, 0.0}, Sets{{0}, {}}, 2), (std::vector{1}));
}

TEST(ReportValues, VideoPathsAreRelativeToThePage) {
  const ScratchFolder scratch;
  scratch.write("kitchen/videos/a b#1.mp4", "");
  Clip clip;
  EXPECT_FALSE(video_json(clip, scratch / "kitchen", scratch.path()));
  clip.video = "videos/a b#1.mp4";
  clip.start = 1.5;
  EXPECT_EQ(video_json(clip, scratch / "kitchen", scratch / "reports")->dump(),
            R"({"src":"./../kitchen/videos/a b#1.mp4","start":1.5,"stop":null})");
  clip.video = "videos/none.mp4";
  EXPECT_FALSE(video_json(clip, scratch / "kitchen", scratch.path()));
}

TEST(DatasetCharts, CountLabelsOfTrainingAndTestClips) {
  Dataset dataset;
  dataset.name = "line";
  dataset.classes = Vocabulary({"cut", "peel", "wash"});
  const auto add = [&](Split split, std::vector<ClassId> labels, std::vector<ClassId> truth) {
    dataset.clips.push_back({"c", split, std::move(labels), std::move(truth), "", {}, {}});
  };
  add(Split::Train, {0}, {0, 1});
  add(Split::Train, {1}, {});
  add(Split::Train, {0}, {});
  add(Split::Val, {2}, {});
  add(Split::Test, {0, 1}, {});
  add(Split::Test, {0}, {});
  add(Split::Test, {1}, {0, 1, 2});
  EXPECT_EQ(dataset_charts(dataset), Json::parse(R"({
    "name": "line", "selection": null, "clips": {"train": 3, "val": 1, "test": 3},
    "classes": ["cut", "peel", "wash"], "single": [2, 1, 0], "multi": [3, 2, 1],
    "labels_per_clip": [1, 1, 1],
    "cooccurrence": {"order": [0, 1, 2],
                     "rows": [[1, 0.66667, 0.33333], [1, 1, 0.5], [1, 1, 1]], "left_out": 0}})"));
}

TEST(RelabelledCharts, HaveTheOriginalAndAllLabelsOfTheSameClips) {
  Dataset dataset;
  dataset.classes = Vocabulary({"cut", "peel", "wash"});
  const auto add = [&](Split split, std::vector<ClassId> labels, std::optional<ClassId> original) {
    const std::string name = fmt::format("c{}", dataset.clips.size());
    dataset.clips.push_back({name, split, std::move(labels), {}, "", {}, {}, original});
  };
  add(Split::Train, {0}, {});
  add(Split::Test, {0}, {});
  add(Split::Test, {0, 1}, {});
  EXPECT_TRUE(relabelled_charts(dataset, 5, "").is_null()) << "no original label is known";
  add(Split::Test, {0, 1, 2}, 1);
  add(Split::Test, {0}, 2);
  EXPECT_EQ(relabelled_charts(dataset, 5, ""), Json::parse(R"({
    "clips": 3, "original": [1, 1, 1], "all": [3, 1, 1],
    "samples": [{"clip": "c3", "original": "peel", "kept": true, "added": ["cut", "wash"]},
                {"clip": "c4", "original": "wash", "kept": false, "added": ["cut"]}]})"));
  EXPECT_EQ(relabelled_charts(dataset, 1, "")["samples"].size(), 1);
}

TEST(TrainingCurve, IsReadFromTheLog) {
  const ScratchFolder scratch;
  scratch.write(
      "run/log.csv",
      "epoch,train_loss,validation_loss,iou,top1\n1,0.5,0.61234567,0.2,0.3\n2,nan,,0.3,0.3\n");
  EXPECT_EQ(training_curve(scratch / "run", 2, 300), Json::parse(R"({
    "epoch": [1, 2], "train_loss": [0.5, null], "validation_loss": [0.61235, null],
    "selection_metric": "iou", "score": [0.2, 0.3]})"));
  EXPECT_TRUE(training_curve(scratch / "none", 2, 300).is_null());
}

TEST(TrainingCurve, OfManyEpochsKeepsFirstLastAndBest) {
  const ScratchFolder scratch;
  std::string log = "epoch,train_loss,validation_loss,top1\n";
  for (int epoch = 1; epoch <= 1000; ++epoch) log += fmt::format("{},1,1,0.5\n", epoch);
  scratch.write("run/log.csv", log);
  const Json epochs = training_curve(scratch / "run", 777, 10)["epoch"];
  EXPECT_EQ(epochs.size(), 11);
  EXPECT_EQ(epochs.front(), 1);
  EXPECT_EQ(epochs.back(), 1000);
  EXPECT_NE(std::find(epochs.begin(), epochs.end(), 777), epochs.end());
}

TEST(Predictions, AreCorrectWrongOrMissed) {
  const Vocabulary classes({"cut", "peel", "wash"});
  EXPECT_EQ(prediction_json(std::vector{0.6F, 0.9F, 0.4F}, {1, 2}, classes), Json::parse(R"({
    "match": "part",
    "labels": [{"class": "peel", "probability": 0.9, "correct": true},
               {"class": "cut", "probability": 0.6, "correct": false}],
    "more": 0,
    "missed": [{"class": "wash", "probability": 0.4}]})"));
}

TEST(Predictions, AreMarkedByHowManyAreRight) {
  const Vocabulary classes({"cut", "peel", "wash"});
  const auto match = [&](std::vector<float> probabilities) {
    return prediction_json(probabilities, {0, 1}, classes)["match"];
  };
  EXPECT_EQ(match({0.9F, 0.9F, 0.1F}), "all");
  EXPECT_EQ(match({0.9F, 0.9F, 0.9F}), "part");
  EXPECT_EQ(match({0.9F, 0.1F, 0.1F}), "part");
  EXPECT_EQ(match({0.1F, 0.1F, 0.9F}), "none");
  EXPECT_EQ(match({0.1F, 0.1F, 0.1F}), "nothing");
}

TEST(Predictions, OfManyLabelsTwelveAreListed) {
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back(fmt::format("c{}", i));
  const Json json = prediction_json(std::vector<float>(20, 0.7F), {19}, Vocabulary(names));
  EXPECT_EQ(json["labels"].size(), 12);
  EXPECT_EQ(json["more"], 8);
  EXPECT_TRUE(json["missed"].empty());
}

}  // namespace
}  // namespace manyverbs
