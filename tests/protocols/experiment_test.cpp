// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/experiment_table.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/protocols/internal/best_per_metric.h"
#include "manyverbs/protocols/internal/results_file.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/interrupting.h"
#include "tests/one_thread.h"
#include "tests/protocols/kitchen.h"

namespace manyverbs {
namespace {

TEST(Summarise, IsMeanAndSampleDeviation) {
  const Cell cell = summarise({1, 2, 4});
  EXPECT_DOUBLE_EQ(cell.mean, 7.0 / 3);
  EXPECT_DOUBLE_EQ(cell.deviation, std::sqrt(7.0 / 3));
  EXPECT_EQ(cell.runs, 3);
}

TEST(Summarise, IgnoresNan) {
  EXPECT_DOUBLE_EQ(summarise({1, NAN, 3}).mean, 2);
  EXPECT_EQ(summarise({1, NAN, 3}).runs, 2);
  EXPECT_DOUBLE_EQ(summarise({5}).mean, 5);
  EXPECT_TRUE(std::isnan(summarise({5}).deviation));
  EXPECT_TRUE(std::isnan(summarise({NAN}).mean));
  EXPECT_EQ(summarise({}).runs, 0);
}

TEST(TableOf, AveragesTheFinishedRunsAndRanksTheRows) {
  Results results;
  results.datasets = {"kitchen"};
  for (const std::string key : {"an", "wan", "mask"}) {
    ExperimentRow row;
    row.key = key;
    results.rows.push_back(row);
  }
  const auto add = [&](const std::string& row, double f1, const std::string& problem = "") {
    RunResult run;
    run.row = row;
    run.problem = problem;
    run.values.fill(NAN);
    run.values[table_metric("f1")] = f1;
    results.runs.push_back(run);
  };
  add("an", 0.2);
  add("an", 0.4);
  add("wan", 0.9, "failed");
  add("mask", 0.5);
  const std::vector<TableRow> table = table_of(results);
  const std::size_t f1 = table_metric("f1");
  EXPECT_DOUBLE_EQ(table[0].cells[f1].mean, 0.3);
  EXPECT_EQ(table[0].rank[f1], 2);
  EXPECT_TRUE(std::isnan(table[1].cells[f1].mean));
  EXPECT_EQ(table[1].rank[f1], 0);
  EXPECT_EQ(table[2].rank[f1], 1);
  EXPECT_EQ(table[0].rank[table_metric("predicted_labels")], 0) << "more labels are not better";
  EXPECT_EQ(table[0].rank[table_metric("iou")], 0);
}

TEST(Results, DataSetsAreFoundAfterMovingWithTheExperiment) {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "work/table");
  std::filesystem::create_directories(scratch / "work/kitchen");
  Results results;
  results.folder = scratch / "work/table";
  results.datasets = {scratch / "work/kitchen"};
  write_results(results);
  std::filesystem::rename(scratch / "work", scratch / "moved");
  EXPECT_EQ(read_results(scratch / "moved/table").datasets[0], scratch / "moved/kitchen");
  std::filesystem::rename(scratch / "moved/table", scratch / "table");
  std::filesystem::rename(scratch / "moved", scratch / "work");
  EXPECT_EQ(read_results(scratch / "table").datasets[0], scratch / "work/kitchen");
}

class RunExperiment : public testing::Test {
 protected:
  ExperimentSettings settings() const {
    ExperimentSettings settings;
    settings.datasets = {scratch_ / "kitchen"};
    settings.seeds = 2;
    settings.run = quick_run("an");
    settings.pseudo_labels.neighbours.k = 5;
    return settings;
  }

  std::string problem(const Experiment& plan) const {
    return error_of(scratch_, [&] { run_experiment(plan, scratch_ / "table", 2); });
  }

