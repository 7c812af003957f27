// SPDX-License-Identifier: MIT
#pragma once

#include <opencv2/core.hpp>

#include "manyverbs/demo/internal/kitchen_actions.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// Pictures of single things, for scenes to be put together from.

inline constexpr double kSpritePixels = 24;  ///< of a unit
inline constexpr int kSpriteMargin = 2;      ///< clear pixels around the thing's extent

/// A thing in one of its colours with a texture of its own: red, green, blue, opacity; the colours
/// are multiplied by the opacity already. The thing's extent is inside the margin. `colour` picks
/// one of the colours of its look; -1 leaves it to chance.
cv::Mat4b paint_thing(Thing thing, Random* random, int colour = -1);

/// Clouds between 0 and 1, in steps of about `grain` pixels, stretched sideways by so much.
cv::Mat1f clouds(cv::Size size, double grain, double stretch, Random* random);

/// A table and a wall behind it that ends at the row `horizon`.
cv::Mat3b paint_kitchen(cv::Size size, int horizon, Random* random);

}  // namespace manyverbs
