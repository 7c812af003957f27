// SPDX-License-Identifier: MIT
#include "manyverbs/support/progress.h"

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

TEST(Progress, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(duration_text(8), "8 s");
  EXPECT_EQ(duration_text(0.2), "0 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
}

TEST(Progress, ShortWorkSaysNothing) {
  testing::internal::CaptureStderr();
  {
    Progress progress("work", 10);
    for (int i = 0; i < 10; ++i) progress.advance();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace manyverbs
