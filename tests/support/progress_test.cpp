// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/progress.h"

#include <thread>

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

TEST(Progress, DurationsAreFormattedInWords) {
  EXPECT_EQ(duration_text(8), "8 s");
  EXPECT_EQ(duration_text(0.2), "0 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
}

TEST(Progress, ShortWorkPrintsNothing) {
  testing::internal::CaptureStderr();
  {
    Progress progress("work", 10);
    for (int i = 0; i < 10; ++i) progress.advance();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, WorkInsideAStepAdvancesTheWhole) {
  Progress whole("runs", 4);
  {
    const Progress::Step step(&whole);
    Progress part("training", 10);
    part.advance(5);
    EXPECT_DOUBLE_EQ(whole.share(), 0.5 / 4);
    Progress later("scoring", 10);
    later.advance(2);
    EXPECT_DOUBLE_EQ(whole.share(), 0.5 / 4) << "a step never goes back";
  }
  EXPECT_DOUBLE_EQ(whole.share(), 1.0 / 4) << "a step that is over counts in full";
  whole.advance();
  EXPECT_DOUBLE_EQ(whole.share(), 2.0 / 4);
}

TEST(Progress, AStepMayHaveStepsInOtherThreads) {
  Progress whole("runs", 2);
  {
    const Progress::Step run(&whole);
    Progress folds("folds", 4);
    std::thread([&] {
      const Progress::Step fold(&folds);
      Progress part("training", 10);
      part.advance(5);
    }).join();
    EXPECT_DOUBLE_EQ(folds.share(), 1.0 / 4);
    EXPECT_DOUBLE_EQ(whole.share(), 1.0 / 4 / 2);
    { const Progress::Step fold(&folds); }
    Progress later("training", 10);
    later.advance(8);
    EXPECT_DOUBLE_EQ(whole.share(), 0.8 / 2) << "of the run again, after a step within it";
  }
  EXPECT_DOUBLE_EQ(whole.share(), 1.0 / 2);
}

}  // namespace
}  // namespace manyverbs
