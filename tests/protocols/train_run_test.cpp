// SPDX-License-Identifier: MIT
#include <ATen/ATen.h>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/protocols/internal/best_per_metric.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/one_thread.h"
#include "tests/protocols/kitchen.h"

namespace manyverbs {
namespace {

std::string model_of(const std::filesystem::path& run) {
  return read_file(run / "model.safetensors");
}

std::string weights_of(const std::filesystem::path& run) {
  std::string text;
  for (const auto& [name, tensor] : load_model(run, read_run(run)).state()) {
    text += name;
    text.append(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
  }
  return text;
}

std::vector<std::string> columns_of_log(const std::filesystem::path& run) {
  std::vector<std::string> header = read_csv(run / "log.csv").header;
  header.erase(header.begin(), header.begin() + 3);
  return header;
}

class TrainRun : public testing::Test {
 protected:
  std::string problem(const Dataset& dataset, const RunSettings& settings) const {
    return error_of(scratch_, [&] { train_run(dataset, settings, scratch_ / "run"); });
  }

  ScratchFolder scratch_;
  Dataset kitchen_ = write_kitchen(scratch_ / "kitchen");
};

TEST_F(TrainRun, WritesAFolderWithTheSettings) {
  const TrainingHistory history = train_run(kitchen_, quick_run("an"), scratch_ / "runs/an");
  EXPECT_EQ(history.epochs.size(), 3);
  const auto run = read_run(scratch_ / "runs/an");
  EXPECT_EQ(run.dataset, std::filesystem::absolute(scratch_ / "kitchen"));
  EXPECT_EQ(run.settings.features.streams, (std::vector<std::string>{"flow", "rgb"}));
  EXPECT_EQ(run.feature_columns, 24);
  EXPECT_EQ(run.classes, kitchen_.classes.names());
  EXPECT_EQ(run.settings.features.pseudo_labels, "");
  EXPECT_EQ(columns_of_log(scratch_ / "runs/an"),
            (std::vector<std::string>{"reciprocal_rank", "top1"}));
}

TEST_F(TrainRun, TheProtocolOfThePaperSelectsByTop1) {
  RunSettings settings = quick_run("an");
  settings.protocol = Protocol::Paper;
  train_run(kitchen_, settings, scratch_ / "run");
  EXPECT_EQ(columns_of_log(scratch_ / "run"), (std::vector<std::string>{"top1"}));
  EXPECT_FALSE(best_per_metric(scratch_ / "run"));
}

// The val clips of the kitchen have their ground truth.
TEST_F(TrainRun, F1SelectsTheEpochAndTheThresholdIfValClipsHaveAllLabels) {
  for (Clip& clip : kitchen_.clips) {
    if (clip.split == Split::Val) clip.labels = clip.truth;
  }
  ASSERT_TRUE(has_complete_validation(kitchen_.clips));
  const TrainingHistory history = train_run(kitchen_, quick_run("ce"), scratch_ / "run");
  EXPECT_EQ(columns_of_log(scratch_ / "run"),
            (std::vector<std::string>{"best_f1", "reciprocal_rank"}));
  const Model model = Model::open(scratch_ / "run");
  const Evaluation evaluation =
      model.evaluate(kitchen_, Split::Val, {.threshold = model.default_threshold()});
  EXPECT_NEAR(evaluation.fixed.f1, history.epochs[history.best_epoch - 1].values[0], 1e-6);
  EXPECT_NEAR(evaluation.fixed.f1, evaluation.best.f1.f1, 1e-6);
  EXPECT_EQ(
      error_of(scratch_, [&] { model.coverage_rule(0.9); }),
      "run: coverage and calibration require validation clips with one label each; those of this "
      "run have all labels that apply");
}

TEST_F(TrainRun, AFinishedRunIsUnchanged) {
  train_run(kitchen_, quick_run("an"), scratch_ / "run");
  const ino_t before = identity(scratch_ / "run/checkpoint.safetensors");
  EXPECT_EQ(train_run(kitchen_, quick_run("an"), scratch_ / "run").epochs.size(), 3);
  EXPECT_EQ(identity(scratch_ / "run/checkpoint.safetensors"), before);
}

TEST_F(TrainRun, SettingsOfARunOnClipsAreAnError) {
  EXPECT_EQ(problem(kitchen_, default_settings(RunKind::Clips)),
            "expected the settings of a run on features, found those of a run on clips");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run"));
}

TEST_F(TrainRun, AMissingExpectedNumberOfLabelsIsAnErrorBeforeTheFolderIsCreated) {
  for (const std::string loss : {"role", "epr"}) {
    EXPECT_EQ(
        problem(kitchen_, quick_run(loss)),
        fmt::format("the loss {} requires the expected number of labels per clip: "
                    "--expected-labels above 0 and at most {}, the number of classes; found 0",
                    loss, kitchen_.classes.size()));
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run"));
}

TEST_F(TrainRun, TooFewClipsForFoldsAreAnErrorBeforeTheFolderIsCreated) {
  EXPECT_EQ(problem(write_line(scratch_ / "line"), quick_run("cross-fit")),
            "cross-fitting with 5 folds requires at least 5 training clips, found 3");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run"));
}

TEST_F(TrainRun, CrossFitStoresTheSharesOfTheTrainingClipsAndUsesThem) {
  RunSettings settings = quick_run("cross-fit");
  settings.features.cross_fit.rounds = 1;
  train_run(kitchen_, settings, scratch_ / "run");
  const Matrix<float> shares = read_float_array(scratch_ / "run/cross_fit.npy");
  EXPECT_EQ(shares.rows(), kitchen_.clips_of(Split::Train).size());
  EXPECT_EQ(shares.columns(), kitchen_.classes.size());
  settings.features.cross_fit.label_weight = 1;
  train_run(kitchen_, settings, scratch_ / "labels");
  train_run(kitchen_, quick_run("ce"), scratch_ / "ce");
  EXPECT_EQ(model_of(scratch_ / "labels"), model_of(scratch_ / "ce"));
  EXPECT_NE(model_of(scratch_ / "run"), model_of(scratch_ / "ce"));
}

TEST_F(TrainRun, CrossMaskIsMaskWithThePredictionsOfTheFoldsAsPseudoLabels) {
  RunSettings settings = quick_run("cross-mask");
  settings.features.cross_fit.rounds = 1;
  train_run(kitchen_, settings, scratch_ / "run");
  const Matrix<float> shares = read_float_array(scratch_ / "run/cross_fit.npy");
  const auto clips = kitchen_.clips_of(Split::Train);
  const std::vector<ClassId> labels = kitchen_.labels_of(clips);
  Suggestions suggestions(clips.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    for (ClassId c = 0; c < kitchen_.classes.size(); ++c) {
      if (shares(i, c) > 0.03 && c != labels[i]) suggestions[i].push_back(c);
    }
    count += suggestions[i].size();
  }
  EXPECT_GT(count, clips.size()) << "more than one per clip";
  train_run(kitchen_, quick_run("mask"), scratch_ / "mask", &suggestions);
  EXPECT_EQ(weights_of(scratch_ / "run"), weights_of(scratch_ / "mask"));
  EXPECT_NE(validation_clips(scratch_ / "run").probabilities,
            validation_clips(scratch_ / "mask").probabilities)
      << "those of cross-mask are divided by a power of their sum";
}

TEST_F(TrainRun, RefitKeepsWhatTheFirstTrainingSaysAboutTheValidationClips) {
  for (const std::string loss : {"ce", "cross-fit", "cross-mask"}) {
    RunSettings settings = quick_run(loss);
    settings.features.cross_fit.rounds = 1;
    settings.loss_settings.expected_labels = 2;
    const TrainingHistory plain = train_run(kitchen_, settings, scratch_ / (loss + "-plain"));
    settings.features.refit = true;
    const TrainingHistory history = train_run(kitchen_, settings, scratch_ / loss);
    EXPECT_EQ(history.best_epoch, plain.best_epoch);
    EXPECT_EQ(validation_clips(scratch_ / loss).probabilities,
              validation_clips(scratch_ / (loss + "-plain")).probabilities);
    EXPECT_NE(weights_of(scratch_ / loss), weights_of(scratch_ / (loss + "-plain")));
    const Model model = Model::open(scratch_ / loss);
    EXPECT_TRUE(model.was_refitted());
    EXPECT_FALSE(Model::open(scratch_ / (loss + "-plain")).was_refitted());
    EXPECT_EQ(model.default_threshold(),
              Model::open(scratch_ / (loss + "-plain")).default_threshold());
    const std::string before = model_of(scratch_ / loss);
    train_run(kitchen_, settings, scratch_ / loss);
    EXPECT_EQ(model_of(scratch_ / loss), before) << "a finished run is unchanged";
  }
}

TEST_F(TrainRun, RefitIsAnErrorIfItCannotBeDone) {
  RunSettings settings = quick_run("mask");
  settings.features.refit = true;
  EXPECT_EQ(problem(kitchen_, settings),
            "the loss mask cannot be trained again with the validation clips (--refit)");
  settings = quick_run("ce");
  settings.features.refit = true;
  settings.schedule = Schedule::Plateau;
  EXPECT_EQ(problem(kitchen_, settings),
            "--refit requires --schedule constant or cosine: plateau follows the loss of the "
            "validation clips, which are training clips then");
  settings.schedule = Schedule::Constant;
  settings.protocol = Protocol::Paper;
  for (Clip& clip : kitchen_.clips) {
    if (clip.split == Split::Val) clip.split = Split::Train;
  }
  EXPECT_EQ(problem(kitchen_, settings),
            "--refit would train on the test clips, which select the epoch with --protocol paper "
            "if there are no val clips");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run"));
}

TEST_F(TrainRun, CrossFitWithMoreEpochsIsAnotherRun) {
  RunSettings settings = quick_run("cross-fit");
  train_run(kitchen_, settings, scratch_ / "run");
  settings.epochs = 4;
  EXPECT_EQ(problem(kitchen_, settings),
            "run: contains another run: its epochs is 3, requested 4; choose another --out or "
            "remove it");
}

// As in runs from before a loss and its numbers existed, or with all numbers.
TEST_F(TrainRun, NumbersOfOtherLossesInRunJsonHaveNoEffect) {
  train_run(kitchen_, quick_run("an"), scratch_ / "run");
  Json json = read_json(scratch_ / "run/run.json");
  json["settings"]["smoothing"] = 0.3;
  write_json(scratch_ / "run/run.json", json);
  RunSettings settings = quick_run("an");
  settings.loss_settings.expected_labels = 2;
  EXPECT_EQ(problem(kitchen_, settings), "");
}

TEST_F(TrainRun, AFolderOfAnotherRunIsAnError) {
  train_run(kitchen_, quick_run("an"), scratch_ / "run");
  RunSettings settings = quick_run("an");
  settings.batch = 32;
  EXPECT_EQ(problem(kitchen_, settings),
            "run: contains another run: its batch is 64, requested 32; choose another --out or "
            "remove it");
  kitchen_.clips[0].labels[0] = kitchen_.clips[0].labels[0] == 0 ? 1 : 0;
  EXPECT_EQ(problem(kitchen_, quick_run("an")),
            "run: contains another run: clips.csv of its data set has changed since; choose "
            "another --out "
            "or remove it");
}

TEST_F(TrainRun, AFolderOfOtherFilesIsAnError) {
  scratch_.write("run/notes.txt", "mine");
  EXPECT_EQ(problem(kitchen_, quick_run("an")),
            "run: contains other files and is not a run; choose another --out");
  EXPECT_EQ(read_file(scratch_ / "run/notes.txt"), "mine");
  std::filesystem::remove_all(scratch_ / "run");
  scratch_.write("run", "a file");
  EXPECT_EQ(problem(kitchen_, quick_run("an")),
            "run: contains other files and is not a run; choose another --out");
}

TEST_F(TrainRun, TemporaryFilesOfACrashAreIgnored) {
  scratch_.write("run/run.json.4242-0.tmp", "{\"data");
  EXPECT_EQ(problem(kitchen_, quick_run("an")), "");
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "run/model.safetensors"));
}

TEST_F(TrainRun, MissingPseudoLabelsAreAnErrorWithAdvice) {
  for (const char* loss : {"mask", "p+s"}) {
    EXPECT_EQ(problem(kitchen_, quick_run(loss)),
              "kitchen/pseudo_labels/default.csv: does not exist; create it with "
              "'manyverbs pseudo-label kitchen'");
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run"));
}

TEST_F(TrainRun, PseudoLabelsThatSuggestNothingChangeNothing) {
  scratch_.write("none.csv", "clip,class\n");
  train_run(kitchen_, quick_run("an"), scratch_ / "an");
  for (const char* loss : {"mask", "p+s"}) {
    RunSettings settings = quick_run(loss);
    settings.features.pseudo_labels = scratch_ / "none.csv";
    train_run(kitchen_, settings, scratch_ / loss);
    EXPECT_EQ(model_of(scratch_ / loss), model_of(scratch_ / "an")) << loss;
  }
}

TEST_F(TrainRun, MaskAndPseudoPlusSingleUsePseudoLabelsDifferently) {
  make_pseudo_labels(kitchen_, {});
  for (const char* loss : {"an", "mask", "p+s"}) {
    train_run(kitchen_, quick_run(loss), scratch_ / loss);
  }
  EXPECT_NE(model_of(scratch_ / "mask"), model_of(scratch_ / "an"));
  EXPECT_NE(model_of(scratch_ / "p+s"), model_of(scratch_ / "an"));
  EXPECT_NE(model_of(scratch_ / "mask"), model_of(scratch_ / "p+s"));
  EXPECT_EQ(read_run(scratch_ / "mask").settings.features.pseudo_labels, "default");
}

TEST_F(TrainRun, PseudoLabelsInMemoryAndInAFileGiveTheSameModel) {
  const Suggestions suggestions = make_pseudo_labels(kitchen_, {}).suggestions;
  train_run(kitchen_, quick_run("p+s"), scratch_ / "file");
  std::filesystem::remove_all(scratch_ / "kitchen/pseudo_labels");
  train_run(kitchen_, quick_run("p+s"), scratch_ / "memory", &suggestions);
  EXPECT_EQ(model_of(scratch_ / "memory"), model_of(scratch_ / "file"));
  EXPECT_EQ(read_run(scratch_ / "memory").pseudo_labels_hash,
            read_run(scratch_ / "file").pseudo_labels_hash);
}

TEST_F(TrainRun, ChangedPseudoLabelsAreAnError) {
  PseudoLabelSettings settings;
  make_pseudo_labels(kitchen_, settings);
  train_run(kitchen_, quick_run("mask"), scratch_ / "run");
  settings.tau = 0.5;
  make_pseudo_labels(kitchen_, settings);
  EXPECT_EQ(
      problem(kitchen_, quick_run("mask")),
      "run: contains another run: its pseudo-labels have changed since; choose another --out or "
      "remove it");
}

TEST_F(TrainRun, PseudoLabelsOfOldLabelsAreAnError) {
  make_pseudo_labels(kitchen_, {});
  Clip& clip = kitchen_.clips[0];
  clip.labels[0] = (clip.labels[0] + 1) % kitchen_.classes.size();
  EXPECT_EQ(problem(kitchen_, quick_run("mask")),
            "kitchen/pseudo_labels/default.csv: kitchen/clips.csv has changed since; run "
            "'manyverbs pseudo-label kitchen --k 15 --tau 0.1 --space features --metric euclidean' "
            "again");
}

TEST_F(TrainRun, PseudoLabelsOfReplacedFeaturesAreAnError) {
  make_pseudo_labels(kitchen_, {});
  replace_features(scratch_ / "kitchen/features/rgb.npy");
  EXPECT_EQ(problem(kitchen_, quick_run("mask")),
            "kitchen/pseudo_labels/default.csv: kitchen/features/rgb.npy has changed since; run "
            "'manyverbs pseudo-label kitchen --k 15 --tau 0.1 --space features --metric "
            "euclidean' again");
}

TEST_F(TrainRun, IdealPseudoLabelsOfOldTruthAreAnError) {
  PseudoLabelSettings ideal;
  ideal.method = PseudoLabelMethod::Ideal;
  make_pseudo_labels(kitchen_, ideal);
  const auto ambiguous = std::find_if(kitchen_.clips.begin(), kitchen_.clips.end(),
                                      [](const Clip& clip) { return clip.truth.size() > 2; });
  ASSERT_NE(ambiguous, kitchen_.clips.end());
  std::vector<ClassId>& truth = ambiguous->truth;
  truth.pop_back();
  EXPECT_EQ(problem(kitchen_, quick_run("mask")),
            "kitchen/pseudo_labels/default.csv: kitchen/clips.csv has changed since; run "
            "'manyverbs pseudo-label kitchen --method ideal' again");
  make_pseudo_labels(kitchen_, {});
  truth.pop_back();
  EXPECT_EQ(problem(kitchen_, quick_run("mask")), "");
}

TEST_F(TrainRun, ReplacedFeaturesAreAnErrorWithTheFile) {
  train_run(kitchen_, quick_run("an"), scratch_ / "run");
  replace_features(scratch_ / "kitchen/features/rgb.npy");
  EXPECT_EQ(problem(kitchen_, quick_run("an")),
            "run: contains another run: features/rgb.npy of its data set has changed since; choose "
            "another --out or remove it");
}

TEST_F(TrainRun, ACopyOfItsDataSetIsAccepted) {
  train_run(kitchen_, quick_run("an"), scratch_ / "run");
  std::filesystem::copy(scratch_ / "kitchen", scratch_ / "copy",
                        std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(scratch_ / "kitchen");
  EXPECT_EQ(problem(read_dataset(scratch_ / "copy"), quick_run("an")), "");
  EXPECT_EQ(Model::open(scratch_ / "run").dataset().folder, scratch_ / "copy");
}

TEST_F(TrainRun, AFolderInUseByAnotherProcessIsAnError) {
  train_run(kitchen_, quick_run("an"), scratch_ / "run");
  const FileLock other(scratch_ / "run");
  EXPECT_EQ(problem(kitchen_, quick_run("an")), "run: in use by another process");
}

TEST_F(TrainRun, AFolderThatAnotherProcessIsCreatingIsAnError) {
  std::filesystem::create_directory(scratch_ / "run");
  const FileLock other(scratch_ / "run");
  EXPECT_EQ(problem(kitchen_, quick_run("an")), "run: in use by another process");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run/run.json"));
}

TEST_F(TrainRun, TheTruthOfTrainingClipsHasNoEffect) {
  Dataset blind = write_kitchen(scratch_ / "blind");
  for (Clip& clip : blind.clips) clip.truth.clear();
  write_dataset(scratch_ / "blind", blind);
  blind = read_dataset(scratch_ / "blind");
  ASSERT_TRUE(blind.clips[0].truth.empty());
  ASSERT_FALSE(kitchen_.clips[0].truth.empty());
  EXPECT_EQ(read_file(make_pseudo_labels(kitchen_, {}).file),
            read_file(make_pseudo_labels(blind, {}).file));
  train_run(kitchen_, quick_run("p+s"), scratch_ / "seeing run");
  train_run(blind, quick_run("p+s"), scratch_ / "blind run");
  EXPECT_EQ(model_of(scratch_ / "seeing run"), model_of(scratch_ / "blind run"));
}

TEST_F(TrainRun, OneStreamCanBeSelected) {
  RunSettings settings = quick_run("an");
  settings.features.streams = {"rgb"};
  train_run(kitchen_, settings, scratch_ / "run");
  EXPECT_EQ(read_run(scratch_ / "run").feature_columns, 12);
  settings.features.streams = {"rbg"};
  EXPECT_EQ(
      problem(kitchen_, settings),
      "kitchen: unknown feature stream 'rbg'; existing streams: flow, rgb, did you mean 'rgb'?");
}

// Without val clips.
class TrainRunWithoutVal : public testing::Test {
 protected:
  ScratchFolder scratch_;
  Dataset kitchen_ = write_kitchen(scratch_ / "kitchen", {.train = 200, .val = 0, .test = 60});
};

TEST_F(TrainRunWithoutVal, ThePaperProtocolLogsEveryMetricOnTest) {
  RunSettings settings = quick_run("an");
  settings.protocol = Protocol::Paper;
  train_run(kitchen_, settings, scratch_ / "run");
  const CsvTable log = read_csv(scratch_ / "run/log.csv");
  EXPECT_EQ(log.header[3], "top1");
  const auto best = best_per_metric(scratch_ / "run");
  ASSERT_TRUE(best);
  for (std::size_t metric = 0; metric < kTableMetrics.size(); ++metric) {
    if (!kTableMetrics[metric].higher_is_better) continue;
    double highest = 0;
    for (const CsvRow& row : log.rows) {
      highest = std::max(highest, std::stod(row.fields[log.column(kTableMetrics[metric].key)]));
    }
    EXPECT_EQ((*best)[metric], highest) << kTableMetrics[metric].key;
  }
}

// The second epoch has the better F1, the first the better bound.
TEST(BestPerMetric, BoundsHaveTheirOwnBestEpochAndLabelsThatOfF1) {
  const ScratchFolder scratch;
  scratch.write("run/log.csv",
                "epoch,train_loss,validation_loss,top1,top_set,iou,f1,map,map_interpolated,"
                "predicted_labels,expected_iou,expected_f1,best_iou,best_f1\n"
                "1,0.7,0.7,0.6,0.1,0.1,0.2,0.3,0.31,9,0.2,0.3,0.35,0.5\n"
                "2,0.6,0.6,0.5,0.2,0.3,0.4,0.2,0.21,2,0.1,0.35,0.32,0.45\n");
  const auto best = best_per_metric(scratch / "run");
  ASSERT_TRUE(best);
  EXPECT_EQ(*best, (TableValues{0.2, 0.6, 0.3, 0.4, 0.3, 0.31, 2, 0.2, 0.35, 0.35, 0.5}));
}

TEST(BestPerMetric, ALogWithoutTheBoundsIsAnError) {
  const ScratchFolder scratch;
  scratch.write("run/log.csv",
                "epoch,train_loss,validation_loss,top1,top_set\n1,0.7,0.7,0.6,0.1\n");
  EXPECT_EQ(error_of(scratch, [&] { best_per_metric(scratch / "run"); }),
            "run/log.csv: has no column 'iou'; remove the folder to train the run again");
}

TEST_F(TrainRunWithoutVal, TheReleasedCodeSelectsTheEpochByIou) {
  RunSettings settings = quick_run("an");
  settings.protocol = Protocol::Paper;
  settings.recipe = Recipe::Released;
  train_run(kitchen_, settings, scratch_ / "run");
  EXPECT_EQ(columns_of_log(scratch_ / "run").front(), "iou");
}

TEST_F(TrainRunWithoutVal, TheCleanProtocolDoesNotUseTest) {
  train_run(kitchen_, quick_run("an"), scratch_ / "run");
  EXPECT_EQ(columns_of_log(scratch_ / "run"),
            (std::vector<std::string>{"reciprocal_rank", "top1"}));
  EXPECT_FALSE(best_per_metric(scratch_ / "run"));
  for (Clip& clip : kitchen_.clips) {
    if (clip.split == Split::Test) clip.labels = {0};
  }
  train_run(kitchen_, quick_run("an"), scratch_ / "other");
  EXPECT_EQ(model_of(scratch_ / "run"), model_of(scratch_ / "other"));
  EXPECT_EQ(read_file(scratch_ / "run/log.csv"), read_file(scratch_ / "other/log.csv"));
}

}  // namespace
}  // namespace manyverbs
