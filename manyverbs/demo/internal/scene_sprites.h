// SPDX-License-Identifier: MIT
#pragma once

#include <opencv2/core.hpp>

#include "manyverbs/demo/internal/kitchen_actions.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// Images of single objects, from which scenes are composed.

inline constexpr double kSpritePixels = 24;  ///< pixels per unit
inline constexpr int kSpriteMargin = 2;      ///< transparent pixels around the bounding box

/// An object in one of its colours with a random texture: red, green, blue, opacity, with
/// premultiplied alpha. Its bounding box is inside the margin. `colour` selects a colour of its
/// look; -1 selects a random one.
cv::Mat4b paint_thing(Thing thing, Random* random, int colour = -1);

/// Smooth noise between 0 and 1 with a scale of about `grain` pixels, stretched horizontally by the
/// given factor.
cv::Mat1f clouds(cv::Size size, double grain, double stretch, Random* random);

/// A table, and a wall behind it that ends at row `horizon`.
cv::Mat3b paint_kitchen(cv::Size size, int horizon, Random* random);

}  // namespace manyverbs
