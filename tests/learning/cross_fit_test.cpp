// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/cross_fit.h"

#include <algorithm>
#include <numeric>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/parallel.h"
#include "tests/interrupting.h"
#include "tests/learning/targets.h"
#include "tests/learning/toy.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

RunSettings cross_fit_settings() {
  RunSettings settings = toy_settings();
  settings.loss = "cross-fit";
  settings.features.cross_fit.folds = 3;
  return settings;
}

// Gives a training clip another label.
void relabel(Toy* toy, int clip, ClassId label) {
  for (Label& target : toy->data.targets.row(clip)) target = Label::Absent;
  toy->data.targets(clip, label) = Label::Present;
}

std::vector<float> row_of(const Matrix<float>& matrix, int row) {
  return {matrix.row(row).begin(), matrix.row(row).end()};
}

TEST(CrossFit, PredictsTheSharesOfAllTrainingClips) {
  const ScratchFolder scratch;
  const Toy toy;
  const Matrix<float> shares = cross_fit(toy.data, cross_fit_settings(), scratch.path());
  ASSERT_EQ(shares.rows(), 60);
  ASSERT_EQ(shares.columns(), 3);
  for (std::size_t i = 0; i < shares.rows(); ++i) {
    const auto row = shares.row(i);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5) << i;
    EXPECT_GT(row[i % 3], 0.5) << i;
  }
}

TEST(CrossFit, TheOwnLabelOfAClipHasNoInfluenceOnItsShares) {
  const ScratchFolder scratch;
  const Toy toy;
  Toy changed;
  relabel(&changed, 7, 2);
  std::filesystem::create_directory(scratch / "a");
  std::filesystem::create_directory(scratch / "b");
  RunSettings settings = cross_fit_settings();
  settings.features.cross_fit.rounds = 3;
  settings.epochs = 1;  // there is nothing to select
  const Matrix<float> before = cross_fit(toy.data, settings, scratch / "a");
  const Matrix<float> after = cross_fit(changed.data, settings, scratch / "b");
  EXPECT_EQ(row_of(after, 7), row_of(before, 7));
  int others = 0;
  for (int i = 0; i < 60; ++i) others += row_of(after, i) != row_of(before, i) ? 1 : 0;
  EXPECT_GT(others, 40) << "which are predicted by networks that were trained on clip 7";
}

TEST(CrossFit, RoundsUseOtherFoldsAndAreAveraged) {
  const ScratchFolder scratch;
  const Toy toy;
  std::vector<Matrix<float>> shares;
  RunSettings settings = cross_fit_settings();
  for (const int rounds : {1, 2}) {
    settings.features.cross_fit.rounds = rounds;
    const std::filesystem::path folder = scratch / std::to_string(rounds);
    std::filesystem::create_directory(folder);
    shares.push_back(cross_fit(toy.data, settings, folder));
  }
  EXPECT_NE(shares[0], shares[1]);
  for (std::size_t i = 0; i < shares[0].rows(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const float second = 2 * shares[1](i, c) - shares[0](i, c);
      EXPECT_GE(second, -1e-5) << "the shares of the second round";
      EXPECT_LE(second, 1 + 1e-5);
    }
  }
}

