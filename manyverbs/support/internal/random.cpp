// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/random.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numbers>

#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

constexpr int kSize = 624;
constexpr int kShift = 397;

}  // namespace

Random::Random(std::uint64_t seed) {
  const std::array<std::uint32_t, 2> key = {static_cast<std::uint32_t>(seed),
                                            static_cast<std::uint32_t>(seed >> 32)};
  seed_with(std::span(key).first(key[1] == 0 ? 1 : 2));
}

Random::Random(std::uint64_t seed, std::uint64_t sequence) {
  const std::array<std::uint32_t, 4> key = {
      static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
      static_cast<std::uint32_t>(sequence), static_cast<std::uint32_t>(sequence >> 32)};
  seed_with(key);
}

Random::Random(std::span<const std::uint32_t> state) {
  if (state.size() != kSize + 1 || state[kSize] > kSize) {
    throw Error("invalid state of a random generator: expected {} numbers, found {}", kSize + 1,
                state.size());
  }
  std::copy_n(state.begin(), kSize, state_.begin());
  next_ = static_cast<int>(state[kSize]);
}

std::vector<std::uint32_t> Random::state() const {
  std::vector<std::uint32_t> state(state_.begin(), state_.end());
  state.push_back(static_cast<std::uint32_t>(next_));
  return state;
}

// init_by_array of Matsumoto and Nishimura's reference implementation.
void Random::seed_with(std::span<const std::uint32_t> key) {
  state_[0] = 19650218U;
  for (int i = 1; i < kSize; ++i) {
    state_[i] =
        1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + static_cast<std::uint32_t>(i);
  }
  int i = 1;
  const auto advance = [&] {
    if (++i >= kSize) {
      state_[0] = state_[kSize - 1];
      i = 1;
    }
  };
  std::size_t j = 0;
  for (int k = 0; k < kSize; ++k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525U)) + key[j] +
                static_cast<std::uint32_t>(j);
    advance();
    j = (j + 1) % key.size();
  }
  for (int k = 0; k < kSize - 1; ++k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941U)) -
                static_cast<std::uint32_t>(i);
    advance();
  }
  state_[0] = 0x80000000U;
  next_ = kSize;
}

std::uint32_t Random::bits() {
  if (next_ == kSize) {
    for (int i = 0; i < kSize; ++i) {
      const std::uint32_t mixed =
          (state_[i] & 0x80000000U) | (state_[(i + 1) % kSize] & 0x7fffffffU);
      state_[i] =
          state_[(i + kShift) % kSize] ^ (mixed >> 1) ^ ((mixed & 1U) != 0 ? 0x9908b0dfU : 0U);
    }
    next_ = 0;
  }
  std::uint32_t value = state_[next_++];
  value ^= value >> 11;
  value ^= (value << 7) & 0x9d2c5680U;
  value ^= (value << 15) & 0xefc60000U;
  return value ^ (value >> 18);
}

// Python draws the number of bits of the bound, low words first, until the number is below it.
std::uint64_t Random::below(std::uint64_t bound) {
  assert(bound > 0);
  const auto width = static_cast<int>(std::bit_width(bound));
  while (true) {
    std::uint64_t value = 0;
    if (width <= 32) {
      value = bits() >> (32 - width);
    } else {
      value = bits();
      value |= static_cast<std::uint64_t>(bits() >> (64 - width)) << 32;
    }
    if (value < bound) return value;
  }
}

double Random::uniform() {
  const std::uint32_t high = bits() >> 5;
  const std::uint32_t low = bits() >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace manyverbs
