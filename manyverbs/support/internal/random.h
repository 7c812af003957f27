// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace manyverbs {

/// Random numbers that are the same on every machine: the Mersenne Twister MT19937, seeded and
/// drawn from as Python's `random` does, so that published draws can be repeated.
///
///   Random random(12);   // random.seed(12)
///   random.below(2);     // random.randint(0, 1)
class Random {
 public:
  /// As random.seed(seed).
  explicit Random(std::uint64_t seed);
  /// One of many independent sequences of a seed, such as one an epoch.
  Random(std::uint64_t seed, std::uint64_t sequence);

  /// What is needed to draw on later as this would, and a generator that does.
  ///   Random(random.state()).bits() == random.bits()
  std::vector<std::uint32_t> state() const;
  explicit Random(std::span<const std::uint32_t> state);

  /// 32 random bits.
  std::uint32_t bits();
  /// A whole number in [0, bound), as random.randrange(bound); bound is at least 1.
  std::uint64_t below(std::uint64_t bound);
  /// A number in [0, 1) with 53 random bits, as random.random().
  double uniform();
  /// A draw from the normal distribution of mean 0 and deviation 1.
  double normal();

  /// Puts values in random order, as random.shuffle().
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
