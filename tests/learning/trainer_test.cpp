// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/trainer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/learning/toy.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

std::filesystem::path made(const ScratchFolder& scratch, const std::string& name) {
  std::filesystem::create_directories(scratch / name);
  return scratch / name;
}

// A scorer with given values, independent of the model.
EpochScorer scripted(std::vector<double> values) {
  auto next = std::make_shared<std::size_t>(0);
  return {{"score"}, [values = std::move(values), next](const Matrix<float>&) {
            return std::vector{values[(*next)++]};
          }};
}

std::vector<EpochRecord> history_of(const std::vector<double>& values,
                                    const std::vector<double>& losses = {}) {
  std::vector<EpochRecord> epochs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    epochs.push_back({static_cast<int>(i) + 1, 1.0, losses.empty() ? 1.0 : losses[i], {values[i]}});
  }
  return epochs;
}

std::int64_t steps_taken(const std::filesystem::path& folder) {
  const std::string state = read_tensors(folder / "checkpoint.safetensors").metadata["training"];
  return Json::parse(state)["steps"];
}

TEST(Trainer, LearnsSeparableClasses) {
  for (const Loss& row : all_losses()) {
    const std::string loss(row.name);
    const ScratchFolder scratch;
    const Toy toy;
    RunSettings settings = toy_settings();
    settings.loss = loss;
    settings.loss_settings.expected_labels = 1;
    settings.loss_settings.splc_warm_up = 5;
    const TrainingHistory history = train(toy.data, settings, toy.scorer(), scratch.path());
    EXPECT_EQ(history.epochs[history.best_epoch - 1].values[0], 1.0) << loss;
    EXPECT_LT(history.epochs.back().train_loss, history.epochs.front().train_loss) << loss;
    EXPECT_TRUE(history.finished);
  }
}

// Each of four networks of two units learns, and so does their mean.
TEST(Trainer, MembersLearnSeparableClasses) {
  for (const char* loss : {"an", "ce", "ll-r"}) {
    const ScratchFolder scratch;
    const Toy toy;
    RunSettings settings = toy_settings();
    settings.loss = loss;
    settings.features.members = 4;
    settings.epochs = 60;
    const TrainingHistory history = train(toy.data, settings, toy.scorer(), scratch.path());
    EXPECT_EQ(history.epochs[history.best_epoch - 1].values[0], 1.0) << loss;
  }
}

// The toy has classes 0, 1, 2 in this order; the shares say that each is the next one.
TEST(Trainer, SharesReplaceTheLabels) {
  const ScratchFolder scratch;
  Toy toy;
  toy.data.shares = Matrix<float>(toy.data.clips.size(), 3);
  for (std::size_t i = 0; i < toy.data.clips.size(); ++i) toy.data.shares(i, (i + 1) % 3) = 1;
  RunSettings settings = toy_settings();
  settings.loss = "cross-fit";
  const TrainingHistory history = train(toy.data, settings, toy.scorer(), scratch.path());
  EXPECT_EQ(history.epochs.back().values[0], 0.0);
  EXPECT_LT(history.epochs.back().train_loss, 0.5);
}

// A network that has seen only mixtures is less certain.
TEST(Trainer, MixupTrainsOnMixturesOfClipsAndTargets) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  settings.loss = "ce";
  const TrainingHistory plain = train(toy.data, settings, toy.scorer(), made(scratch, "plain"));
  settings.features.mixup = 1;
  const TrainingHistory mixed = train(toy.data, settings, toy.scorer(), made(scratch, "mixed"));
  EXPECT_EQ(mixed.epochs[mixed.best_epoch - 1].values[0], 1.0);
  EXPECT_GT(mixed.epochs.back().train_loss, 2 * plain.epochs.back().train_loss);
  settings.loss = "an";
  const TrainingHistory other = train(toy.data, settings, toy.scorer(), made(scratch, "other"));
  settings.features.mixup = 0;
  const TrainingHistory without = train(toy.data, settings, toy.scorer(), made(scratch, "without"));
  EXPECT_EQ(other.epochs.back().train_loss, without.epochs.back().train_loss)
      << "only for losses whose targets can be distributions";
}

