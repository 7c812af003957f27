// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/refit.h"

#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/batch.h"
#include "manyverbs/support/internal/files.h"
#include "tests/interrupting.h"
#include "tests/learning/targets.h"
#include "tests/learning/toy.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

RunSettings refit_settings(const std::string& loss) {
  RunSettings settings = toy_settings();
  settings.loss = loss;
  settings.epochs = 6;
  settings.patience = 2;
  settings.schedule = Schedule::Cosine;  // the learning rates of 6 epochs, not of the best
  settings.features.refit = true;
  settings.features.cross_fit = {.label_weight = 0.5, .least_share = 0.3};
  return settings;
}

// Two clips of three classes, one for training and one for validation.
TrainingData two_clips(const std::string& training, const std::string& validation) {
  TrainingData data;
  data.clips = {ClipRow(4)};
  data.targets = targets_of({training});
  data.validation_clips = {ClipRow(7)};
  data.validation_targets = targets_of({validation});
  return data;
}

at::Tensor tensor(const TensorFile& file, std::string_view wanted) {
  for (const auto& [name, found] : file.tensors) {
    if (name == wanted) return found;
  }
  return {};
}

TrainingHistory history_of(const std::vector<double>& values, int best_epoch) {
  TrainingHistory history;
  for (const double value : values) {
    history.epochs.push_back(
        {.epoch = static_cast<int>(history.epochs.size()) + 1, .values = {value}});
  }
  history.best_epoch = best_epoch;
  return history;
}

TEST(Refit, TheLastEpochThatIsHardlyWorseThanTheBestIsTheLast) {
  EXPECT_EQ(refit_epochs(history_of({0.4, 0.5, 0.49, 0.495, 0.48}, 2)), 4);
  EXPECT_EQ(refit_epochs(history_of({0.4, 0.5, 0.49}, 2)), 2);
  EXPECT_EQ(refit_epochs(history_of({0, 0, 0}, 1)), 3) << "nothing tells them apart";
}

TEST(Refit, ValidationClipsFollowTheTrainingClips) {
  const TrainingData all = refit_data(two_clips("PAA", "APA"), {}, refit_settings("ce"));
  EXPECT_EQ(all.clips, (std::vector{ClipRow(4), ClipRow(7)}));
  EXPECT_EQ(all.targets, targets_of({"PAA", "APA"}));
  EXPECT_EQ(all.shares.rows(), 0);
}

TEST(Refit, BothHaveTheTargetsOfACrossFittedLoss) {
  const Matrix<float> shares(2, 3, {0.25, 0.5, 0.25, 0.5, 0.25, 0.25});
  const TrainingData data = two_clips("PAA", "APA");
  EXPECT_EQ(refit_data(data, shares, refit_settings("cross-mask")).targets,
            targets_of({"PUA", "UPA"}));
  EXPECT_EQ(refit_data(data, shares, refit_settings("cross-fit")).shares,
            (Matrix<float>(2, 3, {0.625, 0.25, 0.125, 0.25, 0.625, 0.125})));
}

TEST(Refit, AValidationClipWithSeveralLabelsHasAllThatApply) {
  const Matrix<float> shares(2, 3, {0.25, 0.25, 0.5, 0.25, 0.25, 0.5});
  const TrainingData data = two_clips("PAA", "PPA");
  EXPECT_EQ(refit_data(data, shares, refit_settings("cross-mask")).targets,
            targets_of({"PAU", "PPA"}));
  EXPECT_EQ(refit_data(data, shares, refit_settings("cross-fit")).shares,
            (Matrix<float>(2, 3, {0.625, 0.125, 0.25, 0.375, 0.375, 0.25})));
  EXPECT_EQ(refit_data(data, {}, refit_settings("ce")).shares,
            (Matrix<float>(2, 3, {1, 0, 0, 0.5, 0.5, 0})));
}

