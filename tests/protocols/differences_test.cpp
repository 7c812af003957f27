// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/differences.h"

#include <cmath>

#include <gtest/gtest.h>

#include "manyverbs/protocols/internal/experiment_table.h"

namespace manyverbs {
namespace {

const std::size_t kF1 = table_metric("f1");
const std::size_t kMap = table_metric("map");

class Differences : public testing::Test {
 protected:
  Differences() {
    results_.datasets = {"kitchen"};
    for (const std::string key : {"an", "wan", "mask", "p+s"}) {
      ExperimentRow row;
      row.key = key;
      row.pseudo_labelled = key == "mask" || key == "p+s";
      results_.rows.push_back(row);
    }
  }

  RunResult& add(const std::string& row, std::uint64_t seed, double value,
                 std::size_t dataset = 0) {
    RunResult run;
    run.row = row;
    run.seed = seed;
    run.dataset = dataset;
    run.values.fill(value);
    results_.runs.push_back(run);
    return results_.runs.back();
  }

  // A run whose value is the mean of its clips that are not NaN.
  void add_clips(const std::string& row, std::uint64_t seed, const std::vector<float>& clips,
                 std::size_t dataset = 0) {
    double sum = 0;
    int defined = 0;
    for (const float clip : clips) {
      if (std::isnan(clip)) continue;
      sum += clip;
      ++defined;
    }
    RunResult& run = add(row, seed, sum / defined, dataset);
    run.clips = Matrix<float>(clips.size(), kTableMetrics.size());
    for (std::size_t i = 0; i < clips.size(); ++i) {
      for (float& value : run.clips.row(i)) value = clips[i];
    }
  }

  Difference difference(const std::string& row, const std::string& reference,
                        std::size_t metric = kF1) const {
    return paired_difference(results_, row, reference, metric);
  }
  std::vector<bool> best(std::size_t metric = kF1) const {
    return best_rows(results_, {"an", "wan", "mask", "p+s"}, metric);
  }