TEST(Trainer, WritesModelCheckpointLogAndEvents) {
  const ScratchFolder scratch;
  const Toy toy;
  const TrainingHistory history = train(toy.data, toy_settings(), toy.scorer(), scratch.path());
  std::vector<std::string> names = scratch.names();
  ASSERT_EQ(names.size(), 4);
  names[1].resize(std::strlen("events.out.tfevents"));
  EXPECT_EQ(names, (std::vector<std::string>{"checkpoint.safetensors", "events.out.tfevents",
                                             "log.csv", "model.safetensors"}));
  const CsvTable log = read_csv(scratch / "log.csv");
  EXPECT_EQ(log.header,
            (std::vector<std::string>{"epoch", "train_loss", "validation_loss", "accuracy"}));
  ASSERT_EQ(log.rows.size(), history.epochs.size());
  for (std::size_t i = 0; i < log.rows.size(); ++i) {
    EXPECT_EQ(std::stoi(log.rows[i].fields[0]), history.epochs[i].epoch);
    EXPECT_EQ(std::stod(log.rows[i].fields[1]), history.epochs[i].train_loss);
    EXPECT_EQ(std::stod(log.rows[i].fields[2]), history.epochs[i].validation_loss);
    EXPECT_EQ(std::stod(log.rows[i].fields[3]), history.epochs[i].values[0]);
  }
}

TEST(Trainer, TheModelHasTheLabelsOfTheValidationClips) {
  const ScratchFolder scratch;
  Toy toy;
  toy.data.validation_targets(4, 0) = Label::Present;  // beside its label 1
  train(toy.data, toy_settings(), toy.scorer(), scratch.path());
  const ValidationClips validation = validation_clips(scratch.path());
  EXPECT_EQ(validation.probabilities.rows(), 30U);
  std::vector<ClassId> expected;
  for (int i = 0; i < 30; ++i) expected.push_back(i == 4 ? -1 : i % 3);
  EXPECT_EQ(validation.labels, expected);
}

TEST(Trainer, TheSameSeedIsBitIdenticalAndAnotherSeedIsNot) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  train(toy.data, settings, toy.scorer(), made(scratch, "one"));
  train(toy.data, settings, toy.scorer(), made(scratch, "same"));
  settings.seed = 2;
  train(toy.data, settings, toy.scorer(), made(scratch, "other"));
  for (const char* file : kTrainingFiles) {
    const std::string one = read_file(scratch / "one" / file);
    EXPECT_EQ(one, read_file(scratch / "same" / file)) << file;
    EXPECT_NE(one, read_file(scratch / "other" / file)) << file;
  }
}

// Corrections and soft labels change the loss of training clips, but epochs stay comparable.
TEST(Trainer, TheValidationLossIsThatOfTheFirstEpochWithoutMemory) {
  for (const char* loss : {"splc", "ll-r", "ll-ct", "ll-cp", "gr", "em-apl", "role"}) {
    const ScratchFolder scratch;
    const Toy toy;
    RunSettings settings = toy_settings();
    settings.loss = loss;
    settings.epochs = 4;
    settings.loss_settings.large_loss_rate = 20;
    settings.loss_settings.apl_warm_up = 1;
    settings.loss_settings.expected_labels = 1;
    Matrix<float> last;
    const EpochScorer scorer{{"epoch"}, [&, epoch = 0.0](const Matrix<float>& found) mutable {
                               last = found;
                               return std::vector{++epoch};
                             }};
    const TrainingHistory history = train(toy.data, settings, scorer, scratch.path());
    for (float& p : std::span(last.data(), last.values().size())) p = std::log(p / (1 - p));
    Matrix<float> unused(last.rows(), last.columns());
    const double expected = find_loss(loss).compute(
        {last, toy.data.validation_targets, settings.loss_settings, settings.recipe, 1, 4},
        &unused);
    EXPECT_NEAR(history.epochs[3].validation_loss, expected, 1e-4) << loss;
  }
}

