// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/server/internal/leader_log.h"

namespace manyverbs {

/// When tests happen, and who leads them.
inline constexpr Time kStart = 1'700'000'000'000;
inline constexpr Time kMinute = 60'000;
inline const Author kLeader{"Lea", kStart};

}  // namespace manyverbs
