// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/learn.h"

#include "manyverbs/learning/internal/cross_fit.h"
#include "manyverbs/protocols/internal/search_space.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/interrupting.h"
#include "tests/one_thread.h"
#include "tests/protocols/kitchen.h"

namespace manyverbs {
namespace {

constexpr double kNoTime = 1e-9;
constexpr double kYears = 1e7;

class Learn : public testing::Test {
 protected:
  static LearnSettings small(double minutes) {
    LearnSettings settings;
    settings.hidden = {8};
    settings.expected_labels = 2.4;
    settings.minutes = minutes;
    return settings;
  }
  std::string problem(const LearnSettings& settings) const {
    return error_of(scratch_, [&] { learn_run(kitchen_, settings, scratch_ / "run"); });
  }

  ScratchFolder scratch_;
  Dataset kitchen_ = write_kitchen(scratch_ / "kitchen", {.train = 20, .val = 20, .test = 20});
};

// With twelve clips, an epoch is one step.
TEST_F(Learn, TheSearchEndsWhereNoNeighbourIsBetter) {
  kitchen_ = write_kitchen(scratch_ / "tiny", {.train = 12, .val = 20, .test = 20});
  const Learned learned = learn_run(kitchen_, small(kYears), scratch_ / "run");
  EXPECT_TRUE(learned.is_complete);
  EXPECT_EQ(learned.trials[learned.best].settings.loss, "ce");
  for (const std::size_t i : {learned.best, learned.chosen}) {
    const Trial& best = learned.trials[i];
    for (const RunSettings& other : next_to(best.settings)) {
      const auto trial = std::ranges::find_if(learned.trials, [&](const Trial& each) {
        return are_at_one_place(each.settings, other);
      });
      ASSERT_NE(trial, learned.trials.end());
      EXPECT_GE(trial->label_rank, best.label_rank);
    }
  }
  for (const Trial& trial : learned.trials) {
    EXPECT_GT(trial.label_rank, 1);
    EXPECT_LT(trial.label_rank, 40) << "the number of classes";
  }
  const Trial& chosen = learned.trials[learned.chosen];
  for (const std::string loss : {"cross-fit", "cross-mask"}) {
    const auto is_of_loss = [&](const Trial& trial) { return trial.settings.loss == loss; };
    EXPECT_GE(std::ranges::count_if(learned.trials, is_of_loss), 3) << loss << " and neighbours";
    for (const Trial& trial : learned.trials) {
      if (is_of_loss(trial)) {
        EXPECT_GE(trial.label_rank, chosen.label_rank);
      }
    }
  }
  EXPECT_NEAR(chosen.label_rank,
              1 / learned.history.epochs[learned.history.best_epoch - 1].values[0], 1e-9)
      << "of the validation clips, since the targets depend on the labels of all training clips";
  EXPECT_TRUE(are_at_one_place(learned.settings, chosen.settings));
  EXPECT_TRUE(
      are_at_one_place(fold_settings(learned.settings), learned.trials[learned.best].settings));
  EXPECT_EQ(learned.settings.features.cross_fit.rounds, 4);

  const Json record = read_json(scratch_ / "run/learn.json");
  EXPECT_EQ(record["trials"].size(), learned.trials.size());
  EXPECT_EQ(record["complete"], true);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run/trials"));
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "run/cross_fit.npy"));

  const Learned resumed = learn_run(kitchen_, small(kYears), scratch_ / "run");
  EXPECT_EQ(resumed.trials.size(), learned.trials.size());
  EXPECT_EQ(resumed.best, learned.best);
  EXPECT_EQ(resumed.chosen, learned.chosen);

  train_run(kitchen_, learned.settings, scratch_ / "again");
  EXPECT_EQ(read_file(scratch_ / "again/model.safetensors"),
            read_file(scratch_ / "run/model.safetensors"));
}

