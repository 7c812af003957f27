// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "manyverbs/demo/internal/scene_parts.h"

namespace manyverbs {

/// What the things of the made-up kitchen look like, as data: shapes laid over each other.

using Rgb = std::array<int, 3>;

/// Blocks and tapers have cut corners; domes and basins are halves of ovals.
enum class Shape { Oval, Ring, Block, Taper, Tub, Dome, Basin };
/// Of the thing's two colours, or the same on all things.
enum class Tint { Main, Dark, Light, Accent, Steel, Wood, Hollow, White };
enum class Texture { Soft, Mottled, Grain, Holes, Stripes, Checks };

/// A shape about (x, y), in units.
struct Stroke {
  Shape shape;
  double x, y, half_width, half_height;
  Tint tint = Tint::Main;
};

struct Look {
  Thing thing;
  Extent extent;
  std::vector<Rgb> colours;  ///< one of these; any at all when there are none
  Rgb accent;
  Texture texture;
  std::vector<Stroke> strokes;
  int accent_change = 18;  ///< how much its other colour varies
};

const Look& look_of(Thing thing);

}  // namespace manyverbs