TEST(Trainer, SelectsTheFirstOfTheBestEpochs) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  settings.epochs = 4;
  const TrainingHistory history =
      train(toy.data, settings, scripted({.2, .5, .5, .4}), made(scratch, "four"));
  EXPECT_EQ(history.best_epoch, 2);
  settings.epochs = 2;
  train(toy.data, settings, scripted({.2, .5}), made(scratch, "two"));
  EXPECT_EQ(read_tensors(scratch / "four" / "model.safetensors").metadata.at("epoch"), "2");
  EXPECT_EQ(read_file(scratch / "four" / "model.safetensors"),
            read_file(scratch / "two" / "model.safetensors"));
}

// With a maximum of two epochs, a cosine has the full rate in the first and half of it in the
// second.
TEST(Trainer, TheScheduleSetsTheRateOfEachEpoch) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  settings.epochs = 2;
  const auto model_of = [&](Schedule schedule, std::vector<double> values,
                            const std::string& name) {
    settings.schedule = schedule;
    train(toy.data, settings, scripted(std::move(values)), made(scratch, name));
    return read_file(scratch / name / "model.safetensors");
  };
  EXPECT_EQ(model_of(Schedule::Cosine, {.5, .4}, "cosine 1"),
            model_of(Schedule::Constant, {.5, .4}, "constant 1"));
  EXPECT_NE(model_of(Schedule::Cosine, {.4, .5}, "cosine 2"),
            model_of(Schedule::Constant, {.4, .5}, "constant 2"));
}

TEST(Trainer, DropoutChangesTheTraining) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  train(toy.data, settings, toy.scorer(), made(scratch, "without"));
  settings.dropout = 0.5;
  const TrainingHistory history = train(toy.data, settings, toy.scorer(), made(scratch, "with"));
  EXPECT_NE(read_file(scratch / "with/model.safetensors"),
            read_file(scratch / "without/model.safetensors"));
  EXPECT_EQ(history.epochs[history.best_epoch - 1].values[0], 1.0);
}

TEST(Trainer, StopsEarly) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  settings.patience = 2;
  settings.epochs = 10;
  const TrainingHistory history =
      train(toy.data, settings, scripted({.2, .5, .5, .4, .9}), scratch.path());
  EXPECT_EQ(history.epochs.size(), 4);
  EXPECT_TRUE(history.finished);
}

TEST(Trainer, ThePaperStopsIfTheValueHasNotImproved) {
  const auto stops = [](const std::vector<double>& values) {
    return should_stop(history_of(values), 2, Recipe::Paper);
  };
  EXPECT_FALSE(stops({.5}));
  EXPECT_FALSE(stops({.5, .4}));
  EXPECT_TRUE(stops({.5, .4, .3}));
  EXPECT_TRUE(stops({.5, .5, .5}));
  EXPECT_FALSE(stops({.5, .4, .6}));
  EXPECT_FALSE(stops({.5, .4, .6, .5}));
  EXPECT_TRUE(stops({.5, .4, .6, .5, .6}));
}

TEST(Trainer, ThePaperIgnoresTheLossWhenStopping) {
  EXPECT_TRUE(should_stop(history_of({.5, .4, .3}, {3, 2, 1}), 2, Recipe::Paper));
}

TEST(Trainer, TheReleasedCodeStopsIfNeitherValueNorLossImprovesAndCountsEqualAsBetter) {
  const auto stops = [](const std::vector<double>& values, const std::vector<double>& losses) {
    return should_stop(history_of(values, losses), 2, Recipe::Released);
  };
  EXPECT_TRUE(stops({.5, .4, .3}, {1, 2, 3}));
  EXPECT_FALSE(stops({.5, .4, .3}, {3, 2, 1}));
  EXPECT_FALSE(stops({.3, .4, .5}, {1, 2, 3}));
  EXPECT_FALSE(stops({.5, .4, .5}, {1, 2, 3}));
  EXPECT_FALSE(stops({.5, .4, .3}, {1, 2, 1}));
  EXPECT_TRUE(stops({.5, .5, .4, .3}, {1, 1, 2, 3}));
}

