// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace manyverbs {

/// Portable random numbers: Mersenne Twister MT19937, compatible with the `random` module of
/// Python, so that published random draws can be reproduced.
///
///   Random random(12);   // random.seed(12)
///   random.below(2);     // random.randint(0, 1)
class Random {
 public:
  /// Same as random.seed(seed).
  explicit Random(std::uint64_t seed);
  /// One of many independent sequences of a seed, for example one per epoch.
  Random(std::uint64_t seed, std::uint64_t sequence);

  /// The state of the generator, and a generator with this state.
  ///   Random(random.state()).bits() == random.bits()
  std::vector<std::uint32_t> state() const;
  explicit Random(std::span<const std::uint32_t> state);

  /// 32 random bits.
  std::uint32_t bits();
  /// An integer in [0, bound), same as random.randrange(bound); bound is at least 1.
  std::uint64_t below(std::uint64_t bound);
  /// A number in [0, 1) with 53 random bits, same as random.random().
  double uniform();
  /// A sample of the normal distribution with mean 0 and standard deviation 1.
  double normal();

  /// Shuffles values, same as random.shuffle().
  template <typename T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  void seed_with(std::span<const std::uint32_t> key);

  std::array<std::uint32_t, 624> state_{};
  int next_ = 624;
};

}  // namespace manyverbs
