// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/dropout.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace manyverbs {
namespace {

TEST(Dropout, AMaskDropsTheGivenShareAndPreservesTheMean) {
  Random random(1);
  const at::Tensor mask = dropout_mask({101, 301}, 0.2, random);  // an odd number of values
  const double dropped = mask.eq(0).to(at::kDouble).mean().item<double>();
  EXPECT_NEAR(dropped, 0.2, 0.01);
  EXPECT_TRUE(mask.eq(0).logical_or(mask.eq(1.25F)).all().item<bool>());
}

TEST(Dropout, HalfAndNothing) {
  Random random(1);
  EXPECT_TRUE(dropout_mask({8}, 0, random).eq(1).all().item<bool>());
  const at::Tensor half = dropout_mask({1000}, 0.5, random);
  EXPECT_EQ(half.max().item<float>(), 2);
  EXPECT_EQ(half.min().item<float>(), 0);
}

// The first draw of seed 1 is 0x2265B1F5: its lower half, 0xB1F5 or 0.695 of 65536, is for the
// first value, its upper half, 0x2265 or 0.134, for the second.
TEST(Dropout, ADrawServesTwoValues) {
  Random random(1);
  const at::Tensor mask = dropout_mask({2}, 0.2, random);
  EXPECT_EQ(mask[0].item<float>(), 1.25F);
  EXPECT_EQ(mask[1].item<float>(), 0);
}

}  // namespace
}  // namespace manyverbs