TEST(Trainer, AFinishedTrainingReturnsImmediately) {
  const ScratchFolder scratch;
  const Toy toy;
  const TrainingHistory first = train(toy.data, toy_settings(), toy.scorer(), scratch.path());
  const ino_t stamp = identity(scratch / "checkpoint.safetensors");
  const EpochScorer never{{"accuracy"}, [](const Matrix<float>&) -> std::vector<double> {
                            throw std::logic_error("an epoch was run");
                          }};
  const TrainingHistory again = train(toy.data, toy_settings(), never, scratch.path());
  EXPECT_EQ(again.best_epoch, first.best_epoch);
  EXPECT_EQ(again.epochs.size(), first.epochs.size());
  EXPECT_EQ(again.epochs.back().train_loss, first.epochs.back().train_loss);
  EXPECT_EQ(identity(scratch / "checkpoint.safetensors"), stamp);
}

// A run of 6 epochs continued to 15 is bit-identical to a run of 15.
TEST(Trainer, MoreEpochsContinueAFinishedTraining) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  train(toy.data, settings, toy.scorer(), made(scratch, "whole"));
  settings.epochs = 6;
  EXPECT_EQ(train(toy.data, settings, toy.scorer(), made(scratch, "continued")).epochs.size(), 6);
  settings.epochs = 15;
  const TrainingHistory history = train(toy.data, settings, toy.scorer(), scratch / "continued");
  EXPECT_EQ(history.epochs.size(), 15);
  EXPECT_FALSE(history.out_of_patience);
  for (const char* file : kTrainingFiles) {
    EXPECT_EQ(read_file(scratch / "continued" / file), read_file(scratch / "whole" / file)) << file;
  }
}

TEST(Trainer, MoreEpochsDoNotContinueATrainingThatStoppedEarly) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  settings.patience = 2;
  settings.epochs = 10;
  EXPECT_TRUE(
      train(toy.data, settings, scripted({.2, .5, .5, .4, .9}), scratch.path()).out_of_patience);
  settings.epochs = 20;
  const TrainingHistory again = train(toy.data, settings, scripted({}), scratch.path());
  EXPECT_EQ(again.epochs.size(), 4);
  EXPECT_TRUE(again.finished && again.out_of_patience);
}

TEST(Trainer, ASingleLastClipIsAddedToThePreviousBatch) {
  const ScratchFolder scratch;
  const Toy toy(17);
  RunSettings settings = toy_settings();
  settings.batch = 16;
  train(toy.data, settings, toy.scorer(), made(scratch, "sixteen"));
  settings.batch = 17;
  train(toy.data, settings, toy.scorer(), made(scratch, "seventeen"));
  EXPECT_EQ(read_file(scratch / "sixteen" / "checkpoint.safetensors"),
            read_file(scratch / "seventeen" / "checkpoint.safetensors"));
}

TEST(Trainer, TheReleasedCodeDropsAnIncompleteLastBatch) {
  const ScratchFolder scratch;
  RunSettings settings = toy_settings();
  settings.epochs = 3;
  settings.batch = 16;
  const auto steps = [&](int clips, Recipe recipe) {
    const Toy toy(clips);
    settings.recipe = recipe;
    const auto folder =
        made(scratch, fmt::format("{}-{}", clips, recipe == Recipe::Paper ? "paper" : "released"));
    train(toy.data, settings, toy.scorer(), folder);
    return steps_taken(folder);
  };
  EXPECT_EQ(steps(40, Recipe::Paper), 9);
  EXPECT_EQ(steps(40, Recipe::Released), 6);
  EXPECT_EQ(steps(32, Recipe::Released), 6);
  EXPECT_EQ(steps(10, Recipe::Released), 3);
}

