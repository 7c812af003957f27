// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// Dropout (Srivastava et al. 2014). Multiplying values by the mask drops each with probability
/// `rate`, rounded to 1 / 65536, and scales the others so that the mean is preserved: with a rate
/// of 0.5 the mask has the values 0 and 2.
at::Tensor dropout_mask(at::IntArrayRef sizes, double rate, Random& random);

/// The random sequence of a seed for dropout in an epoch, counted from 1. Sequence 0 is for initial
/// weights; 1, 2, … are for the order of clips in epochs.
constexpr std::uint64_t dropout_sequence(int epoch) {
  return static_cast<std::uint64_t>(epoch) << 32U;
}

}  // namespace manyverbs
