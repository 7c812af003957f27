// SPDX-License-Identifier: MIT
#include <ATen/Parallel.h>
#include <cblas.h>

#include "manyverbs/learning/internal/mlp.h"
#include "tests/one_thread.h"

namespace manyverbs {
namespace {

// The pthreads build competes with the threads of OpenMP and makes training several times slower.
TEST(Threads, OpenBlasIsTheBuildThatSharesTheThreadsOfOpenMp) {
  constexpr int kOpenMp = 2;
  EXPECT_EQ(openblas_get_parallel(), kOpenMp);
}

TEST(Threads, LibTorchUsesAsManyAsTheProgram) {
  for (const int threads : {3, 1}) {
    set_num_threads(threads);
    const Mlp mlp({2, {2}, 2}, 1);
    EXPECT_EQ(at::get_num_threads(), threads);
  }
}

}  // namespace
}  // namespace manyverbs