TEST(Trainer, ANanLossIsAnErrorWithAdvice) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  settings.learning_rate = 1e30;
  const auto folder = made(scratch, "run");
  const EpochScorer never{{"accuracy"}, [](const Matrix<float>&) -> std::vector<double> {
                            throw std::logic_error("scores that are no numbers were judged");
                          }};
  EXPECT_EQ(error_of(scratch, [&] { train(toy.data, settings, never, folder); }),
            "run: the loss is NaN in epoch 1; try a learning rate below 1e+30");
}

TEST(Trainer, NanFeaturesAreErrorsWithFileAndRow) {
  const ScratchFolder scratch;
  Toy toy;
  toy.rows(5, 2) = std::numeric_limits<float>::quiet_NaN();
  write_array(scratch / "rgb.npy", toy.rows);
  std::vector<ArrayFile> files;
  files.emplace_back(scratch / "rgb.npy");
  const FeatureTable features(std::move(files));
  toy.data.features = &features;
  EXPECT_EQ(
      error_of(scratch, [&] { train(toy.data, toy_settings(), toy.scorer(), scratch.path()); }),
      "rgb.npy: row 5, column 2: expected a finite number, found nan");
}

TEST(Trainer, AFullDiskIsAnErrorAndTheTrainingResumesLater) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  settings.features.hidden = {64, 64};  // so that the model is larger than the events
  train(toy.data, settings, toy.scorer(), made(scratch, "undisturbed"));
  const auto folder = made(scratch, "full");
  const auto problem_with = [&](int bytes) {
    const FullDisk full(bytes);
    return error_of(scratch, [&] { train(toy.data, settings, toy.scorer(), folder); });
  };
  const std::string early = problem_with(100);
  EXPECT_TRUE(early.starts_with("full/events.out.tfevents.")) << early;
  EXPECT_TRUE(early.ends_with(": cannot be written: File too large")) << early;
  EXPECT_EQ(problem_with(8000),
            "full/model.safetensors: cannot be written: File too large; the previous content "
            "is unchanged");
  train(toy.data, settings, toy.scorer(), folder);
  for (const char* file : kTrainingFiles) {
    EXPECT_EQ(read_file(folder / file), read_file(scratch / "undisturbed" / file)) << file;
  }
}

TEST(Trainer, AnInvalidCheckpointIsAnErrorWithItsName) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  settings.epochs = 2;
  train(toy.data, settings, toy.scorer(), scratch.path());
  const auto problem = [&] {
    return error_of(scratch, [&] { train(toy.data, settings, toy.scorer(), scratch.path()); });
  };
  settings.features.hidden = {9};
  EXPECT_EQ(problem(),
            "checkpoint.safetensors: 'hidden0.weight': expected the shape 9 x 4, found 8 x 4");
  settings = toy_settings();
  const std::string whole = read_file(scratch / "checkpoint.safetensors");
  write_file(scratch / "checkpoint.safetensors", whole.substr(0, whole.size() - 1));
  EXPECT_NE(problem().find("checkpoint.safetensors: is truncated or damaged at '"),
            std::string::npos);
  TensorFile file;
  write_file(scratch / "checkpoint.safetensors", whole);
  file = read_tensors(scratch / "checkpoint.safetensors");
  file.metadata.clear();
  write_tensors(scratch / "checkpoint.safetensors", file);
  EXPECT_EQ(problem(), "checkpoint.safetensors: the key 'steps' is missing");
  file.metadata["training"] = R"({"steps":1,"best_epoch":7,"epochs":[]})";
  write_tensors(scratch / "checkpoint.safetensors", file);
  EXPECT_EQ(problem(), "checkpoint.safetensors: is damaged: best epoch 7 of 0 epochs");
}

}  // namespace
}  // namespace manyverbs
