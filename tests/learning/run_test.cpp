// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/run.h"

#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/mlp.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

Run full_run() {
  Run run;
  run.dataset = "/data/kitchen";
  run.made_from = {"0123456789abcdef", "", {{"flow", "12"}, {"rgb", "34"}}};
  run.feature_columns = 7;
  run.classes = {"cut", "peel"};
  run.pseudo_labels_hash = "fedcba9876543210";
  RunSettings& settings = run.settings;
  settings.loss = "p+s";
  settings.loss_settings = {0.2, 0.3, 1.5, 0.4};
  settings.recipe = Recipe::Released;
  settings.protocol = Protocol::Paper;
  settings.learning_rate = 0.0001;
  settings.batch = 3;
  settings.epochs = 12;
  settings.patience = 4;
  settings.seed = UINT64_MAX;
  settings.features.streams = {"flow", "rgb"};
  settings.features.hidden = {6, 4, 2};
  settings.features.members = 2;
  settings.features.pseudo_labels = "by-hand";
  return run;
}

Run full_clip_run() {
  Run run;
  run.settings = default_settings(RunKind::Clips);
  run.dataset = "/data/kitchen";
  run.made_from = {"0123456789abcdef", "", {}};
  run.classes = {"cut", "peel"};
  run.weights_hash = "0a1b";
  run.videos_hash = "4e5f";
  run.settings.loss = "mask";
  run.settings.dropout = 0.3;
  run.settings.schedule = Schedule::Cosine;
  run.settings.clips = {Stream::Flow,
                        "/weights/a.pth",
                        "resnet18",
                        32,
                        4,
                        112,
                        false,
                        true,
                        1,
                        0.8,
                        0.01,
                        "ideal",
                        {3, 2, 7, 0.4, Metric::Cosine}};
  run.pseudo_labels_hash = "dd";
  return run;
}

Run written_and_read(const ScratchFolder& scratch, const Run& run) {
  std::filesystem::create_directories(scratch / "run");
  write_json(scratch / "run/run.json", to_json(run, scratch / "run"));
  return read_run(scratch / "run");
}

TEST(Run, WhatIsWrittenIsReadBack) {
  const ScratchFolder scratch;
  for (const auto& run : {full_run(), full_clip_run()}) {
    const auto stored = written_and_read(scratch, run);
    EXPECT_EQ(to_json(stored, scratch / "run"), to_json(run, scratch / "run"));
    EXPECT_EQ(difference(run, stored), "");
  }
  EXPECT_EQ(written_and_read(scratch, full_run()).settings.seed, UINT64_MAX);
  const auto clips = written_and_read(scratch, full_clip_run());
  EXPECT_EQ(clips.settings.kind, RunKind::Clips);
  EXPECT_EQ(clips.settings.clips.refresh.metric, Metric::Cosine);
  EXPECT_FALSE(clips.settings.clips.mirror);
}

TEST(Run, OtherFoldersAreErrors) {
  const ScratchFolder scratch;
  const auto problem = [&] { return error_of(scratch, [&] { read_run(scratch / "run"); }); };
  EXPECT_EQ(problem(), "run: is not a run: it has no run.json; 'manyverbs train' creates one");
  scratch.write("run/run.json", "{");
  EXPECT_EQ(problem(), "run/run.json: is not valid JSON: error at byte 2");
  scratch.write("run/run.json", "{}");
  EXPECT_EQ(problem(), "run/run.json: the key 'format' is missing");
  Json json = to_json(full_run(), scratch / "run");
  json["format"] = 1;
  scratch.write("run/run.json", json.dump());
  EXPECT_EQ(problem(), "run/run.json: has format 1, this program requires 4");
  json = to_json(full_run(), scratch / "run");
  json["kind"] = "frames";
  scratch.write("run/run.json", json.dump());
  EXPECT_EQ(problem(), "run/run.json: expected the kind features or clips, found 'frames'");
  json = to_json(full_run(), scratch / "run");
  json["settings"]["batch"] = "many";
  scratch.write("run/run.json", json.dump());
  EXPECT_EQ(problem(), "run/run.json: the key 'batch' has the invalid value \"many\"");
}

