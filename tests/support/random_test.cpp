// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/random.h"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

TEST(Random, EqualsPython) {
  const Json cases = read_json(MANYVERBS_TEST_FOLDER "/golden/python_random.json");
  ASSERT_EQ(cases.size(), 8);
  for (const Json& golden : cases) {
    SCOPED_TRACE(golden["seed"].dump());
    Random random(golden["seed"].get<std::uint64_t>());
    for (const Json& coin : golden["coins"]) EXPECT_EQ(random.below(2), coin.get<unsigned>());
    for (const Json& value : golden["uniform"]) EXPECT_EQ(random.uniform(), value.get<double>());
    for (std::size_t i = 0; i < golden["bounds"].size(); ++i) {
      EXPECT_EQ(random.below(golden["bounds"][i].get<std::uint64_t>()),
                golden["below"][i].get<std::uint64_t>());
    }
    std::vector<int> order(20);
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    EXPECT_EQ(order, golden["shuffled"].get<std::vector<int>>());
    for (int i = 0; i < 2000; ++i) random.bits();
    EXPECT_EQ(random.bits(), golden["after_2000_more"].get<std::uint32_t>());
  }
}

TEST(Random, SequencesOfASeedDiffer) {
  Random first(12, 0);
  Random second(12, 1);
  Random again(12, 1);
  EXPECT_NE(first.bits(), second.bits());
  again.bits();
  EXPECT_EQ(second.bits(), again.bits());
}

TEST(Random, ContinuesFromItsState) {
  Random random(12);
  for (const int drawn : {0, 1, 622, 1, 700}) {  // from before the first draw to after a refill
    for (int i = 0; i < drawn; ++i) random.bits();
    Random later(random.state());
    for (int i = 0; i < 1300; ++i) ASSERT_EQ(later.bits(), random.bits());
  }
}

TEST(Random, AStateOfAnotherSizeIsAnError) {
  EXPECT_THROW(Random(std::vector<std::uint32_t>(3)), Error);
  EXPECT_THROW(Random(std::vector<std::uint32_t>(625, 1000)), Error) << "beyond the last number";
}

TEST(Random, SequenceZeroIsNotThePlainSeed) {
  Random plain(12);
  Random sequence(12, 0);
  EXPECT_NE(plain.bits(), sequence.bits());
}

TEST(Random, NormalHasMeanZeroAndDeviationOne) {
  Random random(7);
  constexpr int kDraws = 100000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.normal();
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);  // three standard errors
  EXPECT_NEAR(squares / kDraws, 1, 0.015);
}

TEST(Random, ShufflingAnEmptyListDrawsNothing) {
  Random random(12);
  Random untouched(12);
  std::vector<int> none;
  random.shuffle(std::span(none));
  EXPECT_EQ(random.bits(), untouched.bits());
}

}  // namespace
}  // namespace manyverbs
