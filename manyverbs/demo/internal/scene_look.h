// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "manyverbs/demo/internal/scene_parts.h"

namespace manyverbs {

/// The look of the objects of the synthetic kitchen as data: layered shapes.

using Rgb = std::array<int, 3>;

/// Blocks and tapers have chamfered corners; domes and basins are half ellipses.
enum class Shape { Oval, Ring, Block, Taper, Tub, Dome, Basin };
/// One of the two colours of the object, or a fixed colour.
enum class Tint { Main, Dark, Light, Accent, Steel, Wood, Hollow, White };
enum class Texture { Soft, Mottled, Grain, Holes, Stripes, Checks };

/// A shape centred at (x, y), in units.
struct Stroke {
  Shape shape;
  double x, y, half_width, half_height;
  Tint tint = Tint::Main;
};

struct Look {
  Thing thing;
  Extent extent;
  std::vector<Rgb> colours;  ///< possible colours; empty: any colour
  Rgb accent;
  Texture texture;
  std::vector<Stroke> strokes;
  int accent_change = 18;  ///< variation of the second colour
};

const Look& look_of(Thing thing);

}  // namespace manyverbs