TEST(Run, ARunOfTheOtherKindIsAnError) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [&] { require_kind(full_run(), RunKind::Clips, "run"); }),
            "run: is a run on features by 'manyverbs train'; expected a run on clips");
  EXPECT_EQ(error_of(scratch, [&] { require_kind(full_clip_run(), RunKind::Features, "run"); }),
            "run: is a run on clips by 'manyverbs finetune'; expected a run on features");
  EXPECT_EQ(difference(full_run(), full_clip_run()), "it is a run on clips");
}

TEST(Run, TheDifferenceHasTheNameOfTheSetting) {
  const auto found = full_run();
  const auto problem = [&](auto change) {
    auto wanted = full_run();
    change(wanted);
    return difference(wanted, found);
  };
  EXPECT_EQ(problem([](auto& run) { run.settings.learning_rate = 0.001; }),
            "its learning_rate is 0.0001, requested 0.001");
  EXPECT_EQ(problem([](auto& run) { run.settings.features.hidden = {5}; }),
            "its hidden is [6,4,2], requested [5]");
  EXPECT_EQ(problem([](auto& run) { run.settings.loss = "an"; }),
            "its loss is \"p+s\", requested \"an\"");
  EXPECT_EQ(problem([](auto& run) { run.made_from.labels = "x"; }),
            "clips.csv of its data set has changed since");
  EXPECT_EQ(problem([](auto& run) { run.made_from.features["rgb"] = "x"; }),
            "features/rgb.npy of its data set has changed since");
  EXPECT_EQ(problem([](auto& run) { run.classes.pop_back(); }),
            "classes.csv of its data set has changed since");
  EXPECT_EQ(problem([](auto& run) { run.dataset = "elsewhere"; }), "");
  EXPECT_EQ(problem([](auto& run) { run.pseudo_labels_hash = "x"; }),
            "its pseudo-labels have changed since");
  EXPECT_EQ(problem([](auto& run) { run.settings.checkpoint_seconds = 0; }), "");
}

TEST(Run, InitialWeightsAreComparedByContentNotByPath) {
  const auto found = full_clip_run();
  auto wanted = full_clip_run();
  wanted.settings.clips.weights = "/elsewhere/b.pth";
  EXPECT_EQ(difference(wanted, found), "");
  wanted.weights_hash = "2c3d";
  EXPECT_EQ(difference(wanted, found), "its initial weights have changed since");
}

// A data set with one class and one clip of that name.
void write_small_dataset(const std::filesystem::path& folder, const std::string& clip) {
  Dataset dataset;
  dataset.classes = Vocabulary({"cut"});
  dataset.clips.push_back({clip, Split::Train, {0}, {}, "", {}, {}});
  std::filesystem::create_directories(folder);
  write_dataset(folder, dataset);
}

class RunPlace : public testing::Test {
 protected:
  RunPlace() {
    write_small_dataset(scratch_ / "here/kitchen", "a");
    std::filesystem::create_directories(scratch_ / "here/runs/an");
    auto run = full_run();
    run.dataset = scratch_ / "here/kitchen";
    run.made_from = labels_content(read_dataset(run.dataset));
    write_json(scratch_ / "here/runs/an/run.json", to_json(run, scratch_ / "here/runs/an"));
  }
  std::filesystem::path dataset_of(const std::string& run) const {
    return read_run(scratch_ / run).dataset;
  }

  ScratchFolder scratch_;
};

TEST_F(RunPlace, ADataSetIsFoundAtItsAbsolutePath) {
  EXPECT_EQ(dataset_of("here/runs/an"), scratch_ / "here/kitchen");
  std::filesystem::rename(scratch_ / "here/runs/an", scratch_ / "an");
  EXPECT_EQ(dataset_of("an"), scratch_ / "here/kitchen");
}