  ScratchFolder scratch_;
  Dataset kitchen_ = write_kitchen(scratch_ / "kitchen");
};

TEST_F(RunExperiment, EqualsSingleRuns) {
  const Results results =
      run_experiment(plan_compare(settings(), {"an", "mask"}), scratch_ / "table", 2);
  ASSERT_EQ(results.runs.size(), 4);
  EXPECT_EQ(results.runs[1].name, "an-2");
  EXPECT_EQ(results.runs[1].epochs, 3);
  const OneThread one_thread;
  RunSettings single = quick_run("mask");
  single.seed = 2;
  single.features.pseudo_labels = "features-euclidean-k5-tau0.1";
  train_run(kitchen_, single, scratch_ / "single");
  EXPECT_EQ(read_file(scratch_ / "single/model.safetensors"),
            read_file(scratch_ / "table/runs/mask-2/model.safetensors"));
  const TableValues values =
      table_values(Model::open(scratch_ / "single").evaluate(kitchen_, Split::Test, {}));
  EXPECT_EQ(results.runs[3].values, values);
}

TEST_F(RunExperiment, ResultsAreReadBack) {
  Experiment plan = plan_sweep(settings(), {"mask"}, {3, 5}, {0.1});
  plan.command = "manyverbs sweep \"<kitchen>\"";
  plan.published = "epic";
  const Results written = run_experiment(plan, scratch_ / "table", 2);
  const Results read = read_results(scratch_ / "table");
  EXPECT_EQ(read.kind, ExperimentKind::Sweep);
  EXPECT_EQ(read.rows, written.rows);
  EXPECT_EQ(read.rows[1].k, 5);
  EXPECT_EQ(read.command, plan.command);
  EXPECT_EQ(read.published, "epic");
  EXPECT_EQ(read.planned, 4);
  EXPECT_DOUBLE_EQ(read.true_labels, written.true_labels);
  ASSERT_EQ(read.runs.size(), 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read.runs[i].name, written.runs[i].name);
    EXPECT_EQ(read.runs[i].values, written.runs[i].values);
    EXPECT_EQ(read.runs[i].best_epoch, written.runs[i].best_epoch);
    EXPECT_EQ(read.runs[i].validation_score, written.runs[i].validation_score);
    EXPECT_GT(read.runs[i].validation_score, 0);
  }
}

TEST_F(RunExperiment, StoresTheMetricsOfEachTestClip) {
  Experiment plan = plan_compare(settings(), {"an", "mask"});
  plan.reference = "mask";
  const Results written = run_experiment(plan, scratch_ / "table", 2);
  const Results read = read_results(scratch_ / "table");
  EXPECT_EQ(read.reference, "mask");
  const std::size_t f1 = table_metric("f1");
  for (std::size_t run = 0; run < 4; ++run) {
    const Matrix<float>& clips = read.runs[run].clips;
    ASSERT_EQ(clips.rows(), kitchen_.clips_of(Split::Test).size());
    double sum = 0;
    for (std::size_t i = 0; i < clips.rows(); ++i) {
      EXPECT_EQ(clips(i, f1), written.runs[run].clips(i, f1));
      sum += clips(i, f1);
    }
    EXPECT_NEAR(sum / static_cast<double>(clips.rows()), read.runs[run].values[f1], 1e-6);
  }
  EXPECT_TRUE(table_of(read)[0].differences[f1]->over_clips);
}

TEST_F(RunExperiment, ResultsOfAnOlderVersionAreReadAndCompletedByTheNextCall) {
  const Experiment plan = plan_compare(settings(), {"an", "mask"});
  run_experiment(plan, scratch_ / "table", 2);
  Json json = read_json(scratch_ / "table/results.json");
  json.erase("reference");
  write_json(scratch_ / "table/results.json", json);
  const std::filesystem::path clips = scratch_ / "table/runs/an-1/clip_metrics.npy";
  const std::string before = read_file(clips);
  std::filesystem::remove(clips);
  write_array(scratch_ / "table/runs/an-2/clip_metrics.npy", Matrix<float>(60, 3));
  const Results older = read_results(scratch_ / "table");
  EXPECT_EQ(older.reference, "");
  EXPECT_EQ(older.runs[0].clips.rows(), 0);
  EXPECT_EQ(older.runs[1].clips.rows(), 0) << "has other metrics";
  const Difference difference = paired_difference(older, "mask", "an", table_metric("f1"));
  EXPECT_EQ(difference.pairs, 2);
  EXPECT_FALSE(difference.over_clips);
  const Results now = run_experiment(plan, scratch_ / "table", 2);
  EXPECT_TRUE(paired_difference(now, "mask", "an", table_metric("f1")).over_clips);
  EXPECT_EQ(read_file(clips), before);
}

