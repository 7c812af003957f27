// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/numbers.h"

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

TEST(NumberIn, ParsesNumbers) {
  EXPECT_EQ(number_in<double>("2.5"), 2.5);
  EXPECT_EQ(number_in<double>("1e-3"), 1e-3);
  EXPECT_EQ(number_in<int>("-7"), -7);
}

TEST(NumberIn, IsNothingForOtherTexts) {
  for (const char* text : {"", "2,5", "2.5 s", " 2.5", "two"}) {
    EXPECT_FALSE(number_in<double>(text).has_value()) << text;
  }
  EXPECT_FALSE(number_in<int>("2.5").has_value());
  EXPECT_FALSE(number_in<int>("99999999999").has_value());
}

}  // namespace
}  // namespace manyverbs