// The shares of training clips are the same; those of a validation clip are a mean over all folds.
TEST(CrossFit, WithRefitTheSharesOfTheValidationClipsFollow) {
  const ScratchFolder scratch;
  Toy toy;
  RunSettings settings = cross_fit_settings();
  settings.features.cross_fit.rounds = 1;
  settings.epochs = 1;  // there is nothing to select
  std::filesystem::create_directory(scratch / "a");
  std::filesystem::create_directory(scratch / "b");
  const Matrix<float> before = cross_fit(toy.data, settings, scratch / "a");
  // A copy of the first training clip: its share of one fold is in the mean.
  toy.data.validation_clips[0] = toy.data.clips[0];
  settings.features.refit = true;
  const Matrix<float> after = cross_fit(toy.data, settings, scratch / "b");
  ASSERT_EQ(after.rows(), 60 + 30);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(row_of(after, i), row_of(before, i)) << i;
  for (std::size_t i = 60; i < 90; ++i) {
    const auto row = after.row(i);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5) << i;
  }
  EXPECT_NE(row_of(after, 60), row_of(after, 0)) << "other networks also predict it";
  EXPECT_EQ(cross_fit(toy.data, settings, scratch / "b"), after) << "read from the file";
  settings.features.refit = false;
  EXPECT_EQ(error_of(scratch, [&] { cross_fit(toy.data, settings, scratch / "b"); }),
            "b/cross_fit.npy: expected 60 x 3 values, found 90 x 3; remove it");
}

TEST(CrossFit, LeavesOneFileWhichALaterCallReads) {
  const ScratchFolder scratch;
  const Toy toy;
  const Matrix<float> shares = cross_fit(toy.data, cross_fit_settings(), scratch.path());
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"cross_fit.npy"});
  Toy other;
  relabel(&other, 7, 2);
  EXPECT_EQ(cross_fit(other.data, cross_fit_settings(), scratch.path()), shares);
}

TEST(CrossFit, InterruptedAtAnyTimeAndOnAnyNumberOfThreadsTheResultIsBitIdentical) {
  const ScratchFolder scratch;
  const Toy toy;
  for (const char* name : {"undisturbed", "interrupted"}) {
    std::filesystem::create_directory(scratch / name);
  }
  cross_fit(toy.data, cross_fit_settings(), scratch / "undisturbed");
  set_num_threads(3);
  const std::vector<std::string> kept = interrupt_until_done(
      [&] { cross_fit(toy.data, cross_fit_settings(), scratch / "interrupted"); });
  set_num_threads(1);
  ASSERT_FALSE(kept.empty());
  EXPECT_EQ(kept.front(), "the networks of the folds are saved");
  EXPECT_EQ(read_file(scratch / "interrupted" / "cross_fit.npy"),
            read_file(scratch / "undisturbed" / "cross_fit.npy"));
}

TEST(CrossFit, TooFewClipsAreAnError) {
  const ScratchFolder scratch;
  RunSettings settings = cross_fit_settings();
  settings.features.cross_fit.folds = 7;
  const Toy six(6);
  EXPECT_EQ(error_of(scratch, [&] { cross_fit(six.data, settings, scratch.path()); }),
            "cross-fitting with 7 folds requires at least 7 training clips, found 6");
  settings.features.cross_fit.folds = 2;
  const Toy three(3);
  EXPECT_EQ(error_of(scratch, [&] { cross_fit(three.data, settings, scratch.path()); }),
            "cross-fitting with 2 folds requires at least 4 training clips, found 3");
  const Toy four(4);
  EXPECT_EQ(cross_fit(four.data, settings, scratch.path()).rows(), 4);
}

TEST(CrossFit, AFileOfAnotherShapeIsAnError) {
  const ScratchFolder scratch;
  const Toy toy;
  write_array(scratch / "cross_fit.npy", Matrix<float>(2, 3));
  EXPECT_EQ(error_of(scratch, [&] { cross_fit(toy.data, cross_fit_settings(), scratch.path()); }),
            "cross_fit.npy: expected 60 x 3 values, found 2 x 3; remove it");
}

TEST(CrossFit, TargetsAreAMixtureOfLabelAndShares) {
  const Matrix<float> shares(1, 3, {0.5, 0.25, 0.25});
  LabelMatrix labels(1, 3);
  labels(0, 1) = Label::Present;
  EXPECT_EQ(with_labels(shares, labels, 0.5), (Matrix<float>(1, 3, {0.25, 0.625, 0.125})));
  EXPECT_EQ(with_labels(shares, labels, 0), shares);
  EXPECT_EQ(with_labels(shares, labels, 1), (Matrix<float>(1, 3, {0, 1, 0})));
  labels(0, 2) = Label::Present;
  EXPECT_EQ(with_labels(shares, labels, 0.5), (Matrix<float>(1, 3, {0.25, 0.375, 0.375})));
}

