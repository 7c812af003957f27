// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/demo/internal/kitchen_scene.h"

namespace manyverbs {

/// The position of everything in a scene at one moment.

/// The bounding box of an object, in units from its origin: the middle of objects, the working end
/// of tools, the palm of hands.
struct Extent {
  double left, top, right, bottom;
};
Extent extent(Thing thing);

/// The placement of an object: its origin, clockwise rotation in radians, then scaling along its
/// own axes.
struct Pose {
  double x = 0;
  double y = 0;
  double angle = 0;
  double wide = 1;
  double high = 1;
};

/// An object, or the part of it between two vertical lines: 0 is its left end, 1 its right end.
struct ScenePart {
  Thing thing;
  Pose pose;
  double from = 0;
  double to = 1;
};

/// The visible objects at this progress of the motion, from back to front.
std::vector<ScenePart> scene_parts(const KitchenScene& scene, double progress);

}  // namespace manyverbs
