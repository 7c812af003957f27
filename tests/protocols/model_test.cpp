// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/model.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/metrics/internal/evaluation_json.h"
#include "manyverbs/support/internal/files.h"
#include "tests/clip_rows.h"
#include "tests/one_thread.h"
#include "tests/protocols/video_kitchen.h"

namespace manyverbs {
namespace {

using Videos = std::vector<std::filesystem::path>;

// A run on features of a synthetic kitchen.
class FeatureModels : public testing::Test {
 protected:
  void SetUp() override { train_run(kitchen_, quick_run("an"), scratch_ / "run"); }

  Model model() const { return Model::open(scratch_ / "run"); }
  std::string problem(const Dataset& dataset, Split split) const {
    return error_of(scratch_, [&] { model().evaluate(dataset, split, {}); });
  }
  Json evaluation_json(const Evaluation& evaluation) const {
    return to_json(evaluation, kitchen_.classes);
  }
  // The probabilities of a split and its label sets.
  Matrix<float> scores_of(const Dataset& dataset, Split split) const {
    return model().probabilities(dataset, dataset.clips_of(split));
  }
  LabelMatrix truth_of(const Dataset& dataset, Split split) const {
    return label_sets(dataset.label_sets_of(dataset.clips_of(split)), dataset.classes.size());
  }