TEST_F(RunPlace, ADataSetThatMovedWithTheRunIsFound) {
  std::filesystem::rename(scratch_ / "here", scratch_ / "there");
  EXPECT_EQ(dataset_of("there/runs/an"), scratch_ / "there/kitchen");
}

TEST_F(RunPlace, ACopyOfBothIsUsedWithTheCopyOfTheRun) {
  std::filesystem::copy(scratch_ / "here", scratch_ / "copy",
                        std::filesystem::copy_options::recursive);
  EXPECT_EQ(dataset_of("copy/runs/an"), scratch_ / "copy/kitchen");
  EXPECT_EQ(dataset_of("here/runs/an"), scratch_ / "here/kitchen");
}

TEST_F(RunPlace, WithADataSetAtBothPathsTheContentDecides) {
  std::filesystem::create_directories(scratch_ / "other/runs");
  std::filesystem::rename(scratch_ / "here/runs/an", scratch_ / "other/runs/an");
  write_small_dataset(scratch_ / "other/kitchen", "b");
  EXPECT_EQ(dataset_of("other/runs/an"), scratch_ / "here/kitchen");
  std::filesystem::remove_all(scratch_ / "other/kitchen");
  write_small_dataset(scratch_ / "other/kitchen", "a");
  EXPECT_EQ(dataset_of("other/runs/an"), scratch_ / "other/kitchen");
}

TEST_F(RunPlace, AMissingDataSetKeepsItsPath) {
  std::filesystem::remove_all(scratch_ / "here/kitchen");
  EXPECT_EQ(dataset_of("here/runs/an"), scratch_ / "here/kitchen");
}

TEST_F(RunPlace, ClaimingARunForACopyOfItsDataSetStoresTheNewPath) {
  std::filesystem::copy(scratch_ / "here/kitchen", scratch_ / "copy",
                        std::filesystem::copy_options::recursive);
  auto run = full_run();
  run.dataset = scratch_ / "copy";
  run.made_from = labels_content(read_dataset(run.dataset));
  claim_run_folder(scratch_ / "here/runs/an", run);
  EXPECT_EQ(dataset_of("here/runs/an"), scratch_ / "copy");
}

TEST(Run, ReplacedVideosAreADifference) {
  auto wanted = full_clip_run();
  wanted.videos_hash = "6a7b";
  EXPECT_EQ(difference(wanted, full_clip_run()), "videos of its data set have changed since");
}

TEST(Run, TheNumberOfEpochsCanBeRaised) {
  const ScratchFolder scratch;
  auto run = full_run();
  EXPECT_FALSE(claim_run_folder(scratch / "run", run).more_epochs);
  EXPECT_FALSE(claim_run_folder(scratch / "run", run).more_epochs);
  run.settings.epochs = 20;
  EXPECT_TRUE(claim_run_folder(scratch / "run", run).more_epochs);
  EXPECT_EQ(read_run(scratch / "run").settings.epochs, 20);
  run.settings.epochs = 12;
  EXPECT_EQ(
      error_of(scratch, [&] { claim_run_folder(scratch / "run", run); }),
      "run: contains another run: its epochs is 20, requested 12; choose another --out or remove "
      "it");
}

TEST(Run, WithACosineScheduleMoreEpochsAreAnotherRun) {
  const ScratchFolder scratch;
  auto run = full_clip_run();
  claim_run_folder(scratch / "run", run);
  run.settings.epochs = 200;
  EXPECT_EQ(error_of(scratch, [&] { claim_run_folder(scratch / "run", run); }),
            "run: contains another run: its epochs is 100, requested 200; choose another --out or "
            "remove it");
  EXPECT_EQ(read_run(scratch / "run").settings.epochs, 100);
}

