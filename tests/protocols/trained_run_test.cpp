// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/evaluation_json.h"
#include "manyverbs/support/internal/files.h"
#include "tests/one_thread.h"
#include "tests/protocols/kitchen.h"

namespace manyverbs {
namespace {

class TrainedRuns : public testing::Test {
 protected:
  void SetUp() override { train_run(kitchen_, quick_run("an"), scratch_ / "run"); }

  TrainedRun run() const { return TrainedRun(scratch_ / "run"); }
  std::string problem(const Dataset& dataset, Split split) const {
    return error_of(scratch_, [&] { run().evaluate(dataset, split, {}); });
  }
  Json evaluation_json(const Evaluation& evaluation) const {
    return to_json(evaluation, kitchen_.classes);
  }
  // The probabilities of a split and its label sets.
  Matrix<float> scores_of(const Dataset& dataset, Split split) const {
    return run().probabilities(open_features(dataset), dataset.clips_of(split));
  }
  LabelMatrix truth_of(const Dataset& dataset, Split split) const {
    std::vector<std::vector<ClassId>> sets;
    for (const int i : dataset.clips_of(split)) sets.push_back(dataset.clips[i].labels);
    return label_sets(sets, dataset.classes.size());
  }

  ScratchFolder scratch_;
  Dataset kitchen_ = write_kitchen(scratch_ / "kitchen");
};

TEST_F(TrainedRuns, IsEvaluatedWithTheExpectedThresholdOfVal) {
  const Dataset trained_on = run().dataset();
  EXPECT_EQ(trained_on.clips, kitchen_.clips);
  EvaluationSettings settings;
  settings.threshold = 0.4;
  EXPECT_EQ(
      evaluation_json(run().evaluate(trained_on, Split::Test, settings)),
      evaluation_json(evaluate(scores_of(kitchen_, Split::Test), truth_of(kitchen_, Split::Test),
                               scores_of(kitchen_, Split::Val), settings)));
}

TEST_F(TrainedRuns, GivesTheProbabilitiesOfRowsAsTheyAreAskedFor) {
  const FeatureTable features = open_features(kitchen_);
  const Matrix<float> three = run().probabilities(features, std::vector{7, 250, 7});
  const Matrix<float> one = run().probabilities(features, std::vector{250});
  EXPECT_EQ(three.rows(), 3);
  EXPECT_EQ(three.columns(), kitchen_.classes.size());
  for (std::size_t c = 0; c < three.columns(); ++c) {
    EXPECT_EQ(three(0, c), three(2, c));
    EXPECT_NEAR(three(1, c), one(0, c), 1e-6);
    EXPECT_GT(three(0, c), 0);
    EXPECT_LT(three(0, c), 1);
  }
}

TEST_F(TrainedRuns, IsOfUseOnADataSetThatHasOnlyTestClips) {
  const Dataset other =
      write_kitchen(scratch_ / "other", {.train = 0, .val = 0, .test = 50, .seed = 2});
  EXPECT_EQ(evaluation_json(run().evaluate(other, Split::Test, {})),
            evaluation_json(evaluate(scores_of(other, Split::Test), truth_of(other, Split::Test),
                                     Matrix<float>())));
}

TEST_F(TrainedRuns, IsOfUseOnADataSetWithTooFewTrainingClipsToHoldSomeOut) {
  for (const int train : {1, 9}) {
    const Dataset other = write_kitchen(scratch_ / std::to_string(train),
                                        {.train = train, .val = 0, .test = 50, .seed = 2});
    EXPECT_EQ(evaluation_json(run().evaluate(other, Split::Test, {})),
              evaluation_json(evaluate(scores_of(other, Split::Test), truth_of(other, Split::Test),
                                       Matrix<float>())));
  }
}

TEST_F(TrainedRuns, KnowsItsOwnDataSet) {
  EXPECT_TRUE(run().is_own(kitchen_));
  EXPECT_TRUE(run().is_own(read_dataset(scratch_ / "kitchen/../kitchen/")));
  EXPECT_FALSE(run().is_own(write_kitchen(scratch_ / "other")));
}

TEST_F(TrainedRuns, ASplitWithoutClipsIsAnError) {
  const Dataset other = write_kitchen(scratch_ / "other", {.train = 50, .val = 10, .test = 0});
  EXPECT_EQ(problem(other, Split::Test), "other/clips.csv: has no clip of the split test");
}

TEST_F(TrainedRuns, OtherClassesAreAnError) {
  const Dataset line = write_line(scratch_ / "line");
  EXPECT_EQ(problem(line, Split::Test), "run: the classes of line are not those of the run");
}

TEST_F(TrainedRuns, OtherFeaturesAreAnError) {
  write_array(scratch_ / "kitchen/features/rgb.npy", Matrix<float>(300, 5));
  EXPECT_EQ(problem(kitchen_, Split::Test),
            "run: the model reads 24 features a clip (flow + rgb), 17 are given");
  std::filesystem::remove(scratch_ / "kitchen/features/rgb.npy");
  EXPECT_EQ(problem(kitchen_, Split::Test),
            "kitchen: unknown feature stream 'rgb'; existing streams: flow");
}

TEST_F(TrainedRuns, TheExpectedThresholdIsThatOfTheClipsThatChoseTheEpoch) {
  const Evaluation evaluation = run().evaluate(kitchen_, Split::Test, {.expected_labels = 2});
  EXPECT_DOUBLE_EQ(run().expected_threshold(2), evaluation.expected.threshold);
  EXPECT_LT(run().expected_threshold(5), run().expected_threshold(2));
}

TEST_F(TrainedRuns, ADataSetThatMovedIsAnErrorWithTheRemedy) {
  std::filesystem::rename(scratch_ / "kitchen", scratch_ / "moved");
  EXPECT_EQ(error_of(scratch_, [&] { run().dataset(); }),
            "run: was trained on kitchen, which is not there; move it back, or give 'evaluate' "
            "another with --dataset");
  EXPECT_EQ(run().evaluate(read_dataset(scratch_ / "moved"), Split::Test, {}).clips, 60);
}

TEST_F(TrainedRuns, FeaturesReplacedSinceAreAnErrorUnlessTheDataSetIsGiven) {
  replace_features(scratch_ / "kitchen/features/rgb.npy");
  EXPECT_EQ(error_of(scratch_, [&] { run().dataset(); }),
            "run: was trained before kitchen/features/rgb.npy changed; train again "
            "('manyverbs evaluate' measures it on the data set as it is now with --dataset)");
  EXPECT_EQ(run().changed_features(kitchen_), scratch_ / "kitchen/features/rgb.npy");
  EXPECT_EQ(problem(kitchen_, Split::Test), "");
}

TEST_F(TrainedRuns, AFolderWithoutAModelIsAnError) {
  std::filesystem::remove(scratch_ / "run/model.safetensors");
  EXPECT_EQ(error_of(scratch_, [&] { run(); }),
            "run: holds no model yet; run the same 'manyverbs train' again to resume");
  EXPECT_EQ(error_of(scratch_, [&] { TrainedRun(scratch_ / "kitchen"); }),
            "kitchen: is not a run: it has no run.json; 'manyverbs train' makes one");
}

TEST_F(TrainedRuns, CrossEntropyGivesProbabilitiesThatAddUpToOne) {
  train_run(kitchen_, quick_run("ce"), scratch_ / "ce");
  const Matrix<float> scores =
      TrainedRun(scratch_ / "ce").probabilities(open_features(kitchen_), std::vector{0, 1, 2});
  for (std::size_t i = 0; i < 3; ++i) {
    float sum = 0;
    for (const float value : scores.row(i)) sum += value;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

}  // namespace
}  // namespace manyverbs
