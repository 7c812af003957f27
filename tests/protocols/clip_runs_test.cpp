// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/clip_runs.h"

#include <algorithm>
#include <cstdlib>

#include <ATen/ATen.h>

#include "manyverbs/demo/internal/kitchen_clips.h"
#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/labels/internal/pseudo_label_file.h"
#include "manyverbs/learning/internal/clip_choice.h"
#include "manyverbs/learning/internal/finetuner.h"
#include "manyverbs/protocols/internal/video_prediction.h"
#include "manyverbs/support/internal/files.h"
#include "tests/interrupting.h"
#include "tests/one_thread.h"
#include "tests/protocols/kitchen.h"

namespace manyverbs {
namespace {

class ClipRuns : public testing::Test {
 protected:
  ClipRuns() {
    write_kitchen_clips(
        scratch_ / "kitchen",
        {.train = 24, .val = 8, .test = 6, .scenes = {.size = {48, 36}, .frames = 10}});
    kitchen_ = read_dataset(scratch_ / "kitchen");
  }

  static RunSettings quick(const std::string& loss) {
    RunSettings settings = default_settings(RunKind::Clips);
    settings.loss = loss;
    settings.clips.backbone = "resnet10";
    settings.clips.width = 8;
    settings.clips.segments = 4;
    settings.clips.size = 32;
    settings.clips.refresh = {.every = 2, .k = 3};
    settings.learning_rate = 0.01;
    settings.batch = 8;
    settings.epochs = 4;
    settings.checkpoint_seconds = 0;
    return settings;
  }

  std::string problem_of(const RunSettings& settings, const std::string& folder) const {
    return error_of(scratch_, [&] { finetune_run(kitchen_, settings, scratch_ / folder); });
  }

