// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

namespace manyverbs {

/// Scores as whole numbers, so that a score and what belongs to it sort as one 64-bit number, which
/// is several times faster than sorting positions.

/// A number that falls as the score rises, the same for 0 and -0: sorting by it puts the best
/// first.
inline std::uint32_t falling_key(float score) {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);  // -0 + 0 is 0
  return (bits & 0x80000000U) != 0 ? bits : ~bits & 0x7FFFFFFFU;
}

/// The score that a key was made of.
inline float score_of(std::uint32_t key) {
  return std::bit_cast<float>((key & 0x80000000U) != 0 ? key : ~key & 0x7FFFFFFFU);
}

}  // namespace manyverbs
