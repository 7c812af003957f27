// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

namespace manyverbs::metrics_internal {

/// The value of a metric that is not defined, such as the precision of a class that nobody
/// predicted.
inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace manyverbs::metrics_internal