TEST(Refit, TheNetworkIsThatOfATrainingOnAllClipsUntilTheBestEpoch) {
  const ScratchFolder scratch;
  const Toy toy;
  const RunSettings settings = refit_settings("ce");
  train(toy.data, settings, toy.scorer(), scratch.path());
  const TrainingHistory history = history_of({0.1, 0.2, 0.3, 0.4, 0.1, 0.1}, 4);
  const TensorFile before = read_tensors(scratch / "model.safetensors");
  refit(toy.data, {}, settings, history, scratch.path());
  const TensorFile after = read_tensors(scratch / "model.safetensors");

  Toy all(90);  // its first 90 clips are those of the other
  std::filesystem::create_directory(scratch / "all");
  EpochScorer scorer = all.scorer();
  scorer.last_epoch = 4;
  EXPECT_EQ(train(all.data, settings, scorer, scratch / "all").epochs.size(), 4);
  const TensorFile wanted = read_tensors(scratch / "all/model.safetensors");
  int weights = 0;
  for (const auto& [name, found] : after.tensors) {
    const bool of_validation = name.starts_with("validation.");
    EXPECT_TRUE(found.equal(tensor(of_validation ? before : wanted, name))) << name;
    if (of_validation) continue;
    ++weights;
    EXPECT_TRUE(name.find("tracked") != std::string::npos || !found.equal(tensor(before, name)))
        << name << " has changed";
  }
  EXPECT_GT(weights, 4);
  EXPECT_EQ(after.tensors.size(), before.tensors.size());
  EXPECT_FALSE(std::filesystem::exists(scratch / "refit"));
}

TEST(Refit, ASecondCallChangesNothingAndRemovesWhatACrashHasLeft) {
  const ScratchFolder scratch;
  const Toy toy;
  const RunSettings settings = refit_settings("ce");
  const TrainingHistory history = train(toy.data, settings, toy.scorer(), scratch.path());
  refit(toy.data, {}, settings, history, scratch.path());
  const std::string model = read_file(scratch / "model.safetensors");
  scratch.write("refit/checkpoint.safetensors", "of a crash");
  refit(toy.data, {}, settings, history, scratch.path());
  EXPECT_EQ(read_file(scratch / "model.safetensors"), model);
  EXPECT_FALSE(std::filesystem::exists(scratch / "refit"));
}

TEST(Refit, AFirstTrainingWithMoreGoodEpochsIsRefittedAgain) {
  const ScratchFolder scratch;
  const Toy toy;
  const RunSettings settings = refit_settings("ce");
  train(toy.data, settings, toy.scorer(), scratch.path());
  const auto epochs = [&] {
    return read_tensors(scratch / "model.safetensors").metadata.at("refitted");
  };
  refit(toy.data, {}, settings, history_of({0.4, 0.5, 0.3}, 2), scratch.path());
  EXPECT_EQ(epochs(), "2");
  const std::string two = read_file(scratch / "model.safetensors");
  refit(toy.data, {}, settings, history_of({0.4, 0.5, 0.3, 0.499}, 2), scratch.path());
  EXPECT_EQ(epochs(), "4");
  EXPECT_NE(read_file(scratch / "model.safetensors"), two);
}

TEST(Refit, InterruptedAtAnyTimeTheResultIsBitIdentical) {
  const ScratchFolder scratch;
  const Toy toy;
  const RunSettings settings = refit_settings("cross-mask");
  const Matrix<float> shares(90, 3, 1.0F / 3);
  const auto work = [&](const char* name) {
    const TrainingHistory history = train(toy.data, settings, toy.scorer(), scratch / name);
    refit(toy.data, shares, settings, history, scratch / name);
  };
  for (const char* name : {"undisturbed", "interrupted"}) {
    std::filesystem::create_directory(scratch / name);
  }
  work("undisturbed");
  const std::vector<std::string> kept = interrupt_until_done([&] { work("interrupted"); });
  ASSERT_FALSE(kept.empty());
  EXPECT_EQ(read_file(scratch / "interrupted/model.safetensors"),
            read_file(scratch / "undisturbed/model.safetensors"));
}

TEST(Refit, AnInterruptedCallSaysWhatIsSaved) {
  const ScratchFolder scratch;
  const Toy toy;
  const RunSettings settings = refit_settings("ce");
  const TrainingHistory history = train(toy.data, settings, toy.scorer(), scratch.path());
  EXPECT_EQ(interrupted_at_once([&] { refit(toy.data, {}, settings, history, scratch.path()); }),
            "training with the validation clips: saved after step 0 of epoch 1");
}

}  // namespace
}  // namespace manyverbs