  ScratchFolder scratch_;
  Dataset kitchen_;
};

TEST_F(ClipRuns, ABackboneLearnsFromTheSingleLabelsOfClips) {
  RunSettings settings = quick("ce");
  settings.epochs = 12;
  settings.clips.dropout = 0;
  const FinetuneReport training = finetune_run(kitchen_, settings, scratch_ / "run");
  const auto& epochs = training.history.epochs;
  ASSERT_EQ(epochs.size(), 12U);
  EXPECT_LT(epochs.back().train_loss, 0.7 * epochs.front().train_loss);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run/pseudo_labels"));
}

TEST_F(ClipRuns, RemarksAboutTheFirstWeightsComeBeforeTheTrainingAndOnlyThen) {
  std::vector<std::string> told;
  const auto tell = [&](const std::string& text) {
    told.push_back(text);
    EXPECT_FALSE(std::filesystem::exists(scratch_ / "run/log.csv"));
  };
  EXPECT_EQ(finetune_run(kitchen_, quick("ce"), scratch_ / "run", OnError::Stop, tell).remarks,
            told);
  EXPECT_EQ(told, std::vector<std::string>{"without --weights it learns from random weights"});
  EXPECT_TRUE(
      finetune_run(kitchen_, quick("ce"), scratch_ / "run", OnError::Stop, tell).remarks.empty());
  EXPECT_EQ(told.size(), 1U);
}

// The greatest difference between the numbers of two models.
double weights_apart(const TensorFile& a, const TensorFile& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    most = std::max(most, (a.tensors[i].second - b.tensors[i].second).abs().max().item<double>());
  }
  return most;
}

// After an epoch of three full batches, with a weight decay that shows.
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

TEST_F(ClipRuns, PseudoLabelsComeFromTheFeaturesOfTheMoment) {
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

TEST_F(ClipRuns, AWarmUpPutsThemOff) {
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

// A run whose process died after the checkpoint of an epoch, which is not the first of its
// pseudo-labels, goes on with those.
TEST_F(ClipRuns, AKilledRunEndsWithTheSameBits) {
  RunSettings settings = quick("p+s");
  settings.clips.refresh.every = 3;
  finetune_run(kitchen_, settings, scratch_ / "whole");
  const auto died = [&] {
    int epochs = 0;
    PreparedBackbone start = starting_backbone(settings, kitchen_.classes.size());
    const ClipSource source(kitchen_, clip_settings(settings, start), OnError::Stop);
    const ClipChoice choice = choose_clips(kitchen_, Protocol::Clean, 1);
    const FinetuneData data{
        &kitchen_, &source, choice.training, choice.validation,
        label_sets(kitchen_.label_sets_of(choice.validation), kitchen_.classes.size())};
    const EpochScorer scorer{{"top1"}, [&](const Matrix<float>&) {
                               if (++epochs == 3)
                                 throw std::runtime_error("died in the third epoch");
                               return std::vector{0.1 * epochs};
                             }};
    finetune(data, settings, std::move(start), scorer, scratch_ / "killed");
  };
  std::filesystem::create_directories(scratch_ / "killed");
  std::filesystem::copy(scratch_ / "whole/run.json", scratch_ / "killed/run.json");
  EXPECT_THROW(died(), std::runtime_error);
  const FinetuneReport resumed = finetune_run(kitchen_, settings, scratch_ / "killed");
  EXPECT_EQ(resumed.history.epochs.size(), 4U);
  expect_same_tensors(scratch_ / "whole/checkpoint.safetensors",
                      scratch_ / "killed/checkpoint.safetensors");
}

// Twelve steps an epoch, with dropout and, every second epoch, new pseudo-labels; no checkpoint but
// the last.
TEST_F(ClipRuns, ARunInterruptedAtAnyStepEndsWithTheSameBits) {
  RunSettings settings = quick("p+s");
  settings.batch = 2;
  settings.clips.dropout = 0.3;
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

TEST_F(ClipRuns, AFinishedRunIsLeftAsItIs) {
  finetune_run(kitchen_, quick("ce"), scratch_ / "run");
  const ino_t model = identity(scratch_ / "run/model.safetensors");
  EXPECT_EQ(finetune_run(kitchen_, quick("ce"), scratch_ / "run").history.epochs.size(), 4U);
  EXPECT_EQ(identity(scratch_ / "run/model.safetensors"), model);
}

TEST_F(ClipRuns, OtherSettingsAreRefused) {
  finetune_run(kitchen_, quick("ce"), scratch_ / "run");
  RunSettings other = quick("ce");
  other.clips.size = 48;
  EXPECT_EQ(problem_of(other, "run"),
            "run: holds another run: size is 32 there, 48 here; choose another --out or remove it");
}

TEST_F(ClipRuns, TooFewClipsForTheNeighboursAreAnErrorBeforeAnythingStarts) {
  RunSettings settings = quick("mask");
  settings.clips.refresh.k = 24;
  EXPECT_EQ(problem_of(settings, "run"),
            "24 neighbours cannot be found among 24 training clips; choose a smaller k");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run"));
}

TEST_F(ClipRuns, ClipsThatCannotBeReadAreSkippedOrStopTheRun) {
  scratch_.write("kitchen/videos/clip_00003.mp4", "no video");
  scratch_.write("kitchen/videos/clip_00025.mp4", "no video");  // of val
  RunSettings settings = quick("p+s");
  EXPECT_NE(problem_of(settings, "run").find("clip_00003.mp4"), std::string::npos);
  const FinetuneReport training = finetune_run(kitchen_, settings, scratch_ / "run", OnError::Skip);
  ASSERT_EQ(training.problems.size(), 2U);
  EXPECT_EQ(training.problems[0].clip, 3);
  EXPECT_EQ(training.problems[1].clip, 25);
  const auto model = open_model(scratch_ / "run");
  EXPECT_EQ(model->evaluate(kitchen_, Split::Test, {}).clips, 6);
  EXPECT_NE(error_of(scratch_, [&] { model->evaluate(kitchen_, Split::Val, {}); })
                .find("clip 'clip_00025': "),
            std::string::npos);
}

// The frames are counted, and the run begins; then the video goes bad.
TEST_F(ClipRuns, AClipThatFailsInTheMiddleIsSkippedOrStopsTheRun) {
  const auto break_video = [&](const std::string&) {
    scratch_.write("kitchen/videos/clip_00003.mp4", "no video");
  };
  RunSettings settings = quick("p+s");
  const FinetuneReport training =
      finetune_run(kitchen_, settings, scratch_ / "skips", OnError::Skip, break_video);
  ASSERT_EQ(training.problems.size(), 1U) << "it is reported once";
  EXPECT_EQ(training.problems[0].clip, 3);
  EXPECT_NE(training.problems[0].what.find("clip_00003.mp4"), std::string::npos);
  EXPECT_EQ(training.history.epochs.size(), 4U);
  const auto labels = read_pseudo_labels(scratch_ / "skips/pseudo_labels/epoch-2.csv", kitchen_);
  EXPECT_TRUE(labels[3].empty());
}

// With the same frames known as before the video went bad, a run that died in the third epoch ends
// with the bits of one that did not.
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
  scratch_.write("kitchen/videos/clip_00003.mp4", whole_video);  // readable again, and yet left out
  EXPECT_EQ(learn("killed", 0).skipped.size(), 1U);
  expect_same_tensors(scratch_ / "whole/checkpoint.safetensors",
                      scratch_ / "killed/checkpoint.safetensors");
}

TEST_F(ClipRuns, VideosThatWereReplacedSinceAreNoticed) {
  finetune_run(kitchen_, quick("ce"), scratch_ / "run");
  std::filesystem::copy_file(scratch_ / "kitchen/videos/clip_00001.mp4",
                             scratch_ / "kitchen/videos/clip_00003.mp4",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(problem_of(quick("ce"), "run"),
            "run: holds another run: videos of its data set have changed since; choose another "
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

TEST_F(ClipRuns, SegmentsAreThoseOfTheWeightsUnlessSaid) {
  finetune_run(kitchen_, quick("ce"), scratch_ / "four");
  RunSettings settings = quick("ce");
  settings.clips.weights = scratch_ / "four/model.safetensors";
  settings.clips.segments = 0;
  settings.epochs = 1;
  finetune_run(kitchen_, settings, scratch_ / "run");
  EXPECT_EQ(read_run(scratch_ / "run").settings.clips.segments, 4);
}

TEST_F(ClipRuns, EitherKindOfRunAnswersAsAModel) {
  finetune_run(kitchen_, quick("p+s"), scratch_ / "clips");
  const auto model = open_model(scratch_ / "clips");
  const Evaluation evaluation = model->evaluate(model->dataset(), Split::Test, {});
  EXPECT_EQ(evaluation.clips, 6);
  EXPECT_GE(evaluation.map, 0);
  EXPECT_EQ(error_of(scratch_, [&] { TrainedRun(scratch_ / "clips"); }),
            "clips: is a run on clips, made by 'manyverbs finetune'; this needs one on features");
}

TEST_F(ClipRuns, VideosGetTheProbabilitiesThatTheirClipsGet) {
  finetune_run(kitchen_, quick("p+s"), scratch_ / "run");
  const auto model = open_model(scratch_ / "run");
  const Matrix<float> of_clip = model->probabilities(kitchen_, std::vector{37});
  const std::string video = (scratch_ / "kitchen/videos/clip_00037.mp4").string();
  const VideoSet set({video, (scratch_ / "lost.mp4").string()}, OnError::Skip);
  EXPECT_EQ(set.videos(), std::vector{video});
  ASSERT_EQ(set.problems().size(), 1U);
  EXPECT_EQ(set.probabilities(*model).values(), of_clip.values());
}

TEST_F(ClipRuns, ABadVideoIsNamed) {
  scratch_.write("bad.mp4", "no video");
  EXPECT_EQ(
      error_of(scratch_, [&] { VideoSet({(scratch_ / "bad.mp4").string()}, OnError::Stop); }),
      "clip 'bad.mp4': bad.mp4: is damaged or not a video: Invalid data found when processing "
      "input");
}

TEST_F(ClipRuns, ABadVideoLeavesNoTemporaryFolder) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  std::filesystem::create_directories(scratch_ / "temporary");
  setenv("TMPDIR", (scratch_ / "temporary").c_str(), 1);
  EXPECT_NE(
      error_of(scratch_, [&] { VideoSet({(scratch_ / "lost.mp4").string()}, OnError::Stop); }), "");
  if (kept.empty()) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", kept.c_str(), 1);
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch_ / "temporary"));
}

// Features of both streams are made for a new video as they were made for the data set.
TEST_F(ClipRuns, ARunOnFeaturesReadsVideosToo) {
  compute_flow(kitchen_, {.method = FlowMethod::Dis, .short_side = 0}, OnError::Stop);
  for (const Stream stream : {Stream::Rgb, Stream::Flow}) {
    ExtractionSettings settings;
    settings.backbone = backbone_settings(quick("ce"), 0);
    settings.backbone.stream = stream;
    settings.size = 32;
    extract_features(kitchen_, prepare_backbone(settings.backbone), settings);
  }
  train_run(kitchen_, quick_run("an"), scratch_ / "run");
  const TrainedRun model(scratch_ / "run");
  const Matrix<float> of_clip = model.probabilities(open_features(kitchen_), std::vector{37});
  const std::string video = (scratch_ / "kitchen/videos/clip_00037.mp4").string();
  const VideoSet set({video}, OnError::Stop);
  EXPECT_EQ(set.probabilities(model).values(), of_clip.values());
  const Matrix<float> twice = VideoSet({video, video}, OnError::Stop).probabilities(model);
  EXPECT_TRUE(std::ranges::equal(twice.row(1), of_clip.row(0)));
}

TEST_F(ClipRuns, FeaturesFromElsewhereCannotBeMadeForVideos) {
  std::filesystem::create_directories(scratch_ / "kitchen/features");
  write_array(scratch_ / "kitchen/features/x.npy", Matrix<float>(kitchen_.clips.size(), 2));
  train_run(kitchen_, quick_run("an"), scratch_ / "run");
  const TrainedRun model(scratch_ / "run");
  const VideoSet set({(scratch_ / "kitchen/videos/clip_00037.mp4").string()}, OnError::Stop);
  EXPECT_EQ(error_of(scratch_, [&] { set.probabilities(model); }),
            "kitchen/features/x.json: is not there: 'manyverbs extract' did not make these "
            "features, so they cannot be made for other videos");
}

}  // namespace
}  // namespace manyverbs
