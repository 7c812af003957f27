// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/learning/history.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// The factor of the learning rate in the epoch behind the given ones. Plateau counts as PyTorch's
/// ReduceLROnPlateau does: better is a loss more than a ten-thousandth below the least so far, and
/// the eleventh epoch without one is the last at the old rate. Cosine, 4 epochs at most: 1, 0.854,
/// 0.5, 0.146.
double rate_factor(Schedule schedule, const std::vector<EpochRecord>& epochs, int epochs_at_most);

}  // namespace manyverbs
