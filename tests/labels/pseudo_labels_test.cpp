// SPDX-License-Identifier: MIT
#include "manyverbs/labels/pseudo_labels.h"

#include <cmath>

#include <gtest/gtest.h>

#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/random.h"
#include "tests/clip_rows.h"
#include "tests/labels/verbs.h"

namespace manyverbs {
namespace {

using Sets = std::vector<std::vector<ClassId>>;

// One clip whose neighbours give class 0 the given number of K votes and its own label, 1, the
// rest.
bool suggested(int count, int k, double tau) {
  const std::vector<ClassId> labels = {1};
  const Suggestions suggestions =
      instance_level(Matrix<int>(1, 2, {count, k - count}), labels, tau);
  return suggestions == Suggestions{{0}};
}

TEST(PseudoLabels, VotesCountTheLabelsOfNeighbours) {
  const std::vector<ClassId> label_of = {kCut, kPeel, kCut, kWash, kCut, kPeel};
  const Matrix<ClipRow> neighbours = clip_rows(2, 4, {0, 2, 1, 4, 3, 1, 5, 3});
  EXPECT_EQ(votes(neighbours, label_of, 3), Matrix<int>(2, 3, {3, 1, 0, 0, 2, 2}));
}

TEST(PseudoLabels, AClassAboveTauIsSuggested) {
  const std::vector<ClassId> labels = {kPeel};
  const Matrix<int> counts(1, 3, {3, 1, 0});
  EXPECT_EQ(instance_level(counts, labels, 0.2), Suggestions{{kCut}});
  EXPECT_EQ(instance_level(counts, labels, 0.75), Suggestions{{}});
}

TEST(PseudoLabels, ATableWorkedByHand) {
  const std::vector<ClassId> labels = {kCut, kPeel, kWash, kSlice};
  const Matrix<int> counts(4, 4,
                           {5, 3, 2, 0,    // shares .5 .3 .2 0
                            0, 10, 0, 0,   // all agree with the own label
                            4, 4, 1, 1,    // shares .4 .4 .1 .1
                            1, 2, 7, 0});  // the own label has no vote
  EXPECT_EQ(instance_level(counts, labels, 0.15),
            (Suggestions{{kPeel, kWash}, {}, {kCut, kPeel}, {kPeel, kWash}}));
  EXPECT_EQ(instance_level(counts, labels, 0.0),
            (Suggestions{{kPeel, kWash}, {}, {kCut, kPeel, kSlice}, {kCut, kPeel, kWash}}));
}

TEST(PseudoLabels, TheOwnLabelIsNeverSuggested) {
  const std::vector<ClassId> labels = {kCut};
  EXPECT_EQ(instance_level(Matrix<int>(1, 2, {15, 0}), labels, 0.1), Suggestions{{}});
}

TEST(PseudoLabels, AClassWithoutAVoteIsNotSuggestedEvenBelowZero) {
  EXPECT_FALSE(suggested(0, 5, -1.0));
}

TEST(PseudoLabels, ShareMustBeStrictlyAboveTau) {
  EXPECT_FALSE(suggested(1, 10, 0.1));
  EXPECT_TRUE(suggested(2, 10, 0.1));
  EXPECT_FALSE(suggested(1, 5, 0.2));
  EXPECT_TRUE(suggested(2, 5, 0.2));
  EXPECT_FALSE(suggested(3, 10, 0.3));
  EXPECT_FALSE(suggested(3, 15, 0.2));
  EXPECT_FALSE(suggested(6, 20, 0.3));
}

TEST(PseudoLabels, WithThreeNeighboursTauOfOneToThreeTenthsGiveTheSame) {
  for (int count = 0; count <= 3; ++count) {
    EXPECT_EQ(suggested(count, 3, 0.1), suggested(count, 3, 0.2)) << count;
    EXPECT_EQ(suggested(count, 3, 0.1), suggested(count, 3, 0.3)) << count;
  }
}

TEST(PseudoLabels, WithFiveNeighboursTauOfTwoAndThreeTenthsGiveTheSame) {
  for (int count = 0; count <= 5; ++count) {
    EXPECT_EQ(suggested(count, 5, 0.2), suggested(count, 5, 0.3)) << count;
  }
  EXPECT_NE(suggested(1, 5, 0.1), suggested(1, 5, 0.2));
}

TEST(PseudoLabels, AreTheSameForAnyNumberOfThreads) {
  Random random(3);
  Matrix<ClipRow> neighbours(2000, 15);
  std::vector<ClassId> labels(2000);
  for (ClassId& label : labels) label = static_cast<ClassId>(random.below(20));
  for (std::size_t i = 0; i < neighbours.rows(); ++i) {
    for (ClipRow& clip : neighbours.row(i)) clip = ClipRow(random.below(2000));
  }
  const int threads = num_threads();
  set_num_threads(1);
  const Matrix<int> counts_of_one = votes(neighbours, labels, 20);
  const Suggestions of_one = instance_level(counts_of_one, labels, 0.1);
  set_num_threads(3);
  EXPECT_EQ(votes(neighbours, labels, 20), counts_of_one);
  EXPECT_EQ(instance_level(counts_of_one, labels, 0.1), of_one);
  set_num_threads(threads);
}

TEST(ClassLevel, AClassInHalfOfTheSetsIsSuggested) {
  const Sets sets = {{kCut, kPeel}, {kCut}, {kPeel}};
  const std::vector<ClassId> labels = {kCut, kPeel};
  EXPECT_EQ(class_level(sets, labels, 2), (Suggestions{{kPeel}, {kCut}}));
}

TEST(ClassLevel, TheReleasedCodeRequiresMoreThanHalf) {
  const Sets sets = {{kCut, kPeel}, {kCut}, {kPeel, kCut}, {kCut}};
  const std::vector<ClassId> labels = {kCut, kPeel};
  EXPECT_EQ(class_level(sets, labels, 2, Together::AtLeastHalf), (Suggestions{{kPeel}, {kCut}}));
  EXPECT_EQ(class_level(sets, labels, 2, Together::MoreThanHalf), (Suggestions{{}, {kCut}}));
}

TEST(ClassLevel, EveryClipOfAClassGetsTheSame) {
  const Sets sets = {{kCut, kSlice}, {kCut, kSlice, kPeel}, {kCut}, {kWash}};
  const std::vector<ClassId> labels = {kCut, kWash, kCut, kSlice};
  EXPECT_EQ(class_level(sets, labels, 4), (Suggestions{{kSlice}, {}, {kSlice}, {kCut, kPeel}}));
}

TEST(ClassLevel, AClassWithoutSetsSuggestsNothing) {
  const std::vector<ClassId> labels = {kWash};
  EXPECT_EQ(class_level(Sets{{kCut, kPeel}}, labels, 3), Suggestions{{}});
}

TEST(Ideal, IsTheRestOfTheTruth) {
  const std::vector<ClassId> labels = {kPeel, kWash, kCut};
  EXPECT_EQ(ideal(Sets{{kWash, kCut, kPeel}, {kWash}, {}}, labels),
            (Suggestions{{kCut, kWash}, {}, {}}));
}

TEST(PseudoLabelTargets, SuggestedClassesGetTheGivenTarget) {
  const std::vector<ClassId> labels = {kPeel};
  const Suggestions suggestions = {{kCut}};
  const auto row = [&](Label suggested) { return targets(suggestions, labels, 3, suggested); };
  EXPECT_EQ(row(Label::Unknown),
            LabelMatrix(1, 3, {Label::Unknown, Label::Present, Label::Absent}));
  EXPECT_EQ(row(Label::Present),
            LabelMatrix(1, 3, {Label::Present, Label::Present, Label::Absent}));
  EXPECT_EQ(row(Label::Absent), LabelMatrix(1, 3, {Label::Absent, Label::Present, Label::Absent}));
}

TEST(SuggestionQuality, CountsHiddenLabelsOnly) {
  const std::vector<ClassId> labels = {kPeel};
  const SuggestionQuality quality =
      suggestion_quality({{kCut, kWash}}, Sets{{kCut, kPeel, kSlice}}, labels);
  EXPECT_DOUBLE_EQ(quality.precision, 1.0 / 2);
  EXPECT_DOUBLE_EQ(quality.recall, 1.0 / 2);
  EXPECT_DOUBLE_EQ(quality.suggestions_per_clip, 2);
  EXPECT_EQ(quality.clips, 1);
}

TEST(SuggestionQuality, PoolsAllClipsWithKnownTruth) {
  const std::vector<ClassId> labels = {kPeel, kCut, kWash};
  const SuggestionQuality quality =
      suggestion_quality({{kCut}, {kPeel, kWash}, {kCut, kPeel}},
                         Sets{{kCut, kPeel}, {kCut, kWash, kSlice}, {}}, labels);
  EXPECT_DOUBLE_EQ(quality.precision, 2.0 / 3);
  EXPECT_DOUBLE_EQ(quality.recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(quality.suggestions_per_clip, 5.0 / 3);
  EXPECT_EQ(quality.clips, 2);
}

TEST(SuggestionQuality, IsNanIfNothingCanBeCounted) {
  const std::vector<ClassId> labels = {kPeel};
  const SuggestionQuality silent = suggestion_quality({{}}, Sets{{kPeel, kCut}}, labels);
  EXPECT_TRUE(std::isnan(silent.precision));
  EXPECT_DOUBLE_EQ(silent.recall, 0);
  const SuggestionQuality nothing_hidden = suggestion_quality({{kCut}}, Sets{{kPeel}}, labels);
  EXPECT_DOUBLE_EQ(nothing_hidden.precision, 0);
  EXPECT_TRUE(std::isnan(nothing_hidden.recall));
  const SuggestionQuality unknown = suggestion_quality({{kCut}}, Sets{{}}, labels);
  EXPECT_TRUE(std::isnan(unknown.precision));
  EXPECT_TRUE(std::isnan(unknown.recall));
  EXPECT_DOUBLE_EQ(unknown.suggestions_per_clip, 1);
  EXPECT_EQ(unknown.clips, 0);
  EXPECT_TRUE(std::isnan(suggestion_quality({}, Sets{}, {}).suggestions_per_clip));
}

}  // namespace
}  // namespace manyverbs
