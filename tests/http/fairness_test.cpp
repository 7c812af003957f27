// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <latch>
#include <string>

#include <gtest/gtest.h>

#include "manyverbs/http/internal/fair_workers.h"
#include "manyverbs/http/internal/rate_limiter.h"

namespace manyverbs {
namespace {

TEST(FairWorkers, TakeTurnsBetweenClients) {
  std::string order;
  {
    std::latch added(1);
    FairWorkers workers(1);
    workers.add("first", [&] { added.wait(); });
    for (int i = 0; i < 4; ++i) workers.add("a", [&order, i] { order += "a" + std::to_string(i); });
    for (int i = 0; i < 2; ++i) workers.add("b", [&order, i] { order += "b" + std::to_string(i); });
    workers.add("c", [&] { order += "c0"; });
    added.count_down();
  }
  EXPECT_EQ(order, "a0b0c0a1b1a2a3");
}

TEST(FairWorkers, RunTasksAtTheSameTime) {
  std::latch all(4);
  FairWorkers workers(3);
  for (int i = 0; i < 3; ++i) workers.add("a", [&] { all.arrive_and_wait(); });
  all.arrive_and_wait();
}

TEST(FairWorkers, RunAllTasksBeforeTheyEnd) {
  std::atomic<int> done = 0;
  {
    FairWorkers workers(4);
    for (int i = 0; i < 1000; ++i) workers.add(std::to_string(i % 7), [&] { ++done; });
  }
  EXPECT_EQ(done, 1000);
}

class RateLimits : public testing::Test {
 protected:
  // The tokens that a client can take at once at a time in seconds.
  int tokens(const std::string& client, double seconds) {
    const auto time = start_ + std::chrono::duration_cast<RateLimiter::Clock::duration>(
                                   std::chrono::duration<double>(seconds));
    int count = 0;
    while ((wait_ = limiter_.take(client, time)) == 0) ++count;
    return count;
  }

  RateLimiter limiter_{2, 10};
  RateLimiter::Clock::time_point start_;
  int wait_ = 0;
};

TEST_F(RateLimits, AllowManyRequestsAtOnceAndThenAFewPerSecond) {
  EXPECT_EQ(tokens("a", 0), 10);
  EXPECT_EQ(wait_, 1);
  EXPECT_EQ(tokens("b", 0), 10) << "others have their own";
  EXPECT_EQ(tokens("a", 0.25), 0);
  EXPECT_EQ(tokens("a", 0.5), 1);
  EXPECT_EQ(tokens("a", 2), 3);
  EXPECT_EQ(tokens("a", 1000), 10);
}

TEST_F(RateLimits, UseLittleMemory) {
  for (int i = 0; i < 200'000; ++i) limiter_.take(std::to_string(i), start_);
  EXPECT_EQ(limiter_.clients(), 100'001U);
  EXPECT_EQ(tokens("another", 0), 0) << "shares its tokens with others";
  EXPECT_EQ(tokens("7", 0), 9);
  EXPECT_EQ(tokens("another", 1), 10);
  EXPECT_EQ(limiter_.clients(), 3U) << "those without waiting time are forgotten";
}

TEST(RateLimiter, HasNoLimitAtZero) {
  RateLimiter limiter(0, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(limiter.take("a", {}), 0);
  EXPECT_EQ(limiter.clients(), 0U);
}

}  // namespace
}  // namespace manyverbs
