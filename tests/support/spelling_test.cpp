// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/spelling.h"

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

TEST(Spelling, DistanceCountsInsertionsDeletionsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("maks", "mask"), 1);
  EXPECT_EQ(edit_distance("mask", "mask"), 0);
  EXPECT_EQ(edit_distance("mask", "masked"), 2);
  EXPECT_EQ(edit_distance("mask", "task"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Spelling, TheNearestCandidateIsSuggested) {
  EXPECT_EQ(nearest_spelling("tets", {"train", "val", "test"}), "test");
  EXPECT_EQ(nearest_spelling("--feature", {"--help", "--features"}), "--features");
  EXPECT_EQ(nearest_spelling("ps", {"ls", "p+s", "n-ls"}), "p+s");
  EXPECT_EQ(nearest_spelling("MASK", {"an", "mask"}), "mask");
}

TEST(Spelling, NothingIsSuggestedIfAllAreFar) {
  EXPECT_EQ(nearest_spelling("banana", {"train", "val", "test"}), "");
  EXPECT_EQ(nearest_spelling("x", {}), "");
  EXPECT_EQ(did_you_mean("banana", {"train", "val", "test"}), "");
}

TEST(Spelling, TheSuggestionIsAppendedToAMessage) {
  EXPECT_EQ(did_you_mean("maks", {"mask"}), ", did you mean 'mask'?");
}

TEST(Spelling, IfNoneIsNearAllAreListed) {
  EXPECT_EQ(did_you_mean_or_list("maks", {"mask", "p+s"}), ", did you mean 'mask'?");
  EXPECT_EQ(did_you_mean_or_list("quadratic", {"mask", "p+s"}), "; valid values: mask, p+s");
}

}  // namespace
}  // namespace manyverbs