TEST_F(RunExperiment, AReferenceThatIsNoRowIsAnError) {
  Experiment plan = plan_compare(settings(), {"an", "mask"});
  plan.reference = "maks";
  EXPECT_EQ(problem(plan), "the reference 'maks' is not a row, did you mean 'mask'?");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "table"));
}

TEST_F(RunExperiment, CalledAgainItTrainsOnlyTheMissingRuns) {
  ExperimentSettings some = settings();
  some.seeds = 1;
  run_experiment(plan_compare(some, {"an"}), scratch_ / "table", 2);
  const std::filesystem::path model = scratch_ / "table/runs/an-1/checkpoint.safetensors";
  const ino_t before = identity(model);
  const Results more =
      run_experiment(plan_compare(settings(), {"an", "wan"}), scratch_ / "table", 2);
  EXPECT_EQ(more.runs.size(), 4);
  EXPECT_EQ(identity(model), before);
}

TEST_F(RunExperiment, ResumesAfterAnyInterruptionToTheSameResults) {
  const Experiment plan = plan_compare(settings(), {"an", "mask"});
  const Results undisturbed = run_experiment(plan, scratch_ / "undisturbed", 2);
  Results results;
  const std::vector<std::string> kept =
      interrupt_until_done([&] { results = run_experiment(plan, scratch_ / "table", 2); });
  EXPECT_TRUE(std::any_of(kept.begin(), kept.end(), [](const std::string& text) {
    return text.ends_with(" of 4 runs are finished and the others saved");
  }));
  ASSERT_EQ(results.runs.size(), 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(results.runs[i].problem, "") << "an interruption is no failure";
    EXPECT_EQ(results.runs[i].values, undisturbed.runs[i].values);
    const std::string model = "runs/" + results.runs[i].name + "/model.safetensors";
    EXPECT_EQ(read_file(scratch_ / "table" / model), read_file(scratch_ / "undisturbed" / model));
  }
}

TEST_F(RunExperiment, AfterAnInterruptionItHasTheResultsOfFinishedRuns) {
  ExperimentSettings some = settings();
  some.seeds = 1;
  run_experiment(plan_compare(some, {"an"}), scratch_ / "table", 2);
  const Experiment plan = plan_compare(settings(), {"an", "wan"});
  EXPECT_EQ(interrupted_at_once([&] { run_experiment(plan, scratch_ / "table", 2); }),
            "1 of 4 runs are finished and the others saved");
  const Results results = read_results(scratch_ / "table");
  ASSERT_EQ(results.runs.size(), 1);
  EXPECT_EQ(results.runs[0].name, "an-1");
}

TEST_F(RunExperiment, NeighboursAreSearchedOnceForTheLargestK) {
  run_experiment(plan_sweep(settings(), {"mask"}, {3, 7, 5}, {0.1}), scratch_ / "table", 2);
  const auto record = scratch_ / "kitchen/neighbours/features-euclidean.json";
  EXPECT_EQ(json_value<int>(read_json(record), "k", record), 7);
}

TEST_F(RunExperiment, AFailedRunIsRecordedAndTheOthersContinue) {
  Experiment plan = plan_compare(settings(), {"an", "wan"});
  plan.runs[1].settings.learning_rate = 1e30;
  const Results results = run_experiment(plan, scratch_ / "table", 2);
  ASSERT_EQ(results.runs.size(), 4);
  EXPECT_NE(results.runs[1].problem.find("the loss is NaN"), std::string::npos);
  EXPECT_EQ(results.runs[0].problem, "");
  EXPECT_EQ(results.runs[2].problem, "");
  EXPECT_EQ(table_of(results)[0].cells[0].runs, 1);
  EXPECT_EQ(read_results(scratch_ / "table").runs[1].problem, results.runs[1].problem);
}

TEST_F(RunExperiment, OtherSettingsAreAnErrorBeforeTheFirstRun) {
  run_experiment(plan_compare(settings(), {"an"}), scratch_ / "table", 2);
  ExperimentSettings other = settings();
  other.run.learning_rate = 0.5;
  EXPECT_EQ(problem(plan_compare(other, {"mask", "an"})),
            "table/runs/an-1: contains another run: its learning_rate is 0.001, requested 0.5; "
            "choose another --out or remove it");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "table/runs/mask-1/log.csv"));
}

