// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/parallel.h"

#include <omp.h>

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"
#include "tests/interrupting.h"

namespace manyverbs {
namespace {

// Four threads for one test, independent of the machine.
class Parallel : public testing::Test {
 protected:
  void SetUp() override { set_num_threads(4); }
  void TearDown() override { set_num_threads(before_); }

 private:
  int before_ = num_threads();
};

TEST_F(Parallel, EveryItemIsVisitedOnce) {
  for (const std::size_t count : {1, 3, 4, 5, 1000}) {
    std::vector<std::atomic<int>> visits(count);
    parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    });
    for (const auto& visit : visits) EXPECT_EQ(visit, 1);
  }
}

TEST_F(Parallel, AnEmptyRangeCallsNothing) {
  parallel_for(0, 1, [](std::size_t, std::size_t) { FAIL(); });
}

TEST_F(Parallel, FewItemsAreOneRange) {
  std::atomic<int> pieces = 0;
  parallel_for(10, 10, [&](std::size_t begin, std::size_t end) {
    ++pieces;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 10);
  });
  EXPECT_EQ(pieces, 1);
}

TEST_F(Parallel, ARangeHasAtLeastTheGrain) {
  for (const std::size_t count : {65, 100, 127, 129, 200, 1000}) {
    parallel_for(count, 64, [&](std::size_t begin, std::size_t end) {
      EXPECT_TRUE(end - begin >= 64 || end - begin == count) << end - begin << " of " << count;
    });
  }
}

TEST_F(Parallel, AnExceptionIsRethrown) {
  EXPECT_THROW(parallel_for(100, 1,
                            [](std::size_t begin, std::size_t) {
                              if (begin > 0) throw Error("piece at {}", begin);
                            }),
               Error);
  EXPECT_THROW(parallel_for(1, 1, [](std::size_t, std::size_t) { throw Error("only piece"); }),
               Error);
}

TEST_F(Parallel, NestedCallsRunOnOneThread) {
  std::atomic<int> sum = 0;
  parallel_for(4, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      parallel_for(10, 1,
                   [&](std::size_t from, std::size_t to) { sum += static_cast<int>(to - from); });
    }
  });
  EXPECT_EQ(sum, 40);
}

TEST_F(Parallel, SideBySideCallsEachOnceOnOneThread) {
  for (const int workers : {1, 3, 9}) {
    std::vector<std::atomic<int>> visits(7);
    side_by_side(visits.size(), workers, [&](std::size_t i) {
      ++visits[i];
      EXPECT_EQ(num_threads(), 1);
      EXPECT_EQ(omp_get_max_threads(), 1);
    });
    for (const auto& visit : visits) EXPECT_EQ(visit, 1);
  }
  EXPECT_EQ(num_threads(), 4);
}

TEST_F(Parallel, WorkersMayUseSeveralThreadsEach) {
  std::atomic<int> wrong = 0;
  side_by_side(
      4, 2, [&](std::size_t) { wrong += num_threads() == 3 ? 0 : 1; }, 3);
  EXPECT_EQ(wrong, 0);
}

TEST_F(Parallel, SideBySideContinuesAfterAnException) {
  std::atomic<int> visits = 0;
  EXPECT_THROW(side_by_side(5, 2,
                            [&](std::size_t i) {
                              ++visits;
                              if (i == 1) throw Error("the second");
                            }),
               Error);
  EXPECT_EQ(visits, 5);
}

TEST_F(Parallel, SideBySideStartsNothingAfterASignal) {
  for (const int workers : {1, 3}) {
    const InterruptionHandler handler;
    std::atomic<int> visits = 0;
    const auto visit = [&](std::size_t i) {
      ++visits;
      if (i == 3) std::raise(SIGINT);
      while (i > 3 && !interrupted()) std::this_thread::yield();
    };
    EXPECT_THROW(side_by_side(1000, workers, visit), Interrupted);
    EXPECT_GE(visits, 4);
    EXPECT_LE(visits, 3 + workers);
  }
}

TEST_F(Parallel, SideBySideIsNotInterruptedByASignalAfterTheLastItem) {
  const InterruptionHandler handler;
  EXPECT_NO_THROW(side_by_side(4, 1, [](std::size_t i) {
    if (i == 3) std::raise(SIGINT);
  }));
}

TEST_F(Parallel, SideBySideRethrowsTheInterruptionOfAnItem) {
  const InterruptionHandler handler;
  std::string kept;
  try {
    side_by_side(10, 1, [](std::size_t) {
      std::raise(SIGINT);
      throw Interrupted("saved");
    });
  } catch (const Interrupted& stop) {
    kept = stop.kept();
  }
  EXPECT_EQ(kept, "saved");
}

}  // namespace
}  // namespace manyverbs
