// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/clip_runs.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include <ATen/ATen.h>

#include "manyverbs/demo/internal/kitchen_clips.h"
#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/labels/internal/pseudo_label_file.h"
#include "manyverbs/learning/internal/clip_choice.h"
#include "manyverbs/learning/internal/finetuner.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/support/internal/files.h"
#include "tests/interrupting.h"
#include "tests/one_thread.h"
#include "tests/protocols/video_kitchen.h"

namespace manyverbs {
namespace {

class ClipRuns : public VideoKitchen {
 protected:
  std::string problem_of(const RunSettings& settings, const std::string& folder) const {
    return error_of(scratch_, [&] { finetune_run(kitchen_, settings, scratch_ / folder); });
  }
};

TEST_F(ClipRuns, ABackboneIsTrainedOnTheSingleLabelsOfClips) {
  RunSettings settings = quick("ce");
  settings.epochs = 12;
  settings.dropout = 0;
  const FinetuneReport training = finetune_run(kitchen_, settings, scratch_ / "run");
  const auto& epochs = training.history.epochs;
  ASSERT_EQ(epochs.size(), 12U);
  EXPECT_LT(epochs.back().train_loss, 0.7 * epochs.front().train_loss);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run/pseudo_labels"));
}

TEST_F(ClipRuns, CrossFittingIsAnErrorBeforeTheFolderIsCreated) {
  EXPECT_EQ(problem_of(quick("cross-fit"), "run"),
            "the loss cross-fit trains many networks, which only 'manyverbs train' supports");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run"));
}

TEST_F(ClipRuns, RemarksAboutTheInitialWeightsComeOnlyBeforeTheTraining) {
  std::vector<std::string> told;
  const auto tell = [&](const std::string& text) {
    told.push_back(text);
    EXPECT_FALSE(std::filesystem::exists(scratch_ / "run/log.csv"));
  };
  EXPECT_EQ(finetune_run(kitchen_, quick("ce"), scratch_ / "run", {.tell = tell}).remarks, told);
  EXPECT_EQ(told,
            std::vector<std::string>{"without --weights the training starts from random weights"});
  EXPECT_TRUE(
      finetune_run(kitchen_, quick("ce"), scratch_ / "run", {.tell = tell}).remarks.empty());
  EXPECT_EQ(told.size(), 1U);
}

// The greatest difference between the weights of two models.
double weights_apart(const TensorFile& a, const TensorFile& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    if (a.tensors[i].first == kValidationProbabilities) continue;
    most = std::max(most, (a.tensors[i].second - b.tensors[i].second).abs().max().item<double>());
  }
  return most;
}

// After an epoch of three complete batches, with a noticeable weight decay.
TEST_F(ClipRuns, WithAnAndFocalBothRecipesTakeTheSameSteps) {
  const auto weights = [&](const std::string& loss, Recipe recipe) {
    RunSettings settings = quick(loss);
    settings.epochs = 1;
    settings.learning_rate = default_settings(RunKind::Clips).learning_rate;
    settings.clips.weight_decay = 50;
    settings.recipe = recipe;
    const std::filesystem::path folder =
        scratch_ / (loss + (recipe == Recipe::Paper ? "-paper" : "-released"));
    finetune_run(kitchen_, settings, folder);
    return read_tensors(folder / "model.safetensors");
  };
  EXPECT_LT(weights_apart(weights("an", Recipe::Paper), weights("an", Recipe::Released)), 1e-4);
  EXPECT_EQ(weights_apart(weights("focal", Recipe::Paper), weights("focal", Recipe::Released)), 0);
}

TEST_F(ClipRuns, ItsModelExtractsFeatures) {
  finetune_run(kitchen_, quick("ce"), scratch_ / "run");
  ExtractionSettings settings;
  settings.backbone.weights = scratch_ / "run/model.safetensors";
  settings.size = 32;
  const PreparedBackbone backbone = prepare_backbone(settings.backbone);
  EXPECT_EQ(backbone.origin, "manyverbs");
  EXPECT_EQ(extract_features(kitchen_, backbone, settings).columns, 64);
}

TEST_F(ClipRuns, PseudoLabelsComeFromTheCurrentFeatures) {
  finetune_run(kitchen_, quick("p+s"), scratch_ / "run");
  const std::filesystem::path folder = scratch_ / "run/pseudo_labels";
  EXPECT_TRUE(std::filesystem::exists(folder / "epoch-0.csv"));
  EXPECT_TRUE(std::filesystem::exists(folder / "epoch-2.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "epoch-4.csv"));
  EXPECT_NE(read_file(folder / "epoch-0.csv"), read_file(folder / "epoch-2.csv"));
  const auto record = read_pseudo_label_record(folder / "epoch-2.csv");
  ASSERT_TRUE(record && record->votes);
  EXPECT_EQ(record->votes->k, 3);
  EXPECT_EQ(record->votes->space, "backbone");
  EXPECT_EQ(record->quality.clips, 24);
}

Suggestions all_the_same(const Dataset& dataset, ClassId suggested) {
  Suggestions same;
  for (const ClassId label : dataset.labels_of(dataset.clips_of(Split::Train))) {
    same.push_back(label == suggested ? std::vector<ClassId>{} : std::vector{suggested});
  }
  return same;
}

TEST_F(ClipRuns, ReadyPseudoLabelsAreUsedInsteadOfThoseOfTheCurrentFeatures) {
  PseudoLabelSettings wanted;
  wanted.method = PseudoLabelMethod::Ideal;
  wanted.name = "ideal";
  make_pseudo_labels(kitchen_, wanted);
  RunSettings settings = quick("p+s");
  finetune_run(kitchen_, settings, scratch_ / "refreshed");
  settings.clips.pseudo_labels = "ideal";
  settings.clips.refresh.k = 1000;  // has no effect
  finetune_run(kitchen_, settings, scratch_ / "named");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "named/pseudo_labels"));
  EXPECT_NE(read_file(scratch_ / "named/model.safetensors"),
            read_file(scratch_ / "refreshed/model.safetensors"));

  settings.clips.pseudo_labels = (scratch_ / "kitchen/pseudo_labels/ideal.csv").string();
  finetune_run(kitchen_, settings, scratch_ / "file");
  const Suggestions ideal = read_pseudo_labels(settings.clips.pseudo_labels, kitchen_);
  finetune_run(kitchen_, settings, scratch_ / "passed", {.pseudo_labels = &ideal});
  for (const char* folder : {"file", "passed"}) {
    EXPECT_EQ(read_file(scratch_ / "named/model.safetensors"),
              read_file(scratch_ / folder / "model.safetensors"))
        << folder;
  }
}

TEST_F(ClipRuns, OtherPseudoLabelsAreOtherRuns) {
  const Suggestions first = all_the_same(kitchen_, 0);
  const Suggestions second = all_the_same(kitchen_, 1);
  RunSettings settings = quick("mask");
  settings.epochs = 1;
  finetune_run(kitchen_, settings, scratch_ / "run", {.pseudo_labels = &first});
  const auto problem = [&](const Suggestions* given) {
    return error_of(scratch_, [&] { claim_clip_run(kitchen_, settings, scratch_ / "run", given); });
  };
  EXPECT_EQ(problem(&first), "");
  EXPECT_EQ(problem(&second),
            "run: contains another run: its pseudo-labels have changed since; choose another --out "
            "or remove it");
  EXPECT_EQ(problem(nullptr), problem(&second));
}

TEST_F(ClipRuns, MissingPseudoLabelsAreAnError) {
  RunSettings settings = quick("mask");
  settings.clips.pseudo_labels = "none";
  EXPECT_EQ(
      problem_of(settings, "run"),
      "kitchen/pseudo_labels/none.csv: does not exist; create it with 'manyverbs pseudo-label "
      "kitchen --name none'");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run"));
}

TEST_F(ClipRuns, AWarmUpDelaysPseudoLabels) {
  RunSettings settings = quick("mask");
  settings.clips.refresh.warm_up = 3;
  finetune_run(kitchen_, settings, scratch_ / "run");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run/pseudo_labels/epoch-0.csv"));
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "run/pseudo_labels/epoch-3.csv"));
}