  ScratchFolder scratch_;
  Dataset kitchen_ = write_kitchen(scratch_ / "kitchen");
};

TEST_F(FeatureModels, AreEvaluatedWithTheExpectedThresholdOfTheValidationClips) {
  const EvaluationSettings settings{.threshold = 0.4};
  const Dataset trained_on = model().dataset();
  EXPECT_EQ(trained_on.clips, kitchen_.clips);
  EXPECT_EQ(
      evaluation_json(model().evaluate(trained_on, Split::Test, settings)),
      evaluation_json(evaluate(scores_of(kitchen_, Split::Test), truth_of(kitchen_, Split::Test),
                               scores_of(kitchen_, Split::Val), settings)));
}

TEST_F(FeatureModels, GiveTheProbabilitiesOfTheGivenRows) {
  const FeatureTable features = open_features(kitchen_);
  const Matrix<float> three = model().probabilities(features, clip_rows({7, 250, 7}));
  const Matrix<float> one = model().probabilities(features, clip_rows({250}));
  EXPECT_EQ(three.rows(), 3);
  EXPECT_EQ(three.columns(), kitchen_.classes.size());
  for (std::size_t c = 0; c < three.columns(); ++c) {
    EXPECT_EQ(three(0, c), three(2, c));
    EXPECT_EQ(three(1, c), one(0, c));
    EXPECT_GT(three(0, c), 0);
    EXPECT_LT(three(0, c), 1);
  }
}

TEST_F(FeatureModels, PredictLabelsAboveTheThresholdBestFirst) {
  const Model opened = model();
  std::vector<float> probabilities(opened.classes().size(), 0.1F);
  probabilities[2] = 0.7F;
  probabilities[4] = 0.9F;
  probabilities[5] = 0.5F;
  const Prediction two = opened.prediction(probabilities);
  ASSERT_EQ(two.labels.size(), 2U);
  EXPECT_EQ(two.labels[0].name, opened.classes()[4]);
  EXPECT_EQ(two.labels[0].probability, 0.9F);
  EXPECT_EQ(two.labels[1].name, opened.classes()[2]);
  const Prediction none = opened.prediction(probabilities, 0.95);
  EXPECT_TRUE(none.labels.empty());
  EXPECT_EQ(none.best.name, opened.classes()[4]);
}

TEST_F(FeatureModels, PredictLabelsOfAMatrix) {
  const Model opened = model();
  Matrix<float> rows(2, 24);
  const FeatureTable features = open_features(kitchen_);
  features.read(clip_rows({3, 9}), rows.data());
  const Matrix<float> expected = opened.probabilities(features, clip_rows({3, 9}));
  const std::vector<Prediction> predictions = opened.predict(rows, 0.3);
  ASSERT_EQ(predictions.size(), 2U);
  EXPECT_EQ(predictions[1].best.probability, std::ranges::max(expected.row(1)));
  EXPECT_EQ(error_of(scratch_, [&] { opened.predict(Matrix<float>(1, 3)); }),
            "run: expected 24 features per clip (flow + rgb), found 3");
}

TEST_F(FeatureModels, ComputeTheExpectedThresholdWithoutTheDataSet) {
  const Evaluation evaluation = model().evaluate(kitchen_, Split::Test, {.expected_labels = 2});
  std::filesystem::remove_all(scratch_ / "kitchen");
  EXPECT_DOUBLE_EQ(model().threshold_for(2), evaluation.expected.threshold);
  EXPECT_LT(model().threshold_for(5), model().threshold_for(2));
}

TEST_F(FeatureModels, PredictSetsWithACoverageFromTheLabelsOfTheValidationClips) {
  const Model opened = model();
  const std::vector<ClipRow> clips = kitchen_.clips_of(Split::Val);
  const CoverageRule rule = opened.coverage_rule(0.8);
  EXPECT_EQ(rule.clips, 40);
  EXPECT_NEAR(
      rule.least_share,
      coverage_rule(scores_of(kitchen_, Split::Val), kitchen_.labels_of(clips), 0.8).least_share,
      1e-6);
  Matrix<float> rows(1, 24);
  open_features(kitchen_).read(clip_rows({250}), rows.data());
  const Prediction set = opened.predict(rows, rule).front();
  const Matrix<float> probabilities = opened.probabilities(FeatureTable(rows), first_rows(1));
  const std::vector<ClassId> expected = covering_set(probabilities.row(0), rule);
  ASSERT_EQ(set.labels.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(set.labels[i].name, opened.classes()[expected[i]]);
    EXPECT_EQ(set.labels[i].probability, probabilities(0, expected[i]));
  }
  EXPECT_EQ(set.best.name, set.labels.front().name);
}

TEST_F(FeatureModels, MeasureTheCoverageOfTheOriginalLabelIfItIsKnown) {
  const Model opened = model();
  const CoverageRule rule = opened.coverage_rule(0.8);
  // On the clips of the rule, 33 = ceil(41 x 0.8) of 40 labels are covered, or more if shares are
  // equal to float precision.
  const Evaluation own = opened.evaluate(kitchen_, Split::Val, {}, rule);
  EXPECT_NEAR(own.coverage->covered, 33.0 / 40, 1.0 / 40);
  EXPECT_EQ(own.coverage->clips_with_several, 0);
  EXPECT_FALSE(opened.evaluate(kitchen_, Split::Val).coverage);

  Dataset kitchen = kitchen_;
  std::vector<std::vector<ClassId>> labels;
  for (const ClipRow row : kitchen.clips_of(Split::Test)) {
    Clip& clip = kitchen.clips[index(row)];
    clip.original.reset();
    if (labels.size() % 2 == 0) clip.original = clip.labels.back();
    labels.push_back(clip.original ? std::vector{*clip.original} : clip.labels);
  }
  const MeasuredCoverage expected =
      measured_coverage(scores_of(kitchen_, Split::Test), labels, rule);
  const Evaluation evaluation = opened.evaluate(kitchen, Split::Test, {}, rule);
  EXPECT_EQ(evaluation.coverage->covered, expected.covered);
  EXPECT_EQ(evaluation.coverage->labels_per_set, expected.labels_per_set);
  EXPECT_EQ(evaluation.coverage->clips_with_several, expected.clips_with_several);
  EXPECT_GT(expected.clips_with_several, 0);
}

TEST_F(FeatureModels, ScalePresencesOnTheValidationClips) {
  const Model opened = model();
  EXPECT_EQ(opened.expected_labels(), 0);
  const Matrix<float> scores = scores_of(kitchen_, Split::Test);
  const double factor = presence_factor(scores_of(kitchen_, Split::Val), 2);
  EXPECT_EQ(opened.presences(scores, 2), presences(scores, factor));
  EXPECT_THROW(opened.presences(scores, 0), Error);
}

TEST_F(FeatureModels, KnowTheExpectedLabelsOfTheirLoss) {
  for (const char* loss : {"ce", "epr"}) {
    RunSettings settings = quick_run(loss);
    settings.loss_settings.expected_labels = 2.5;
    train_run(kitchen_, settings, scratch_ / loss);
    EXPECT_EQ(Model::open(scratch_ / loss).expected_labels(), 2.5) << loss;
  }
  EXPECT_EQ(Model::open(scratch_ / "epr").default_threshold(), 0.5);
}

TEST_F(FeatureModels, CalibrateLabelProbabilitiesOnTheValidationClips) {
  const Model opened = model();
  const Matrix<float> scores = scores_of(kitchen_, Split::Test);
  const Calibration fit = calibration(scores_of(kitchen_, Split::Val),
                                      kitchen_.labels_of(kitchen_.clips_of(Split::Val)));
  EXPECT_EQ(opened.label_probabilities(scores), label_probabilities(scores, fit));
  std::vector<std::vector<ClassId>> originals;
  for (const ClipRow row : kitchen_.clips_of(Split::Test)) {
    originals.push_back({*original_label(kitchen_.clip(row))});
  }
  const Evaluation evaluation =
      opened.evaluate(kitchen_, Split::Test, {}, opened.coverage_rule(0.8));
  EXPECT_EQ(evaluation.calibration->after.brier,
            measured_calibration(scores, originals, fit).after.brier);
}

TEST_F(FeatureModels, WithoutLabelsOfTheValidationClipsHaveNoCoverage) {
  const std::filesystem::path file = scratch_ / "run/model.safetensors";
  TensorFile contents = read_tensors(file);
  std::erase_if(contents.tensors,
                [](const auto& entry) { return entry.first == "validation.labels"; });
  write_tensors(file, contents);
  EXPECT_GT(model().threshold_for(2), 0);
  EXPECT_THROW(model().label_probabilities(Matrix<float>(1, 40)), Error);
  EXPECT_EQ(error_of(scratch_, [&] { model().coverage_rule(0.9); }),
            "run: has no labels of its validation clips, which coverage and calibration require; "
            "train it again, with another --out");
}

// Even if every test clip has one label: a coverage must not come from the clips that it is
// measured on.
TEST_F(FeatureModels, SelectedOnTestClipsHaveNoCoverage) {
  Dataset two = write_kitchen(scratch_ / "two", {.train = 200, .val = 0, .test = 60});
  for (Clip& clip : two.clips) clip.labels.resize(1);
  RunSettings settings = quick_run("an");
  settings.protocol = Protocol::Paper;
  train_run(two, settings, scratch_ / "paper");
  EXPECT_EQ(error_of(scratch_, [&] { Model::open(scratch_ / "paper").coverage_rule(0.9); }),
            "paper: coverage and calibration require validation clips with one label each; test "
            "clips selected its epoch");
}

TEST_F(FeatureModels, TooFewValidationClipsForACoverageAreAnError) {
  EXPECT_EQ(error_of(scratch_, [&] { model().coverage_rule(0.99); }),
            "a coverage of 0.99 requires 99 or more validation clips, found 40");
}

// The threshold comes from the run, not from the clips of another data set.
TEST_F(FeatureModels, WorkOnADataSetWithOnlyTestClips) {
  const Matrix<float> validation = scores_of(kitchen_, Split::Val);
  const Dataset other =
      write_kitchen(scratch_ / "other", {.train = 0, .val = 0, .test = 50, .seed = 2});
  std::filesystem::remove_all(scratch_ / "kitchen");
  EXPECT_EQ(evaluation_json(model().evaluate(other, Split::Test, {})),
            evaluation_json(
                evaluate(scores_of(other, Split::Test), truth_of(other, Split::Test), validation)));
}

TEST_F(FeatureModels, RecogniseTheirDataSet) {
  EXPECT_TRUE(model().is_own(kitchen_));
  EXPECT_TRUE(model().is_own(read_dataset(scratch_ / "kitchen/../kitchen/")));
  EXPECT_FALSE(model().is_own(write_kitchen(scratch_ / "other")));
}

TEST_F(FeatureModels, DetectReplacedFeaturesInACopyOfTheirDataSet) {
  std::filesystem::copy(scratch_ / "kitchen", scratch_ / "copy",
                        std::filesystem::copy_options::recursive);
  const Dataset copy = read_dataset(scratch_ / "copy");
  EXPECT_EQ(model().changed_features(copy), "");
  replace_features(scratch_ / "copy/features/rgb.npy");
  EXPECT_EQ(model().changed_features(copy), scratch_ / "copy/features/rgb.npy");
}

TEST_F(FeatureModels, ASplitWithoutClipsIsAnError) {
  const Dataset other = write_kitchen(scratch_ / "other", {.train = 50, .val = 10, .test = 0});
  EXPECT_EQ(problem(other, Split::Test), "other/clips.csv: has no clips of the split test");
}

TEST_F(FeatureModels, OtherClassesAreAnError) {
  const Dataset line = write_line(scratch_ / "line");
  EXPECT_EQ(problem(line, Split::Test), "run: has other classes than line");
}

TEST_F(FeatureModels, OtherFeaturesAreAnError) {
  write_array(scratch_ / "kitchen/features/rgb.npy", Matrix<float>(300, 5));
  EXPECT_EQ(problem(kitchen_, Split::Test),
            "run: expected 24 features per clip (flow + rgb), found 17");
  std::filesystem::remove(scratch_ / "kitchen/features/rgb.npy");
  EXPECT_EQ(problem(kitchen_, Split::Test),
            "kitchen: unknown feature stream 'rgb'; existing streams: flow");
}

TEST_F(FeatureModels, AMissingDataSetIsAnErrorOnlyIfItIsNeeded) {
  std::filesystem::rename(scratch_ / "kitchen", scratch_ / "moved");
  EXPECT_EQ(error_of(scratch_, [&] { model().dataset(); }),
            "run: was trained on kitchen, which does not exist; specify a data set with --dataset");
  EXPECT_EQ(model().evaluate(read_dataset(scratch_ / "moved"), Split::Test, {}).clips, 60);
}

TEST_F(FeatureModels, ReplacedFeaturesAreAnErrorUnlessTheDataSetIsGiven) {
  replace_features(scratch_ / "kitchen/features/rgb.npy");
  EXPECT_EQ(error_of(scratch_, [&] { model().dataset(); }),
            "run: kitchen/features/rgb.npy has changed since the training; train again, or "
            "evaluate on the changed data with 'manyverbs evaluate --dataset'");
  EXPECT_EQ(model().changed_features(kitchen_), scratch_ / "kitchen/features/rgb.npy");
  EXPECT_EQ(problem(kitchen_, Split::Test), "");
}

TEST_F(FeatureModels, AFolderWithoutAModelIsAnError) {
  std::filesystem::remove(scratch_ / "run/model.safetensors");
  EXPECT_EQ(error_of(scratch_, [&] { model(); }),
            "run: has no model yet; run the same 'manyverbs train' again to resume");
  EXPECT_EQ(error_of(scratch_, [&] { Model::open(scratch_ / "kitchen"); }),
            "kitchen: is not a run: it has no run.json; 'manyverbs train' creates one");
}

TEST_F(FeatureModels, CrossEntropyGivesProbabilitiesThatAddUpToOne) {
  train_run(kitchen_, quick_run("ce"), scratch_ / "ce");
  const Matrix<float> scores =
      Model::open(scratch_ / "ce").probabilities(kitchen_, clip_rows({0, 1, 2}));
  for (std::size_t i = 0; i < 3; ++i) {
    float sum = 0;
    for (const float value : scores.row(i)) sum += value;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST_F(FeatureModels, OfImportedFeaturesCannotLabelVideos) {
  const Model opened = model();
  EXPECT_FALSE(opened.reads_videos());
  EXPECT_EQ(error_of(scratch_, [&] { opened.predict(Videos{"clip.mp4"}); }),
            "run: cannot label videos: the features 'flow' that it was trained on are not from "
            "'manyverbs extract'");
}

// A kitchen with videos, and runs on its clips or on their features.
class VideoModels : public VideoKitchen {
 protected:
  Videos some_videos() const {
    return {scratch_ / "kitchen/videos/clip_00037.mp4", scratch_ / "kitchen/videos/clip_00002.mp4"};
  }
  void expect_the_same_as_clips() const {
    const Model model = Model::open(scratch_ / "run");
    EXPECT_TRUE(model.reads_videos());
    EXPECT_EQ(model.probabilities(some_videos(), OnError::Stop).probabilities,
              model.probabilities(kitchen_, clip_rows({37, 2})));
  }
};

TEST_F(VideoModels, OfClipsLabelVideosAsTheirClips) {
  finetune_run(kitchen_, quick("p+s"), scratch_ / "run");
  expect_the_same_as_clips();
}

TEST_F(VideoModels, PredictSetsOfVideosWithACoverage) {
  finetune_run(kitchen_, quick("ce"), scratch_ / "run");
  const Model model = Model::open(scratch_ / "run");
  const CoverageRule rule = model.coverage_rule(0.8);
  const std::vector<Prediction> sets = model.predict(some_videos(), rule);
  const Matrix<float> probabilities = model.probabilities(kitchen_, clip_rows({37, 2}));
  ASSERT_EQ(sets.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(sets[i].labels.size(), covering_set(probabilities.row(i), rule).size());
    EXPECT_EQ(sets[i].best.probability, std::ranges::max(probabilities.row(i)));
  }
}

TEST_F(VideoModels, OfFlowLabelVideosAsTheirClips) {
  compute_flow(kitchen_, {.method = FlowMethod::Dis, .short_side = 48}, OnError::Stop);
  RunSettings settings = quick("ce");
  settings.clips.stream = Stream::Flow;
  settings.epochs = 1;
  finetune_run(kitchen_, settings, scratch_ / "run");
  expect_the_same_as_clips();
}

TEST_F(VideoModels, OfRgbFeaturesLabelVideosAsTheirClips) {
  train_on_features({Stream::Rgb});
  expect_the_same_as_clips();
}

TEST_F(VideoModels, OfFlowFeaturesLabelVideosAsTheirClips) {
  train_on_features({Stream::Flow}, FlowMethod::Tvl1);
  expect_the_same_as_clips();
}

TEST_F(VideoModels, OfHalfPrecisionFeaturesLabelVideosAsTheirClips) {
  train_on_features({Stream::Rgb}, FlowMethod::Dis, NumberType::Float16);
  expect_the_same_as_clips();
}

TEST_F(VideoModels, OfTwoStreamsLabelVideosAsTheirClipsAndWriteNothing) {
  train_on_features({Stream::Rgb, Stream::Flow});
  std::filesystem::create_directories(scratch_ / "temporary");
  const char* kept = std::getenv("TMPDIR");
  setenv("TMPDIR", (scratch_ / "temporary").c_str(), 1);
  expect_the_same_as_clips();
  EXPECT_TRUE(std::filesystem::is_empty(scratch_ / "temporary"));
  kept == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept, 1);
}

TEST_F(VideoModels, SkipAndReportUnreadableVideos) {
  finetune_run(kitchen_, quick("ce"), scratch_ / "run");
  const Model model = Model::open(scratch_ / "run");
  const std::filesystem::path video = some_videos().front();
  const std::filesystem::path bad = scratch_.write("bad.mp4", "no video");
  const VideoProbabilities made =
      model.probabilities({bad, video, scratch_ / "lost.mp4"}, OnError::Skip);
  EXPECT_EQ(made.videos, Videos{video});
  EXPECT_EQ(made.probabilities, model.probabilities(kitchen_, clip_rows({37})));
  ASSERT_EQ(made.problems.size(), 2U);
  EXPECT_EQ(made.problems[1], (scratch_ / "lost.mp4").string() + ": the file does not exist");
  EXPECT_EQ(error_of(scratch_,
                     [&] {
                       model.predict({video, bad, scratch_ / "lost.mp4"});
                     }),
            "bad.mp4: is damaged or not a video: Invalid data found when processing input");
}

TEST_F(VideoModels, AnUnreadableClipIsAnError) {
  scratch_.write("kitchen/videos/clip_00025.mp4", "no video");
  finetune_run(kitchen_, quick("ce"), scratch_ / "run", {OnError::Skip});
  const Model model = Model::open(scratch_ / "run");
  EXPECT_EQ(model.evaluate(kitchen_, Split::Test, {}).clips, 6);
  EXPECT_NE(error_of(scratch_, [&] { model.evaluate(kitchen_, Split::Val, {}); })
                .find("clip 'clip_00025': "),
            std::string::npos);
}

TEST_F(VideoModels, NeedNoDataSetButUnchangedWeights) {
  train_on_features({Stream::Rgb});
  const Matrix<float> before =
      Model::open(scratch_ / "run").probabilities(some_videos(), OnError::Stop).probabilities;
  std::filesystem::rename(scratch_ / "kitchen/videos", scratch_ / "videos");
  std::filesystem::remove_all(scratch_ / "kitchen");
  const Videos videos = {scratch_ / "videos/clip_00037.mp4", scratch_ / "videos/clip_00002.mp4"};
  EXPECT_EQ(Model::open(scratch_ / "run").probabilities(videos, OnError::Stop).probabilities,
            before);
  scratch_.write("rgb.safetensors", "other weights");
  EXPECT_EQ(error_of(scratch_, [&] { Model::open(scratch_ / "run").predict(videos); }),
            "run/run.json: the weights rgb.safetensors have changed since the features were made "
            "with them");
  std::filesystem::remove(scratch_ / "rgb.safetensors");
  EXPECT_EQ(error_of(scratch_, [&] { Model::open(scratch_ / "run").predict(videos); }),
            "run/run.json: the weights rgb.safetensors no longer exist");
}

TEST_F(VideoModels, FindTheirWeightsIfAllIsMovedTogether) {
  std::filesystem::create_directory(scratch_ / "all");
  train_on_features({Stream::Rgb});
  const Matrix<float> before =
      Model::open(scratch_ / "run").probabilities(some_videos(), OnError::Stop).probabilities;
  for (const char* name : {"kitchen", "run", "rgb.safetensors"}) {
    std::filesystem::rename(scratch_ / name, scratch_ / "all" / name);
  }
  EXPECT_EQ(Model::open(scratch_ / "all/run")
                .probabilities({scratch_ / "all/kitchen/videos/clip_00037.mp4",
                                scratch_ / "all/kitchen/videos/clip_00002.mp4"},
                               OnError::Stop)
                .probabilities,
            before);
}

}  // namespace
}  // namespace manyverbs