TEST_F(Learn, WithoutTimeOneSettingIsTriedAndTrainedWithCrossEntropy) {
  bool was_told = false;
  const Learned learned =
      learn_run(kitchen_, small(kNoTime), scratch_ / "run", [&](const Learned& so_far) {
        was_told = true;
        EXPECT_EQ(so_far.trials.size(), 1);
        EXPECT_FALSE(std::filesystem::exists(scratch_ / "run/run.json"));
      });
  EXPECT_TRUE(was_told);
  EXPECT_FALSE(learned.is_complete);
  EXPECT_EQ(learned.trials.size(), 1);
  EXPECT_EQ(learned.settings.loss, "ce");
  EXPECT_TRUE(learned.history.finished);
}

TEST_F(Learn, TheExpectedNumberOfLabelsSetsTheThreshold) {
  learn_run(kitchen_, small(kNoTime), scratch_ / "run");
  const Model model = Model::open(scratch_ / "run");
  EXPECT_EQ(model.default_threshold(), model.threshold_for(2.4));
  const Matrix<float> rows(1, 24);
  const Matrix<float> probabilities =
      model.probabilities(FeatureTable(rows), std::vector{ClipRow(0)});
  EXPECT_EQ(model.predict(rows).front().labels.size(),
            model.prediction(probabilities.row(0), model.threshold_for(2.4)).labels.size());
  LearnSettings unknown = small(kNoTime);
  unknown.expected_labels = 0;
  learn_run(kitchen_, unknown, scratch_ / "other");
  EXPECT_EQ(Model::open(scratch_ / "other").default_threshold(), 0.5);
}

TEST_F(Learn, InterruptedAtAnyTimeTheRunIsTheSame) {
  learn_run(kitchen_, small(kNoTime), scratch_ / "undisturbed");
  const std::vector<std::string> kept =
      interrupt_until_done([&] { learn_run(kitchen_, small(kNoTime), scratch_ / "interrupted"); });
  EXPECT_NE(std::ranges::count(kept, "the search is saved"), 0);
  EXPECT_EQ(read_file(scratch_ / "interrupted/model.safetensors"),
            read_file(scratch_ / "undisturbed/model.safetensors"));
}

TEST_F(Learn, ADamagedRecordIsAnError) {
  learn_run(kitchen_, small(kNoTime), scratch_ / "run");
  Json json = read_json(scratch_ / "run/learn.json");
  json["trials"][0]["loss"] = "cross-mask";
  write_json(scratch_ / "run/learn.json", json);
  EXPECT_EQ(
      problem(small(kNoTime)),
      "run/learn.json: expected a trial with the loss ce before that with cross-mask, and the "
      "key 'rounds'");
}

TEST_F(Learn, AFinishedRunIsUnchangedWhateverTheTime) {
  const Learned first = learn_run(kitchen_, small(kNoTime), scratch_ / "run");
  const ino_t before = identity(scratch_ / "run/checkpoint.safetensors");
  const Learned again = learn_run(kitchen_, small(kYears), scratch_ / "run");
  EXPECT_EQ(identity(scratch_ / "run/checkpoint.safetensors"), before);
  EXPECT_EQ(again.trials.size(), 1);
  EXPECT_EQ(again.trials[0].label_rank, first.trials[0].label_rank);
  EXPECT_EQ(again.settings.loss, "ce");
}

TEST_F(Learn, OtherSettingsAreErrors) {
  learn_run(kitchen_, small(kNoTime), scratch_ / "run");
  LearnSettings other = small(kNoTime);
  other.seed = 2;
  EXPECT_EQ(problem(other), "run/learn.json: its seed is 1, requested 2; choose another --out");
  other = small(kNoTime);
  other.hidden = {16};
  EXPECT_EQ(problem(other),
            "run/learn.json: its hidden is [8], requested [16]; choose another --out");
  other = small(kNoTime);
  other.streams = {"rgb"};
  EXPECT_EQ(problem(other),
            "run/learn.json: its streams is [], requested [\"rgb\"]; choose another --out");
  other = small(kNoTime);
  other.expected_labels = 41;
  EXPECT_EQ(problem(other),
            "expected labels per clip: expected a number above 0 and at most 40, the number of "
            "classes; found 41");
}

