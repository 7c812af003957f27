// SPDX-License-Identifier: MIT
#include <algorithm>

#include "manyverbs/learning/internal/run.h"
#include "manyverbs/protocols/internal/experiment.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/support/internal/files.h"
#include "tests/interrupting.h"
#include "tests/one_thread.h"
#include "tests/protocols/video_kitchen.h"

namespace manyverbs {
namespace {

class EndToEnd : public VideoKitchen {
 protected:
  Experiment plan(const std::vector<std::string>& losses, int seeds = 1) const {
    ExperimentSettings settings;
    settings.datasets = {scratch_ / "kitchen"};
    settings.seeds = seeds;
    settings.run = quick("ce");
    settings.run.epochs = 2;
    return plan_compare(settings, losses);
  }
};

TEST_F(EndToEnd, EachRunEqualsFinetuneAndEvaluate) {
  const Results results = run_experiment(plan({"an", "p+s", "p+s-ideal"}), scratch_ / "table", 2);
  ASSERT_EQ(results.runs.size(), 3);
  for (const RunResult& run : results.runs) EXPECT_EQ(run.problem, "");
  const OneThread one_thread;
  for (const std::string row : {"an", "p+s", "p+s-ideal"}) {
    RunSettings settings = quick(row == "an" ? "an" : "p+s");
    settings.epochs = 2;
    if (row == "p+s-ideal") settings.clips.pseudo_labels = "ideal";
    finetune_run(kitchen_, settings, scratch_ / row);
    EXPECT_EQ(read_file(scratch_ / row / "model.safetensors"),
              read_file(scratch_ / "table/runs" / (row + "-1") / "model.safetensors"))
        << row;
    const TableValues values =
        table_values(Model::open(scratch_ / row).evaluate(kitchen_, Split::Test, {}));
    const auto found = std::ranges::find(results.runs, row, &RunResult::row);
    EXPECT_EQ(found->values, values) << row;
    EXPECT_EQ(found->clips.rows(), kitchen_.clips_of(Split::Test).size());
  }
}

TEST_F(EndToEnd, ResultsSayWhatTheRunsWereTrainedOn) {
  run_experiment(plan({"an"}), scratch_ / "table", 1);
  EXPECT_EQ(read_results(scratch_ / "table").from, RunKind::Clips);
  Experiment other = plan({"an"});
  other.from = RunKind::Features;
  EXPECT_EQ(error_of(scratch_, [&] { run_experiment(other, scratch_ / "table", 1); }),
            "table: contains another experiment, 'compare' from clips on kitchen; choose another "
            "--out");
}

TEST_F(EndToEnd, ResumesAfterAnyInterruptionToTheSameResults) {
  const Experiment losses = plan({"an", "mask", "mask-ideal"}, 2);
  const Results whole = run_experiment(losses, scratch_ / "whole", 2);
  Results resumed;
  interrupt_until_done([&] { resumed = run_experiment(losses, scratch_ / "stopped", 2); });
  ASSERT_EQ(resumed.runs.size(), 6);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(resumed.runs[i].values, whole.runs[i].values) << whole.runs[i].name;
    const std::filesystem::path model =
        std::filesystem::path("runs") / whole.runs[i].name / "model.safetensors";
    EXPECT_EQ(read_file(scratch_ / "stopped" / model), read_file(scratch_ / "whole" / model));
  }
}

TEST_F(EndToEnd, AVideoThatCannotBeReadIsAnErrorBeforeTheFirstRun) {
  scratch_.write("kitchen/videos/clip_00003.mp4", "no video");
  EXPECT_NE(error_of(scratch_, [&] { run_experiment(plan({"an"}), scratch_ / "table", 1); })
                .find("clip_00003.mp4"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "table/results.json"));
}

TEST_F(EndToEnd, WithoutValTheTestClipsSelectTheEpochPerMetric) {
  write_kitchen_clips(
      scratch_ / "no val",
      {.train = 24, .val = 0, .test = 6, .scenes = {.size = {48, 36}, .frames = 10}});
  Experiment splits = plan({"an"});
  splits.datasets = {scratch_ / "no val"};
  for (PlannedRun& run : splits.runs) run.settings.protocol = Protocol::Paper;
  const Results results = run_experiment(splits, scratch_ / "table", 1);
  EXPECT_TRUE(results.chosen_on_test);
  EXPECT_EQ(results.runs[0].problem, "");
  EXPECT_GE(results.runs[0].values[table_metric("top_set")], 0);
}

}  // namespace
}  // namespace manyverbs
