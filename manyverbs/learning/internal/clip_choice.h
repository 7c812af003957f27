// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// Which clips are learnt from and which choose the epoch; rows of clips.csv, in order.
struct ClipChoice {
  std::vector<ClipRow> training;
  std::vector<ClipRow> validation;
  bool validation_is_test = false;
};
/// Throws Error when there is no training clip, or too few to hold a tenth out.
ClipChoice choose_clips(const Dataset& dataset, Protocol protocol, std::uint64_t seed);

}  // namespace manyverbs