  Results results_;
};

TEST_F(Differences, OfRunsWithTheSameSeedWorkedByHand) {
  add("mask", 1, 0.5);
  add("mask", 2, 0.7);
  add("an", 2, 0.4);
  add("an", 1, 0.3);
  add("an", 3, 0.9);
  const Difference found = difference("mask", "an");
  EXPECT_EQ(found.reference, "an");
  EXPECT_EQ(found.pairs, 2);
  EXPECT_DOUBLE_EQ(found.interval.mean, 0.25);
  EXPECT_NEAR(found.interval.half_width, 12.706205 * 0.05, 1e-7);
  EXPECT_TRUE(found.over_runs);
  EXPECT_FALSE(found.over_clips);
}

TEST_F(Differences, ArePairedByDataSetToo) {
  results_.datasets = {"one", "two"};
  add("mask", 1, 0.5, 0);
  add("mask", 1, 0.7, 1);
  add("an", 1, 0.3, 0);
  add("an", 1, 0.4, 1);
  EXPECT_EQ(difference("mask", "an").pairs, 2);
  EXPECT_NEAR(difference("mask", "an").interval.half_width, 12.706205 * 0.05, 1e-7);
}

TEST_F(Differences, IgnoreFailedRunsAndUndefinedValues) {
  add("mask", 1, 0.5);
  add("mask", 2, 0.7).problem = "failed";
  add("mask", 3, NAN);
  for (const std::uint64_t seed : {1, 2, 3}) add("an", seed, 0.4);
  EXPECT_EQ(difference("mask", "an").pairs, 1);
  EXPECT_EQ(difference("an", "mask").pairs, 1);
  EXPECT_EQ(difference("mask", "wan").pairs, 0);
  EXPECT_TRUE(std::isnan(difference("mask", "wan").interval.mean));
}

// The differences {{1, 2, 6}, {1, 4, 4}} of CrossedInterval.
TEST_F(Differences, OfClipsAndRunsWorkedByHand) {
  add_clips("mask", 1, {2, 3, 7});
  add_clips("mask", 2, {3, 4, 4});
  add_clips("an", 1, {1, 1, 1});
  add_clips("an", 2, {2, 0, 0});
  const Difference found = difference("mask", "an");
  EXPECT_DOUBLE_EQ(found.interval.mean, 3);
  EXPECT_NEAR(found.interval.half_width, 4.302653 * std::sqrt(4.0 / 3), 1e-6);
  EXPECT_TRUE(found.over_runs);
  EXPECT_TRUE(found.over_clips);
}

TEST_F(Differences, OfMapAreOverRunsOnly) {
  add_clips("mask", 1, {2, 3, 7});
  add_clips("mask", 2, {3, 4, 5});
  add_clips("an", 1, {1, 1, 1});
  add_clips("an", 2, {0, 0, 0});
  const Difference found = difference("mask", "an", kMap);
  EXPECT_DOUBLE_EQ(found.interval.mean, 3.5);
  EXPECT_NEAR(found.interval.half_width, 12.706205 * 0.5, 1e-6);
  EXPECT_FALSE(found.over_clips);
}

// Differences 1, 2 and 3; the clip without a label is ignored.
TEST_F(Differences, OfOneRunAreOverTestClips) {
  add_clips("mask", 1, {2, NAN, 3, 4});
  add_clips("an", 1, {1, NAN, 1, 1});
  const Difference found = difference("mask", "an");
  EXPECT_DOUBLE_EQ(found.interval.mean, 2);
  EXPECT_NEAR(found.interval.half_width, 4.302653 / std::sqrt(3.0), 1e-6);
  EXPECT_FALSE(found.over_runs);
  EXPECT_TRUE(found.over_clips);
  EXPECT_TRUE(std::isnan(difference("mask", "an", kMap).interval.half_width));
}

TEST_F(Differences, AreOverRunsIfTheClipsOfARunAreUnknownOrOthers) {
  add_clips("mask", 1, {2, 3, 7});
  add_clips("mask", 2, {3, 4, 5});
  add_clips("an", 1, {1, 1, 1});
  add("an", 2, 0);
  EXPECT_FALSE(difference("mask", "an").over_clips);
  EXPECT_NEAR(difference("mask", "an").interval.half_width, 12.706205 * 0.5, 1e-6);
  results_.runs.pop_back();
  add_clips("an", 2, {0, 0});
  EXPECT_FALSE(difference("mask", "an").over_clips);
}

TEST_F(Differences, OfSeveralDataSetsWithOneSeedEachAreOverTestClips) {
  results_.datasets = {"one", "two"};
  for (const std::size_t dataset : {0, 1}) {
    add_clips("mask", 1, {2, 3, 4}, dataset);
    add_clips("an", 1, {1, 1, 1}, dataset);
  }
  EXPECT_FALSE(difference("mask", "an").over_runs);
  EXPECT_TRUE(difference("mask", "an").over_clips);
  // b = (1/3 + 1/3) / 4 with 4 degrees of freedom.
  EXPECT_NEAR(difference("mask", "an").interval.half_width, 2.776445 / std::sqrt(6.0), 1e-6);
}

// Against Mask, WAN is 0.1 ± 0.64 lower and AN 0.375 ± 0 lower; P+S has no pair.
TEST_F(Differences, BestAreTheRowsThatAreNotSignificantlyWorse) {
  add("mask", 1, 0.5);
  add("mask", 2, 0.75);
  add("wan", 1, 0.45);
  add("wan", 2, 0.6);
  add("an", 1, 0.125);
  add("an", 2, 0.375);
  add("p+s", 3, 0.6);
  EXPECT_EQ(best(), (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(best(table_metric("predicted_labels")), (std::vector<bool>{false, false, false, false}))
      << "more labels are not better";
}

TEST_F(Differences, NothingIsBestIfNothingCanBeTested) {
  add("mask", 1, 0.5);
  add("an", 1, 0.1);
  EXPECT_EQ(best(), (std::vector<bool>(4, false)));
  results_.runs.clear();
  EXPECT_EQ(best(), (std::vector<bool>(4, false)));
}

TEST_F(Differences, EqualRowsAreAllBest) {
  for (const std::uint64_t seed : {1, 2}) {
    add("mask", seed, 0.5);
    add("an", seed, 0.5);
  }
  EXPECT_EQ(best(), (std::vector<bool>{true, false, true, false}));
}

TEST_F(Differences, TheReferenceIsTheBestRowWithoutPseudoLabels) {
  add("an", 1, 0.3);
  add("wan", 1, 0.4);
  add("mask", 1, 0.6);
  EXPECT_EQ(references_of(results_)[kF1], "wan");
  results_.runs[0].values[kMap] = 0.5;
  EXPECT_EQ(references_of(results_)[kMap], "an") << "each metric has its own";
  EXPECT_EQ(references_of(results_)[table_metric("predicted_labels")], "");
  results_.reference = "p+s";
  EXPECT_EQ(references_of(results_)[kF1], "") << "it has no run";
  results_.reference = "mask";
  EXPECT_EQ(references_of(results_)[kF1], "mask");
}

TEST_F(Differences, TheReferenceIsTheBestRowIfAllUsePseudoLabels) {
  results_.rows.erase(results_.rows.begin(), results_.rows.begin() + 2);
  add("mask", 1, 0.6);
  add("p+s", 1, 0.7);
  EXPECT_EQ(references_of(results_)[kF1], "p+s");
  results_.rows.pop_back();
  EXPECT_EQ(references_of(results_)[kF1], "") << "one row has nothing to be compared with";
}

TEST_F(Differences, AreInTheTableForAllRowsExceptTheReference) {
  add("an", 1, 0.3);
  add("mask", 1, 0.6);
  const std::vector<TableRow> table = table_of(results_);
  EXPECT_FALSE(table[0].differences[kF1].has_value());
  EXPECT_EQ(table[1].differences[kF1]->pairs, 0);
  EXPECT_DOUBLE_EQ(table[2].differences[kF1]->interval.mean, 0.3);
}

}  // namespace
}  // namespace manyverbs
