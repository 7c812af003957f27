// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/sampling.h"

#include <set>

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

using Positions = std::vector<int>;

TEST(Sampling, AFixedFrameIsTheStartOrTheCentreOfItsSegment) {
  EXPECT_EQ(fixed_frames(20, 8, SegmentPoint::Start), (Positions{0, 2, 5, 7, 10, 12, 15, 17}));
  EXPECT_EQ(fixed_frames(20, 8, SegmentPoint::Centre), (Positions{1, 3, 6, 8, 11, 13, 16, 18}));
  EXPECT_EQ(fixed_frames(8, 8, SegmentPoint::Start), (Positions{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(fixed_frames(8, 8, SegmentPoint::Centre), (Positions{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Sampling, AShortClipRepeatsFrames) {
  EXPECT_EQ(fixed_frames(3, 8, SegmentPoint::Start), (Positions{0, 0, 0, 1, 1, 1, 2, 2}));
  EXPECT_EQ(fixed_frames(3, 8, SegmentPoint::Centre), (Positions{0, 0, 0, 1, 1, 2, 2, 2}));
  EXPECT_EQ(fixed_frames(1, 4, SegmentPoint::Centre), (Positions{0, 0, 0, 0}));
  Random random(1);
  EXPECT_EQ(random_frames(3, 8, &random), (Positions{0, 0, 0, 1, 1, 1, 2, 2}));
}

TEST(Sampling, AVeryLongClipDoesNotOverflow) {
  const Positions positions = fixed_frames(2'000'000'000, 8, SegmentPoint::Centre);
  EXPECT_EQ(positions.back(), 1'875'000'000);
}

TEST(Sampling, ARandomFrameIsFromItsSegment) {
  Random random(7);
  std::vector<std::set<int>> seen(4);
  for (int draw = 0; draw < 500; ++draw) {
    const Positions positions = random_frames(10, 4, &random);
    for (int i = 0; i < 4; ++i) seen[i].insert(positions[i]);
  }
  EXPECT_EQ(seen[0], (std::set<int>{0, 1}));
  EXPECT_EQ(seen[1], (std::set<int>{2, 3, 4}));
  EXPECT_EQ(seen[2], (std::set<int>{5, 6}));
  EXPECT_EQ(seen[3], (std::set<int>{7, 8, 9}));
}

TEST(Sampling, TheSameSeedDrawsTheSameFrames) {
  Random one(3);
  Random other(3);
  EXPECT_EQ(random_frames(100, 8, &one), random_frames(100, 8, &other));
}

TEST(Sampling, AStackRepeatsTheLastFrame) {
  EXPECT_EQ(stacked(Positions{0, 7}, 9, 3), (Positions{0, 1, 2, 7, 8, 8}));
  EXPECT_EQ(stacked(Positions{4}, 100), (Positions{4, 5, 6, 7, 8}));
  EXPECT_EQ(stacked(Positions{0}, 1), (Positions{0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace manyverbs
