// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/dataset/clip.h"

namespace manyverbs {

inline constexpr ClassId kCut = 0;
inline constexpr ClassId kPeel = 1;
inline constexpr ClassId kWash = 2;
inline constexpr ClassId kSlice = 3;

}  // namespace manyverbs
