// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/epoch_scoring.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "manyverbs/metrics/internal/metric_table.h"

namespace manyverbs {
namespace {

const LabelMatrix kTruth(1, 3, {Label::Present, Label::Present, Label::Absent});

std::string selector(RunKind kind, Recipe recipe, Protocol protocol, bool is_test) {
  RunSettings settings = default_settings(kind);
  settings.recipe = recipe;
  settings.protocol = protocol;
  return epoch_scorer(kTruth, is_test, settings).names[0];
}

TEST(EpochScorer, OnTestThePaperSelectsByAccuracyAndTheReleasedCodeByIouOrTopSet) {
  const auto on_test = [](RunKind kind, Recipe recipe) {
    return selector(kind, recipe, Protocol::Paper, true);
  };
  EXPECT_EQ(on_test(RunKind::Features, Recipe::Paper), "top1");
  EXPECT_EQ(on_test(RunKind::Clips, Recipe::Paper), "top1");
  EXPECT_EQ(on_test(RunKind::Features, Recipe::Released), "iou");
  EXPECT_EQ(on_test(RunKind::Clips, Recipe::Released), "top_set");
}

TEST(EpochScorer, OnValTheReleasedCodeSelectsByAccuracyToo) {
  EXPECT_EQ(selector(RunKind::Features, Recipe::Released, Protocol::Paper, false), "top1");
}

TEST(EpochScorer, TheReleasedCodePredictsClassesAtTheThreshold) {
  const auto f1 = [](Recipe recipe) {
    RunSettings settings;
    settings.recipe = recipe;
    const EpochScorer scorer = epoch_scorer(kTruth, true, settings);
    const auto place = std::ranges::find(scorer.names, "f1") - scorer.names.begin();
    return scorer.measure(Matrix<float>(1, 3, {0.9F, 0.5F, 0.1F}))[place];
  };
  EXPECT_DOUBLE_EQ(f1(Recipe::Paper), 2.0 / 3);
  EXPECT_DOUBLE_EQ(f1(Recipe::Released), 1);
}

}  // namespace
}  // namespace manyverbs
