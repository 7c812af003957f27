// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/ranking.h"

#include <cmath>

#include "tests/scratch.h"

namespace manyverbs {
namespace {

// One run per row, all metrics with the same value.
Results experiment(const std::string& name,
                   const std::vector<std::pair<std::string, double>>& rows) {
  Results results;
  results.folder = "tables/" + name;
  results.datasets = {"/data/" + name};
  for (const auto& [key, value] : rows) {
    ExperimentRow row;
    row.key = row.title = key;
    results.rows.push_back(row);
    RunResult run;
    run.row = key;
    run.values.fill(value);
    results.runs.push_back(run);
  }
  return results;
}

std::vector<Results> three_experiments() {
  return {experiment("a", {{"mask", .9}, {"wan", .7}, {"an", .1}}),
          experiment("b", {{"an", .2}, {"wan", .5}, {"mask", .6}}),
          experiment("c", {{"mask", .5}, {"wan", .6}, {"an", .3}})};
}

const std::size_t kF1 = table_metric("f1");

// The example of friedman_test().
TEST(Ranking, OfThreeExperimentsWorkedByHand) {
  const Ranking ranking = rank_rows(three_experiments());
  EXPECT_EQ(ranking.datasets, 3);
  ASSERT_EQ(ranking.rows.size(), 3);
  EXPECT_EQ(ranking.rows[0].row.key, "mask");
  EXPECT_DOUBLE_EQ(ranking.rows[0].mean_ranks[kF1], 4.0 / 3);
  EXPECT_DOUBLE_EQ(ranking.rows[1].mean_ranks[kF1], 5.0 / 3);
  EXPECT_DOUBLE_EQ(ranking.rows[2].mean_ranks[kF1], 3);
  EXPECT_NEAR(ranking.p[kF1], 1 / (4.5 * 4.5), 1e-12);
  // 2.3437 sqrt(3 * 4 / 18)
  EXPECT_NEAR(ranking.critical_difference, 1.9136, 5e-5);
  EXPECT_TRUE(std::isnan(ranking.rows[0].mean_ranks[table_metric("predicted_labels")]));
}

TEST(Ranking, UsesTheMeanOverRuns) {
  std::vector<Results> experiments = three_experiments();
  RunResult run;
  run.row = "mask";
  run.seed = 2;
  run.values.fill(.8);
  experiments[2].runs.push_back(run);
  EXPECT_DOUBLE_EQ(rank_rows(experiments).rows[0].mean_ranks[kF1], 1);
}

TEST(Ranking, LeavesOutRowsWithoutARunInSomeExperiment) {
  std::vector<Results> experiments = three_experiments();
  experiments[1].runs[0].problem = "failed";
  experiments[2].rows.push_back(experiment("d", {{"em", .1}}).rows[0]);
  const Ranking ranking = rank_rows(experiments);
  ASSERT_EQ(ranking.rows.size(), 2);
  EXPECT_EQ(ranking.left_out, (std::vector<std::string>{"an", "em"}));
}

TEST(Ranking, OfAMetricThatARowLacksIsUndefined) {
  std::vector<Results> experiments = three_experiments();
  experiments[0].runs[0].values[kF1] = NAN;
  const Ranking ranking = rank_rows(experiments);
  EXPECT_TRUE(std::isnan(ranking.p[kF1]));
  EXPECT_TRUE(std::isnan(ranking.rows[1].mean_ranks[kF1]));
  EXPECT_DOUBLE_EQ(ranking.rows[1].mean_ranks[table_metric("iou")], 5.0 / 3);
}

TEST(Ranking, TooFewDataSetsOrRowsAreErrors) {
  const ScratchFolder scratch;
  std::vector<Results> experiments = three_experiments();
  const auto error = [&] { return error_of(scratch, [&] { rank_rows(experiments); }); };
  experiments[2].datasets = experiments[0].datasets;
  EXPECT_EQ(error(), "tables/a and tables/c: expected different data sets, found /data/a in both");
  experiments.pop_back();
  EXPECT_EQ(error(), "expected experiments on at least 3 data sets, found 2");
  experiments.push_back(experiment("c", {{"mask", .5}}));
  EXPECT_EQ(error(), "expected at least 2 rows with a finished run in each experiment, found 1");
}

}  // namespace
}  // namespace manyverbs