void expect_same_tensors(const std::filesystem::path& a, const std::filesystem::path& b) {
  const TensorFile first = read_tensors(a);
  const TensorFile second = read_tensors(b);
  ASSERT_EQ(first.tensors.size(), second.tensors.size());
  for (std::size_t i = 0; i < first.tensors.size(); ++i) {
    EXPECT_TRUE(at::equal(first.tensors[i].second, second.tensors[i].second))
        << first.tensors[i].first;
  }
}

// Calls the work in a separate process, which the work must end by SIGKILL.
template <typename Work>
void expect_killed(const Work& work) {
  const pid_t process = fork();
  if (process == 0) {
    try {
      work();
    } catch (const std::exception& problem) {
      std::cerr << problem.what() << '\n';
    }
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
}

// Killed in its third epoch, whose pseudo-labels are those of the first, a run resumes with them.
TEST_F(ClipRuns, AKilledRunIsBitIdentical) {
  RunSettings settings = quick("p+s");
  settings.clips.refresh.every = 3;
  finetune_run(kitchen_, settings, scratch_ / "whole");
  const auto killed_in_third_epoch = [&] {
    int epochs = 0;
    PreparedBackbone start = starting_backbone(settings, kitchen_.classes.size());
    const ClipSource source(kitchen_, clip_settings(settings, start), OnError::Stop);
    const ClipChoice choice = choose_clips(kitchen_, Protocol::Clean, 1);
    const FinetuneData data{
        &kitchen_, &source, choice.training, choice.validation,
        label_sets(kitchen_.label_sets_of(choice.validation), kitchen_.classes.size())};
    const EpochScorer scorer{{"top1"}, [&](const Matrix<float>&) {
                               if (++epochs == 3) kill(getpid(), SIGKILL);
                               return std::vector{0.1 * epochs};
                             }};
    finetune(data, settings, std::move(start), scorer, scratch_ / "killed");
  };
  std::filesystem::create_directories(scratch_ / "killed");
  std::filesystem::copy(scratch_ / "whole/run.json", scratch_ / "killed/run.json");
  expect_killed(killed_in_third_epoch);
  EXPECT_NE(read_file(scratch_ / "killed/checkpoint.safetensors"),
            read_file(scratch_ / "whole/checkpoint.safetensors"));
  const FinetuneReport resumed = finetune_run(kitchen_, settings, scratch_ / "killed");
  EXPECT_EQ(resumed.history.epochs.size(), 4U);
  expect_same_tensors(scratch_ / "whole/checkpoint.safetensors",
                      scratch_ / "killed/checkpoint.safetensors");
}

// Twelve steps per epoch, with dropout and new pseudo-labels every second epoch; only the last
// checkpoint.
TEST_F(ClipRuns, ARunInterruptedAtAnyStepIsBitIdentical) {
  RunSettings settings = quick("p+s");
  settings.batch = 2;
  settings.dropout = 0.3;
  settings.checkpoint_seconds = 3600;
  finetune_run(kitchen_, settings, scratch_ / "undisturbed");
  std::vector<std::string> kept =
      interrupt_until_done([&] { finetune_run(kitchen_, settings, scratch_ / "interrupted"); });
  std::erase_if(kept, [](const std::string& text) {
    return !text.starts_with("saved after step ") || text.starts_with("saved after step 0 ");
  });
  EXPECT_FALSE(kept.empty()) << "no interruption came within an epoch";
  for (const char* file : {"model.safetensors", "checkpoint.safetensors", "log.csv",
                           "pseudo_labels/epoch-0.csv", "pseudo_labels/epoch-2.csv"}) {
    EXPECT_EQ(read_file(scratch_ / "interrupted" / file),
              read_file(scratch_ / "undisturbed" / file))
        << file;
  }
}

// Losses that store values for every training clip; em-apl also scores all of them before epochs.
TEST_F(ClipRuns, ARunWithALossWithMemoryInterruptedAtAnyStepIsBitIdentical) {
  for (const std::string loss : {"ll-cp", "em-apl", "role"}) {
    RunSettings settings = quick(loss);
    settings.batch = 4;
    settings.checkpoint_seconds = 3600;
    settings.loss_settings.large_loss_rate = 5;
    settings.loss_settings.apl_warm_up = 1;
    settings.loss_settings.expected_labels = loss == "role" ? 2 : 0;
    finetune_run(kitchen_, settings, scratch_ / loss);
    interrupt_until_done(
        [&] { finetune_run(kitchen_, settings, scratch_ / ("interrupted-" + loss)); });
    for (const char* file : {"model.safetensors", "checkpoint.safetensors", "log.csv"}) {
      EXPECT_EQ(read_file(scratch_ / ("interrupted-" + loss) / file),
                read_file(scratch_ / loss / file))
          << loss << ' ' << file;
    }
  }
}

// Otherwise the three losses above would be trained like these.
TEST_F(ClipRuns, TheMemoryOfALossChangesTheTraining) {
  const auto weights = [&](const std::string& loss, double rate) {
    RunSettings settings = quick(loss);
    settings.loss_settings.large_loss_rate = rate;
    finetune_run(kitchen_, settings, scratch_ / fmt::format("{}-{}", loss, rate));
    return read_file(scratch_ / fmt::format("{}-{}", loss, rate) / "checkpoint.safetensors");
  };
  EXPECT_NE(weights("ll-cp", 20), weights("ll-cp", 1));
}

TEST_F(ClipRuns, AFinishedRunIsUnchanged) {
  finetune_run(kitchen_, quick("ce"), scratch_ / "run");
  const ino_t model = identity(scratch_ / "run/model.safetensors");
  EXPECT_EQ(finetune_run(kitchen_, quick("ce"), scratch_ / "run").history.epochs.size(), 4U);
  EXPECT_EQ(identity(scratch_ / "run/model.safetensors"), model);
}

TEST_F(ClipRuns, OtherSettingsAreErrors) {
  finetune_run(kitchen_, quick("ce"), scratch_ / "run");
  RunSettings other = quick("ce");
  other.clips.size = 48;
  EXPECT_EQ(
      problem_of(other, "run"),
      "run: contains another run: its size is 32, requested 48; choose another --out or remove it");
}

TEST_F(ClipRuns, TooFewClipsForTheNeighboursAreAnErrorBeforeTheTraining) {
  RunSettings settings = quick("mask");
  settings.clips.refresh.k = 24;
  EXPECT_EQ(problem_of(settings, "run"),
            "not enough training clips for 24 neighbours: found 24; choose a smaller k");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run"));
}

TEST_F(ClipRuns, UnreadableClipsAreSkippedOrStopTheRun) {
  scratch_.write("kitchen/videos/clip_00003.mp4", "no video");
  scratch_.write("kitchen/videos/clip_00025.mp4", "no video");  // of val
  RunSettings settings = quick("p+s");
  EXPECT_NE(problem_of(settings, "run").find("clip_00003.mp4"), std::string::npos);
  const FinetuneReport training =
      finetune_run(kitchen_, settings, scratch_ / "run", {OnError::Skip});
  ASSERT_EQ(training.problems.size(), 2U);
  EXPECT_EQ(training.problems[0].clip, ClipRow(3));
  EXPECT_EQ(training.problems[1].clip, ClipRow(25));
}

// The video is damaged after its frames were counted.
TEST_F(ClipRuns, AClipThatFailsDuringTheTrainingIsSkippedOrStopsTheRun) {
  const auto break_video = [&](const std::string&) {
    scratch_.write("kitchen/videos/clip_00003.mp4", "no video");
  };
  RunSettings settings = quick("p+s");
  const FinetuneReport training =
      finetune_run(kitchen_, settings, scratch_ / "skips", {OnError::Skip, break_video});
  ASSERT_EQ(training.problems.size(), 1U) << "it is reported once";
  EXPECT_EQ(training.problems[0].clip, ClipRow(3));
  EXPECT_NE(training.problems[0].what.find("clip_00003.mp4"), std::string::npos);
  EXPECT_EQ(training.history.epochs.size(), 4U);
  const auto labels = read_pseudo_labels(scratch_ / "skips/pseudo_labels/epoch-2.csv", kitchen_);
  EXPECT_TRUE(labels[3].empty());
}

// With the frame index from before the damage, a run killed in the third epoch is bit-identical to
// one that was not.
TEST_F(ClipRuns, ASkippedClipStaysSkippedWhenTheRunResumes) {
  const RunSettings settings = quick("an");
  const PreparedBackbone start = starting_backbone(settings, kitchen_.classes.size());
  const ClipSource source(kitchen_, clip_settings(settings, start), OnError::Stop);
  const ClipChoice choice = choose_clips(kitchen_, Protocol::Clean, 1);
  const FinetuneData data{
      &kitchen_,
      &source,
      choice.training,
      choice.validation,
      label_sets(kitchen_.label_sets_of(choice.validation), kitchen_.classes.size()),
      OnError::Skip};
  const std::string whole_video = read_file(scratch_ / "kitchen/videos/clip_00003.mp4");
  const auto learn = [&](const std::string& folder, int dies_in) {
    std::filesystem::create_directories(scratch_ / folder);
    int epochs = 0;
    const EpochScorer scorer{{"top1"}, [&](const Matrix<float>&) {
                               scratch_.write("kitchen/videos/clip_00003.mp4", "no video");
                               if (++epochs == dies_in) throw std::runtime_error("died");
                               return std::vector{0.5};
                             }};
    return finetune(data, settings, starting_backbone(settings, kitchen_.classes.size()), scorer,
                    scratch_ / folder);
  };
  EXPECT_EQ(learn("whole", 0).skipped.size(), 1U);
  scratch_.write("kitchen/videos/clip_00003.mp4", whole_video);
  EXPECT_THROW(learn("killed", 3), std::runtime_error);
  scratch_.write("kitchen/videos/clip_00003.mp4",
                 whole_video);  // readable again, but still skipped
  EXPECT_EQ(learn("killed", 0).skipped.size(), 1U);
  expect_same_tensors(scratch_ / "whole/checkpoint.safetensors",
                      scratch_ / "killed/checkpoint.safetensors");
}

TEST_F(ClipRuns, ReplacedVideosAreDetected) {
  finetune_run(kitchen_, quick("ce"), scratch_ / "run");
  std::filesystem::copy_file(scratch_ / "kitchen/videos/clip_00001.mp4",
                             scratch_ / "kitchen/videos/clip_00003.mp4",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(problem_of(quick("ce"), "run"),
            "run: contains another run: videos of its data set have changed since; choose another "
            "--out or remove it");
}

TEST_F(ClipRuns, MoreEpochsContinueAFinishedRun) {
  RunSettings settings = quick("p+s");
  finetune_run(kitchen_, settings, scratch_ / "whole");
  settings.epochs = 2;
  finetune_run(kitchen_, settings, scratch_ / "continued");
  settings.epochs = 4;
  finetune_run(kitchen_, settings, scratch_ / "continued");
  expect_same_tensors(scratch_ / "whole/checkpoint.safetensors",
                      scratch_ / "continued/checkpoint.safetensors");
  EXPECT_EQ(read_file(scratch_ / "whole/log.csv"), read_file(scratch_ / "continued/log.csv"));
}

TEST_F(ClipRuns, SegmentsAreThoseOfTheWeightsByDefault) {
  finetune_run(kitchen_, quick("ce"), scratch_ / "four");
  RunSettings settings = quick("ce");
  settings.clips.weights = scratch_ / "four/model.safetensors";
  settings.clips.segments = 0;
  settings.epochs = 1;
  finetune_run(kitchen_, settings, scratch_ / "run");
  EXPECT_EQ(read_run(scratch_ / "run").settings.clips.segments, 4);
}

}  // namespace
}  // namespace manyverbs
