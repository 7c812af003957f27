// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "manyverbs/learning/internal/course.h"

namespace manyverbs {

/// How the learning rate changes from epoch to epoch.
enum class Schedule {
  Plateau,  ///< a tenth after ten epochs without a better validation loss, as the released code
            ///< does
  Cosine,   ///< from the full rate in the first epoch along half a cosine to nearly 0 in the last
};
std::string_view schedule_name(Schedule schedule);
/// Throws Error with the nearest spelling.
Schedule find_schedule(std::string_view name);

/// The factor of the learning rate in the epoch behind the given ones. Plateau counts as PyTorch's
/// ReduceLROnPlateau does: better is a loss more than a ten-thousandth below the least so far, and
/// the eleventh epoch without one is the last at the old rate. Cosine, 4 epochs at most: 1, 0.854,
/// 0.5, 0.146.
double rate_factor(Schedule schedule, const std::vector<EpochRecord>& epochs, int epochs_at_most);

}  // namespace manyverbs