TEST_F(RunExperiment, AMovedDataSetIsRecognised) {
  const Results before = run_experiment(plan_compare(settings(), {"an"}), scratch_ / "table", 2);
  ExperimentSettings moved = settings();
  std::filesystem::rename(moved.datasets[0], scratch_ / "elsewhere");
  moved.datasets = {scratch_ / "elsewhere"};
  const Results after = run_experiment(plan_compare(moved, {"an"}), scratch_ / "table", 2);
  EXPECT_EQ(after.datasets[0], scratch_ / "elsewhere");
  ASSERT_EQ(after.runs.size(), before.runs.size());
  EXPECT_EQ(after.runs[0].seconds, before.runs[0].seconds) << "it was not trained again";
}

TEST_F(RunExperiment, AFolderOfOtherFilesIsAnError) {
  run_experiment(plan_compare(settings(), {"an"}), scratch_ / "table", 2);
  EXPECT_NE(
      problem(plan_sweep(settings(), {"mask"}, {3}, {0.1})).find("contains another experiment"),
      std::string::npos);
  std::filesystem::remove(scratch_ / "table/results.json");
  scratch_.write("table/notes.txt", "mine");
  EXPECT_EQ(problem(plan_compare(settings(), {"an"})),
            "table: contains other files and is not an experiment; choose another --out");
}

TEST_F(RunExperiment, StoppedBeforeItsFirstResultsItResumes) {
  ExperimentSettings wrong = settings();
  wrong.pseudo_labels.neighbours.k = 1000;
  EXPECT_NE(problem(plan_compare(wrong, {"mask"})).find("invalid number of neighbours 1000"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "table/results.json"));
  scratch_.write("table/results.json.99999999-0.tmp", "{");
  EXPECT_EQ(problem(plan_compare(settings(), {"mask"})), "");
  EXPECT_EQ(read_results(scratch_ / "table").runs.size(), 2);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "table/results.json.99999999-0.tmp"));
}

TEST_F(RunExperiment, TheResultsAreOfTheRequestedRunsAndNothingIsTrainedTwice) {
  run_experiment(plan_compare(settings(), {"an", "mask"}), scratch_ / "table", 2);
  const std::filesystem::path model = scratch_ / "table/runs/mask-1/checkpoint.safetensors";
  const ino_t before = identity(model);
  EXPECT_EQ(run_experiment(plan_compare(settings(), {"wan"}), scratch_ / "table", 2).runs.size(),
            2);
  EXPECT_EQ(run_experiment(plan_compare(settings(), {"an", "wan", "mask"}), scratch_ / "table", 2)
                .runs.size(),
            6);
  EXPECT_EQ(identity(model), before);
}

TEST_F(RunExperiment, DataSetsWithOtherClassesAreErrors) {
  Dataset other = read_dataset(scratch_ / "kitchen");
  std::vector<std::string> names = other.classes.names();
  names.front() = "juggle";
  other.classes = Vocabulary(names);
  std::filesystem::create_directories(scratch_ / "other");
  write_dataset(scratch_ / "other", other);
  ExperimentSettings both = settings();
  both.datasets.push_back(scratch_ / "other");
  EXPECT_EQ(problem(plan_compare(both, {"an"})),
            "other: has other classes than kitchen; only splits of one data set can be averaged");
}

// The finished runs of the other process are reused.
TEST_F(RunExperiment, WaitsForAnotherProcessInTheSameFolder) {
  const Experiment plan = plan_compare(settings(), {"an"});
  std::filesystem::create_directories(scratch_ / "table/runs");
  std::optional<FileLock> other(scratch_ / "table/runs");
  testing::internal::CaptureStderr();
  std::thread waiting([&] { run_experiment(plan, scratch_ / "table", 1); });
  run_experiment(plan, scratch_ / "elsewhere", 1);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "table/results.json"));
  std::filesystem::copy(scratch_ / "elsewhere/results.json", scratch_ / "table/results.json");
  for (const char* run : {"an-1", "an-2"}) {
    std::filesystem::rename(scratch_ / "elsewhere/runs" / run, scratch_ / "table/runs" / run);
  }
  const ino_t model = identity(scratch_ / "table/runs/an-1/model.safetensors");
  other.reset();
  waiting.join();
  const std::string said = testing::internal::GetCapturedStderr();
  // The thread may have started too late to wait.
  if (!said.empty()) {
    EXPECT_EQ(said, (scratch_ / "table/runs").string() + ": in use by another process; waiting\n");
  }
  EXPECT_EQ(identity(scratch_ / "table/runs/an-1/model.safetensors"), model);
  EXPECT_EQ(read_results(scratch_ / "table").runs.size(), 2);
}

