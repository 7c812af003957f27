// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/vectorised.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace manyverbs {
namespace {

[[gnu::always_inline]] inline float product_and_sum(float a, float b, float c) { return a * b + c; }

// With one rounding for both, what the product loses otherwise is seen in the sum.
TEST(Vectorised, CompilesForAvx2WhereThatIsUsed) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "one compilation only";
#else
  volatile const float a = 1 + 0x1p-12F;
  volatile const float c = -1 - 0x1p-11F;
  EXPECT_EQ((vectorised<product_and_sum>(float{a}, float{a}, float{c})),
            uses_avx2() ? 0x1p-24F : 0.0F);
#endif
}

// ctest runs this twice, with and without the variable.
TEST(Vectorised, TheEnvironmentSelectsThePortableCode) {
  if (std::getenv("MANYVERBS_PORTABLE") != nullptr) {
    EXPECT_FALSE(uses_avx2());
  } else {
#if defined(__x86_64__)
    EXPECT_EQ(uses_avx2(), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
    EXPECT_FALSE(uses_avx2());
#endif
  }
}

}  // namespace
}  // namespace manyverbs
