// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/vectorised.h"

#include <cstdlib>

namespace manyverbs {

bool uses_avx2() {
#if defined(__x86_64__)
  static const bool uses = std::getenv("MANYVERBS_PORTABLE") == nullptr &&
                           __builtin_cpu_supports("avx2") != 0 &&
                           __builtin_cpu_supports("fma") != 0;
  return uses;
#else
  return false;
#endif
}

}  // namespace manyverbs