TEST_F(RunExperiment, DamagedResultsAreAnError) {
  run_experiment(plan_compare(settings(), {"an"}), scratch_ / "table", 2);
  const std::filesystem::path path = scratch_ / "table/results.json";
  Json json = read_json(path);
  json["runs"][0]["row"] = "nothing";
  write_json(path, json);
  EXPECT_EQ(error_of(scratch_, [&] { read_results(scratch_ / "table"); }),
            "table/results.json: is damaged: the run an-1 is of row 'nothing' and data set "
            "0, which do not exist");
  json["reference"] = "nobody";
  write_json(path, json);
  EXPECT_EQ(error_of(scratch_, [&] { read_results(scratch_ / "table"); }),
            "table/results.json: is damaged: the reference 'nobody' is not a row");
  EXPECT_EQ(error_of(scratch_, [&] { read_results(scratch_ / "kitchen"); }),
            "kitchen: is not an experiment: it has no results.json; 'manyverbs compare', 'ablate' "
            "and 'sweep' create one");
}

TEST_F(RunExperiment, ThePaperProtocolUsesTheBestEpochOfEachMetric) {
  const Dataset no_val = write_kitchen(scratch_ / "no_val", {.train = 200, .val = 0, .test = 60});
  ExperimentSettings paper = settings();
  paper.datasets = {no_val.folder};
  paper.seeds = 1;
  paper.run.protocol = Protocol::Paper;
  const Results results = run_experiment(plan_compare(paper, {"an"}), scratch_ / "table", 2);
  EXPECT_TRUE(results.chosen_on_test);
  EXPECT_EQ(results.runs[0].values, best_per_metric(scratch_ / "table/runs/an-1"));
  EXPECT_EQ(results.runs[0].clips.rows(), 0) << "each metric has its own epoch";
  paper.evaluation.expected_labels = 2;
  EXPECT_EQ(
      error_of(scratch_, [&] { run_experiment(plan_compare(paper, {"an"}), scratch_ / "two", 2); }),
      "no_val: without val clips, --protocol paper uses the best value per metric over all epochs "
      "on test, with the ground-truth mean as expected labels; remove --expected-labels");
}

// With both protocols. With that of the paper, P+S has its best F1 in an epoch whose bound is above
// that of the selected epoch.
TEST_F(RunExperiment, NoF1OrIouExceedsItsUpperBound) {
  write_synthetic(scratch_ / "no_val", make_synthetic({.train = 200, .val = 0, .test = 60}));
  for (const Protocol protocol : {Protocol::Paper, Protocol::Clean}) {
    ExperimentSettings many;
    many.datasets = {scratch_ / "no_val"};
    many.seeds = 2;
    many.run = quick_run("p+s");
    many.run.protocol = protocol;
    many.run.learning_rate = 0.01;
    many.run.epochs = 12;
    const Results results =
        run_experiment(plan_compare(many, {"an", "p+s"}),
                       scratch_ / (protocol == Protocol::Paper ? "paper" : "clean"), 2);
    for (const TableRow& row : table_of(results)) {
      const auto mean = [&](const char* key) { return row.cells[table_metric(key)].mean; };
      EXPECT_LE(mean("f1"), mean("best_f1")) << row.row.title;
      EXPECT_LE(mean("expected_f1"), mean("best_f1")) << row.row.title;
      EXPECT_LE(mean("iou"), mean("best_iou")) << row.row.title;
      EXPECT_LE(mean("expected_iou"), mean("best_iou")) << row.row.title;
    }
  }
}

}  // namespace
}  // namespace manyverbs