TEST(CrossFit, ClassesWithAHigherShareAreUnknownUnlessTheyAreTheLabel) {
  const Matrix<float> shares(2, 3, {0.9F, 0.06F, 0.04F, 0.25F, 0.5F, 0.25F});
  const LabelMatrix labels = targets_of({"PAA", "APA"});
  EXPECT_EQ(without_likely(shares, labels, 0.05), targets_of({"PUA", "UPU"}));
  EXPECT_EQ(without_likely(shares, labels, 0.25), targets_of({"PAA", "APA"})) << "not higher";
  EXPECT_EQ(without_likely(shares, labels, 0), targets_of({"PUU", "UPU"}));
  EXPECT_EQ(without_likely(shares, targets_of({"PPA", "APA"}), 0), targets_of({"PPA", "UPU"}))
      << "several labels are all that apply";
}

TEST(CrossFit, EachLossGetsItsTargets) {
  const Matrix<float> shares(1, 3, {0.5, 0.25, 0.25});
  RunSettings settings;
  settings.features.cross_fit = {.label_weight = 0.5, .least_share = 0.3};
  TrainingData data;
  data.targets = targets_of({"APA"});
  settings.loss = "cross-fit";
  set_cross_fitted(shares, settings, &data);
  EXPECT_EQ(data.shares, (Matrix<float>(1, 3, {0.25, 0.625, 0.125})));
  EXPECT_EQ(data.targets, targets_of({"APA"}));
  data.shares = {};
  settings.loss = "cross-mask";
  set_cross_fitted(shares, settings, &data);
  EXPECT_EQ(data.shares.rows(), 0);
  EXPECT_EQ(data.targets, targets_of({"UPA"}));
}

TEST(CrossFit, FoldsHaveTheirOwnLearningRateAndEpochsIfGiven) {
  RunSettings settings = cross_fit_settings();
  settings.learning_rate = 0.5;
  settings.epochs = 40;
  settings.patience = 7;
  EXPECT_EQ(fold_settings(settings).loss, "ce");
  EXPECT_EQ(fold_settings(settings).learning_rate, 0.5);
  EXPECT_EQ(fold_settings(settings).epochs, 40);
  EXPECT_EQ(fold_settings(settings).patience, 7);
  settings.features.cross_fit.fold_learning_rate = 0.25;
  settings.features.cross_fit.fold_epochs = 20;
  EXPECT_EQ(fold_settings(settings).learning_rate, 0.25);
  EXPECT_EQ(fold_settings(settings).epochs, 20);
  EXPECT_EQ(fold_settings(settings).patience, 20);
}

// The labels of held-out clips are those that people gave, whatever the loss ignores.
TEST(CrossFit, HeldOutClipsHaveTheirLabelsWithEveryLoss) {
  const ScratchFolder scratch;
  Toy toy;
  RunSettings settings = cross_fit_settings();
  settings.loss = "cross-mask";
  settings.features.cross_fit.least_share = 0.1;
  const Matrix<float> shares(60, 3, 1.0F / 3);
  const LabelMatrix labels = toy.data.targets;
  set_cross_fitted(shares, settings, &toy.data);
  const HeldOut predicted = predict_held_out(toy.data, settings, scratch / "trial");
  ASSERT_EQ(predicted.labels.rows(), 60) << "all folds, since there are few clips";
  EXPECT_EQ(std::ranges::count(predicted.labels.values(), Label::Present), 60);
  EXPECT_EQ(std::ranges::count(predicted.labels.values(), Label::Unknown), 0);
}

}  // namespace
}  // namespace manyverbs
