// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/search_space.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "manyverbs/learning/internal/cross_fit.h"
#include "manyverbs/learning/internal/setting_table.h"

namespace manyverbs {
namespace {

bool is_on(const Axis& axis, const RunSettings& settings) {
  return std::ranges::count(axis.values, axis.get(settings)) == 1;
}

TEST(SearchSpace, StartsOnAllAxesWithValidSettingsForAnyNumberOfClips) {
  for (const std::size_t clips : {1, 10, 500, 8000, 1000000}) {
    for (const std::vector<int>& hidden : {std::vector{2048}, std::vector{12, 6}, std::vector{5}}) {
      const RunSettings start = first_settings(clips, hidden);
      for (const Axis& axis : search_axes("ce")) EXPECT_TRUE(is_on(axis, start)) << axis.title;
      EXPECT_NO_THROW(check_loss(start, 10));
      EXPECT_EQ(start.patience, start.epochs);
    }
  }
}

// 800 steps or 9 epochs, whichever is more, rounded up to a value of the axis.
TEST(SearchSpace, SmallDataSetsGetSmallerBatchesAndMoreEpochs) {
  const auto size = [](std::size_t clips) {
    const RunSettings start = first_settings(clips, {2048});
    return std::pair(start.batch, start.epochs);
  };
  EXPECT_EQ(size(100000), std::pair(128, 9));
  EXPECT_EQ(size(8000), std::pair(128, 13));
  EXPECT_EQ(size(1600), std::pair(32, 20)) << "16 epochs of 50 steps";
  EXPECT_EQ(size(500), std::pair(16, 30)) << "26 epochs of 31 steps";
  EXPECT_EQ(size(5), std::pair(16, 220)) << "the last value";
}

TEST(SearchSpace, NeighboursDifferByOneStepOnOneAxis) {
  const RunSettings start = first_settings(8000, {2048});
  const std::vector<RunSettings> others = next_to(start);
  ASSERT_EQ(others.size(), 8);
  EXPECT_EQ(others[0].learning_rate, 4e-4);
  EXPECT_EQ(others[1].learning_rate, 1.6e-3);
  EXPECT_EQ(others[2].epochs, 9);
  EXPECT_EQ(others[2].patience, 9);
  EXPECT_EQ(others[3].epochs, 20);
  EXPECT_EQ(others[4].dropout, 0.25);
  EXPECT_EQ(others[5].dropout, 0.7);
  EXPECT_EQ(others[6].features.members, 4);
  EXPECT_EQ(others[7].features.members, 16);
  for (const RunSettings& other : others) {
    const auto moved = std::ranges::count_if(
        search_axes("ce"), [&](const Axis& axis) { return axis.get(other) != axis.get(start); });
    EXPECT_EQ(moved, 1);
    EXPECT_FALSE(are_at_one_place(start, other));
  }
  EXPECT_TRUE(are_at_one_place(start, first_settings(8000, {2048})));
}

TEST(SearchSpace, TheEndsOfAxesAndIndivisibleMembersAreLeftOut) {
  RunSettings corner = first_settings(8000, {12});
  EXPECT_EQ(corner.features.members, 4) << "8 does not divide 12";
  for (const Axis& axis : search_axes("ce")) axis.set(corner, axis.values.front());
  EXPECT_EQ(next_to(corner).size(), 4);
  corner.features.members = 4;
  EXPECT_EQ(next_to(corner).size(), 4) << "2 members, but not 8";
}

TEST(SearchSpace, TheFinalNetworkStartsFromTheSettingsOfTheFolds) {
  RunSettings folds = first_settings(8000, {2048});
  folds.dropout = 0.25;
  const RunSettings shares = first_final_settings("cross-fit", folds, 3);
  EXPECT_EQ(shares.learning_rate, 8e-4);
  EXPECT_EQ(shares.epochs, 13);
  const RunSettings mask = first_final_settings("cross-mask", folds, 3);
  EXPECT_EQ(mask.learning_rate, 1.28e-2);
  EXPECT_EQ(mask.epochs, 30) << "26, rounded up";
  EXPECT_EQ(mask.patience, 30);
  for (const RunSettings& start : {shares, mask}) {
    EXPECT_EQ(start.dropout, 0.25);
    EXPECT_EQ(start.features.cross_fit.rounds, 3);
    EXPECT_EQ(fold_settings(start).learning_rate, 8e-4);
    EXPECT_EQ(fold_settings(start).epochs, 13);
    EXPECT_NO_THROW(check_loss(start, 10));
    for (const Axis& axis : search_axes(start.loss)) EXPECT_TRUE(is_on(axis, start)) << axis.title;
  }
  EXPECT_FALSE(are_at_one_place(shares, folds)) << "another loss";
  folds.learning_rate = 3.2e-3;
  EXPECT_EQ(first_final_settings("cross-fit", folds, 1).learning_rate, 3.2e-3);
  EXPECT_EQ(first_final_settings("cross-mask", folds, 1).learning_rate, 1.28e-2)
      << "whatever is good for a softmax";
}

TEST(SearchSpace, TheFinalNetworkVariesOnlyWhatItDoesNotShareWithTheFolds) {
  const RunSettings folds = first_settings(8000, {2048});
  const std::vector<RunSettings> others = next_to(first_final_settings("cross-mask", folds, 1));
  ASSERT_EQ(others.size(), 4);
  EXPECT_EQ(others[0].learning_rate, 6.4e-3);
  EXPECT_EQ(others[1].learning_rate, 2.56e-2);
  EXPECT_EQ(others[2].epochs, 20);
  EXPECT_EQ(others[3].epochs, 45);
  for (const RunSettings& other : others) {
    EXPECT_EQ(other.features.cross_fit.fold_learning_rate, 8e-4);
    EXPECT_EQ(other.features.cross_fit.fold_epochs, 13);
  }
}

TEST(SearchSpace, RoundsFitIntoTheTime) {
  EXPECT_EQ(affordable_rounds(100, 10, 5, 2), 4);
  EXPECT_EQ(affordable_rounds(74, 10, 5, 2), 2) << "25 seconds each";
  EXPECT_EQ(affordable_rounds(24, 10, 5, 2), 0);
  EXPECT_EQ(affordable_rounds(9, 10, 5, 64), 0) << "folds are whole";
  EXPECT_EQ(affordable_rounds(-5, 10, 5, 2), 0);
  EXPECT_EQ(affordable_rounds(1e9, 10, 5, 2), 4) << "more make no difference";
}

}  // namespace
}  // namespace manyverbs