TEST(Run, WithALossThatDependsOnTheNumberOfEpochsMoreEpochsAreAnotherRun) {
  for (const Loss& loss : all_losses()) {
    const ScratchFolder scratch;
    auto run = full_run();
    run.settings.loss = loss.name;
    claim_run_folder(scratch / "run", run);
    run.settings.epochs = 20;
    const std::string problem = error_of(scratch, [&] { claim_run_folder(scratch / "run", run); });
    const bool depends = loss.name == "gr" || loss.name == "em-apl" || loss.cross_fitted;
    EXPECT_EQ(problem,
              depends ? "run: contains another run: its epochs is 12, requested 20; choose another "
                        "--out or remove it"
                      : "")
        << loss.name;
  }
}

TEST(Run, TheModelIsReadBack) {
  const ScratchFolder scratch;
  const Mlp mlp({7, {6, 4, 2}, 2, 2}, 9);
  write_tensors(scratch / "model.safetensors", {mlp.state(), {}});
  const Mlp loaded = load_model(scratch.path(), full_run());
  const auto expected = mlp.state();
  const auto found = loaded.state();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(values_of(found[i].second), values_of(expected[i].second)) << found[i].first;
  }
}

TEST(Run, ValidationClipsAreReadBack) {
  const ScratchFolder scratch;
  const auto file = scratch / "model.safetensors";
  const auto probabilities = tensor_of({.5F, .25F, .75F, 1}, {2, 2});
  write_tensors(file, {{{"validation.probabilities", probabilities}}, {}});
  EXPECT_EQ(validation_clips(scratch.path()).probabilities,
            Matrix<float>(2, 2, {.5F, .25F, .75F, 1}));
  EXPECT_TRUE(validation_clips(scratch.path()).labels.empty());
  write_tensors(file, {{{"validation.labels", tensor_of({1, -1}, {2})},
                        {"validation.probabilities", probabilities}},
                       {}});
  EXPECT_EQ(validation_clips(scratch.path()).labels, (std::vector<ClassId>{1, -1}));
}

TEST(Run, InvalidValidationClipsAreErrors) {
  const ScratchFolder scratch;
  const auto problem = [&](const at::Tensor& probabilities, const at::Tensor& labels) {
    write_tensors(
        scratch / "model.safetensors",
        {{{"validation.probabilities", probabilities}, {"validation.labels", labels}}, {}});
    return error_of(scratch, [&] { validation_clips(scratch.path()); });
  };
  const auto two = tensor_of({.5F, .25F, .75F, 1}, {2, 2});
  EXPECT_EQ(problem(tensor_of({.5F, .25F}, {2}), tensor_of({0, 1}, {2})),
            "model.safetensors: has no 'validation.probabilities'; train the run again");
  EXPECT_EQ(problem(two, tensor_of({0, 1, 1}, {3})),
            "model.safetensors: 'validation.labels': expected 2 labels, found 3");
  for (const float label : {2.0F, -2.0F}) {
    EXPECT_EQ(problem(two, tensor_of({0, label}, {2})),
              fmt::format("model.safetensors: 'validation.labels': expected class numbers below 2, "
                          "found {}",
                          label));
  }
}

TEST(Run, AMissingModelOrAnotherShapeIsAnError) {
  const ScratchFolder scratch;
  claim_run_folder(scratch / "run", full_run());
  const auto problem = [&] {
    return error_of(scratch, [&] { load_model(scratch / "run", full_run()); });
  };
  EXPECT_EQ(problem(), "run: has no model yet; run the same 'manyverbs train' again to resume");
  write_tensors(scratch / "run/model.safetensors", {Mlp({7, {8}, 2}, 9).state(), {}});
  EXPECT_EQ(problem(),
            "run/model.safetensors: 'hidden0.weight': expected the shape 6 x 7, found 8 x 7");
}

}  // namespace
}  // namespace manyverbs
