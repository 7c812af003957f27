// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/learning/history.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// The factor of the learning rate in the epoch after the given ones. Plateau counts like
/// ReduceLROnPlateau of PyTorch: a loss improves if it is lower than the best by more than 1e-4 of
/// its size, and the eleventh epoch without improvement is the last one with the old rate. Cosine
/// with at most 4 epochs: 1, 0.854, 0.5, 0.146.
double rate_factor(Schedule schedule, const std::vector<EpochRecord>& epochs, int epochs_at_most);

}  // namespace manyverbs