TEST_F(Learn, AnotherExpectedNumberOfLabelsChangesOnlyTheThreshold) {
  learn_run(kitchen_, small(kNoTime), scratch_ / "run");
  const ino_t before = identity(scratch_ / "run/checkpoint.safetensors");
  LearnSettings other = small(kNoTime);
  other.expected_labels = 3;
  learn_run(kitchen_, other, scratch_ / "run");
  EXPECT_EQ(identity(scratch_ / "run/checkpoint.safetensors"), before);
  const Model model = Model::open(scratch_ / "run");
  EXPECT_EQ(model.default_threshold(), model.threshold_for(3));
}

TEST_F(Learn, ChangedFeaturesAreAnError) {
  learn_run(kitchen_, small(kNoTime), scratch_ / "run");
  replace_features(scratch_ / "kitchen/features/rgb.npy");
  kitchen_ = read_dataset(scratch_ / "kitchen");
  EXPECT_EQ(problem(small(kNoTime)),
            "run/learn.json: labels or features of the data set have changed since; choose another "
            "--out");
}

TEST_F(Learn, OtherFilesAndOtherRunsAreErrors) {
  scratch_.write("run/notes.txt", "mine");
  const std::string expected =
      "run: contains other files and is not from 'manyverbs learn'; choose another --out";
  EXPECT_EQ(problem(small(kNoTime)), expected);
  std::filesystem::remove_all(scratch_ / "run");
  train_run(kitchen_, quick_run("an"), scratch_ / "run");
  EXPECT_EQ(problem(small(kNoTime)), expected);
  scratch_.write("run/learn.json", "{}");
  EXPECT_EQ(problem(small(kNoTime)), "run/learn.json: the key 'format' is missing");
}

TEST_F(Learn, TooFewClipsAreAnError) {
  kitchen_ = write_line(scratch_ / "line");
  EXPECT_EQ(problem(small(kNoTime)),
            "cross-fitting with 5 folds requires at least 5 training clips, found 3");
}

Trial trial_with(double learning_rate, double dropout, double label_rank) {
  Trial trial{first_settings(8000, {2048}), label_rank, 1};
  trial.settings.learning_rate = learning_rate;
  trial.settings.dropout = dropout;
  return trial;
}

TEST(Choices, AreTheTrialsThatDifferFromTheBestInOneSetting) {
  const std::vector<Trial> trials = {trial_with(8e-4, 0.5, 2.5), trial_with(4e-4, 0.5, 2.75),
                                     trial_with(1.6e-3, 0.5, 2.25), trial_with(1.6e-3, 0.7, 2.5),
                                     trial_with(8e-4, 0.7, 3)};
  const std::vector<Choice> all = choices(trials, 2);
  ASSERT_EQ(all.size(), 4);
  EXPECT_EQ(all[0].setting, "learning rate");
  EXPECT_EQ(all[0].value, "0.0016");
  ASSERT_EQ(all[0].alternatives.size(), 2);
  EXPECT_EQ(all[0].alternatives[0].value, "0.0004");
  EXPECT_EQ(all[0].alternatives[0].label_rank, 2.75);
  EXPECT_EQ(all[0].alternatives[1].value, "0.0008");
  EXPECT_EQ(all[0].alternatives[1].label_rank, 2.5);
  EXPECT_EQ(all[1].setting, "epochs");
  EXPECT_TRUE(all[1].alternatives.empty());
  EXPECT_EQ(all[2].value, "0.5");
  ASSERT_EQ(all[2].alternatives.size(), 1);
  EXPECT_EQ(all[2].alternatives[0].value, "0.7");
}

}  // namespace
}  // namespace manyverbs
