// SPDX-License-Identifier: MIT
#include "manyverbs/demo/internal/synthetic.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

TEST(Synthetic, TheOriginalOfATestClipIsOneOfItsVerbsNotAlwaysTheFirst) {
  const Dataset dataset = make_synthetic({.train = 10, .val = 10, .test = 300}).dataset;
  int several = 0;
  int first = 0;
  for (const Clip& clip : dataset.clips) {
    ASSERT_EQ(clip.original.has_value(), clip.split == Split::Test);
    if (!clip.original || clip.truth.size() < 2) continue;
    EXPECT_TRUE(std::binary_search(clip.truth.begin(), clip.truth.end(), *clip.original));
    ++several;
    first += clip.original == clip.truth.front() ? 1 : 0;
  }
  EXPECT_GT(several, 100);
  EXPECT_LT(first, 3 * several / 4);
}

}  // namespace
}  // namespace manyverbs
