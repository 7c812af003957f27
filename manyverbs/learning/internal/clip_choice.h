// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// The training clips, and the clips that select the epoch; rows of clips.csv, in order.
struct ClipChoice {
  std::vector<ClipRow> training;
  std::vector<ClipRow> validation;
  bool validation_is_test = false;
};
/// Throws Error if there are no training clips, or too few to hold out a tenth.
ClipChoice choose_clips(const Dataset& dataset, Protocol protocol, std::uint64_t seed);

}  // namespace manyverbs
