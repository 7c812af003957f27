// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/demo/internal/kitchen_scene.h"

namespace manyverbs {

/// Where everything in a scene is at one moment.

/// The box a thing fills, in units from its own origin: the middle of things, the working end of
/// tools, the palm of a hand.
struct Extent {
  double left, top, right, bottom;
};
Extent extent(Thing thing);

/// Where a thing is: its origin, turned clockwise by so many radians, then widened and heightened
/// along its own axes.
struct Pose {
  double x = 0;
  double y = 0;
  double angle = 0;
  double wide = 1;
  double high = 1;
};

/// A thing, or the share of it between two of its own vertical lines: 0 is its left end, 1 its
/// right.
struct ScenePart {
  Thing thing;
  Pose pose;
  double from = 0;
  double to = 1;
};

/// What is to be seen when the motion is so far, from the back to the front.
std::vector<ScenePart> scene_parts(const KitchenScene& scene, double progress);

}  // namespace manyverbs
