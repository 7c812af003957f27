// SPDX-License-Identifier: MIT
#include "manyverbs/demo/internal/scene_look.h"

namespace manyverbs {
namespace {

using enum Thing;

constexpr Extent about(double half_width, double half_height) {
  return {-half_width, -half_height, half_width, half_height};
}

const std::vector<Look>& looks() {
  using enum Shape;
  using enum Tint;
  using enum Texture;
  // clang-format off
  static const std::vector<Look> table = {
      {Carrot, about(1.3, .36), {{235, 125, 35}, {220, 105, 40}}, {70, 140, 50}, Grain,
       {{Taper, .15, 0, 1.15, .34}, {Oval, -1.1, 0, .2, .3, Accent}}},
      {Cucumber, about(1.3, .36), {{60, 125, 55}, {85, 145, 60}}, {150, 185, 90}, Stripes,
       {{Oval, 0, 0, 1.3, .36}, {Oval, -1.15, 0, .12, .2, Accent}}},
      {Tomato, about(.65, .6), {{205, 45, 35}, {220, 70, 40}}, {60, 120, 45}, Soft,
       {{Oval, 0, 0, .65, .6}, {Oval, .1, -.45, .28, .12, Accent},
        {Oval, -.25, -.2, .12, .1, Light}}},
      {Potato, about(.78, .55), {{165, 125, 75}, {185, 145, 90}}, {110, 80, 50}, Mottled,
       {{Oval, 0, 0, .78, .52}, {Oval, .3, .1, .06, .05, Accent},
        {Oval, -.3, -.1, .06, .05, Accent}}},
      {Orange, about(.65, .65), {{240, 150, 30}, {245, 200, 50}}, {120, 90, 30}, Soft,
       {{Oval, 0, 0, .65, .65}, {Oval, .2, -.3, .1, .08, Accent}}},
      {Egg, about(.5, .6), {{240, 225, 205}, {225, 185, 150}}, {245, 200, 60}, Soft,
       {{Oval, 0, 0, .48, .58}, {Oval, -.12, -.2, .14, .18, Light}}},
      {Bread, about(1.0, .62), {{215, 165, 95}, {190, 130, 70}}, {240, 220, 175}, Holes,
       {{Block, 0, 0, 1.0, .58}, {Block, 0, .05, .86, .43, Accent}}},
      {Dough, about(.95, .55), {{235, 218, 180}, {225, 205, 165}}, {200, 180, 140}, Mottled,
       {{Oval, 0, 0, .95, .53}, {Oval, .2, .1, .3, .08, Accent}}},
      {Pancake, about(.85, .34), {{225, 190, 110}, {235, 205, 130}}, {165, 105, 50}, Mottled,
       {{Oval, 0, 0, .85, .32}, {Oval, 0, 0, .6, .2, Light}}},
      {Underside, about(.9, .42), {{150, 90, 40}, {130, 80, 40}}, {200, 150, 80}, Mottled,
       {{Oval, 0, 0, .88, .38}, {Ring, 0, 0, .7, .28, Accent}}},
      {Cup, about(.6, .62), {}, {245, 245, 240}, Soft,
       {{Ring, .5, .05, .3, .3}, {Tub, -.05, .05, .5, .55}, {Oval, -.05, -.48, .5, .13, Hollow},
        {Block, -.05, .1, .4, .08, Accent}}},
      {CupFront, about(.6, .62), {}, {245, 245, 240}, Soft,
       {{Tub, -.05, .12, .49, .5}, {Block, -.05, .1, .4, .08, Accent}}},
      {Jug, about(.75, .85), {}, {230, 235, 240}, Soft,
       {{Ring, -.5, 0, .28, .45}, {Tub, .05, .05, .55, .78}, {Dome, .5, -.6, .22, .2},
        {Oval, .05, -.7, .52, .12, Hollow}, {Block, .05, .2, .42, .1, Accent}}},
      {Bowl, about(1.0, .55), {}, {240, 240, 235}, Soft,
       {{Basin, 0, -.35, .98, .88}, {Oval, 0, -.35, .98, .2, Light},
        {Oval, 0, -.33, .86, .14, Hollow}}},
      {BowlFront, about(1.0, .55), {}, {240, 240, 235}, Soft,
       {{Basin, 0, -.25, .95, .78}}},
      {Pot, about(1.25, .75), {{150, 155, 160}, {70, 70, 78}, {170, 60, 50}}, {40, 40, 42}, Grain,
       {{Block, 0, -.2, 1.25, .1, Dark}, {Tub, 0, .05, 1.02, .7},
        {Oval, 0, -.55, 1.04, .2, Light}, {Oval, 0, -.53, .94, .15, Hollow}}},
      {PotFront, about(1.25, .75), {{150, 155, 160}, {70, 70, 78}, {170, 60, 50}},
       {40, 40, 42}, Grain,
       {{Block, 0, -.2, 1.25, .1, Dark}, {Tub, 0, .12, 1.0, .62}}},
      {Lid, about(1.12, .38), {{165, 170, 175}, {90, 90, 98}, {185, 75, 60}}, {40, 40, 42}, Grain,
       {{Dome, 0, .22, 1.1, .42}, {Block, 0, .25, 1.1, .07, Light},
        {Oval, 0, -.25, .16, .13, Accent}}},
      {Box, about(.85, .7), {}, {245, 240, 225}, Grain,
       {{Block, 0, 0, .85, .7}, {Block, 0, -.55, .85, .14, Dark},
        {Block, .1, .15, .45, .3, Accent}, {Block, .1, .15, .3, .08, Dark}}},
      {Plate, about(1.35, .45), {{238, 236, 230}, {200, 215, 230}, {235, 215, 190}},
       {70, 100, 160}, Soft,
       {{Oval, 0, 0, 1.35, .43, Accent}, {Oval, 0, 0, 1.27, .39}, {Oval, 0, .02, .85, .24, Dark},
        {Oval, 0, .03, .8, .22, Light}}},
      {Jar, about(.5, .8), {{190, 90, 60}, {200, 160, 60}, {110, 140, 80}}, {235, 235, 230}, Holes,
       {{Block, 0, .12, .5, .66}, {Block, 0, -.65, .42, .15, Steel},
        {Block, 0, .15, .5, .25, Accent}}},
      {Shaker, about(.36, .62), {{225, 225, 230}, {60, 60, 65}}, {40, 40, 40}, Soft,
       {{Tub, 0, .1, .33, .5}, {Dome, 0, -.3, .3, .28, Steel}, {Block, 0, .15, .2, .15, Accent}}},
      {Cloth, about(1.15, .6), {}, {245, 240, 235}, Checks,
       {{Block, 0, 0, 1.15, .58}}},
      {Sponge, about(.75, .42), {{240, 215, 70}, {235, 150, 160}}, {60, 130, 75}, Holes,
       {{Block, 0, 0, .75, .42}, {Block, 0, -.3, .75, .12, Accent}}},
      {Pan, {-1.35, -.5, 2.6, .5}, {{55, 55, 60}, {75, 70, 70}}, {30, 30, 32}, Grain,
       {{Block, 1.9, -.1, .7, .1, Accent}, {Oval, 0, 0, 1.3, .48},
        {Oval, 0, .02, 1.12, .38, Dark}}},
      {Cabinet, {-.9, -1.6, 2.4, 1.2}, {{150, 105, 65}, {205, 200, 190}, {110, 80, 60}},
       {60, 40, 30}, Grain,
       {{Block, .75, -.2, 1.65, 1.4}, {Block, .75, .55, 1.4, .5, Dark},
        {Block, .75, .55, 1.3, .42}}},
      {Drawer, about(1.4, .48), {{175, 125, 80}, {225, 220, 210}, {135, 100, 75}},
       {50, 40, 35}, Grain,
       {{Block, .1, 0, 1.3, .4}, {Block, .1, -.3, 1.25, .1, Hollow},
        {Block, -1.15, 0, .12, .46, Light}, {Oval, -1.32, 0, .08, .12, Accent}}},
      {JarTop, about(1.0, 1.0), {{190, 55, 50}, {205, 170, 70}, {70, 100, 150}},
       {240, 240, 235}, Soft,
       {{Oval, 0, 0, 1, 1, Dark}, {Oval, 0, 0, .86, .86}, {Block, 0, -.4, .5, .16, Accent},
        {Block, .15, .2, .35, .1, Accent}, {Oval, -.45, .3, .14, .14, Dark}}},
      {Knob, about(1.0, 1.0), {{60, 60, 65}, {200, 200, 205}}, {240, 235, 230}, Soft,
       {{Oval, 0, 0, 1, 1, Steel}, {Oval, 0, 0, .8, .8}, {Block, 0, 0, .2, .92, Light},
        {Block, 0, -.7, .1, .2, Accent}}},
      {Hand, {-.55, -4.2, .55, .75},
       {{225, 175, 145}, {195, 140, 105}, {140, 95, 70}, {95, 65, 50}},
       {70, 90, 140}, Soft,
       {{Block, 0, -1.3, .3, .95}, {Block, 0, -3.1, .42, 1.2, Accent}, {Oval, 0, -.25, .48, .5},
        {Oval, -.4, .15, .13, .42}, {Oval, -.14, .3, .13, .42}, {Oval, .13, .3, .13, .42, Light},
        {Oval, .38, .12, .13, .38}}, 70},
      {Knife, {-.3, -2.4, .3, .1}, {{200, 205, 212}, {180, 185, 190}}, {50, 40, 35}, Soft,
       {{Block, 0, -1.9, .13, .5, Accent}, {Block, 0, -.7, .22, .75},
        {Block, .15, -.7, .06, .75, White}}},
      {Spoon, {-.32, -2.3, .32, .35}, {{170, 120, 70}, {190, 190, 195}}, {120, 80, 45}, Grain,
       {{Block, 0, -1.3, .08, 1.0}, {Oval, 0, 0, .28, .34}, {Oval, 0, .02, .18, .22, Dark}}},
      {Whisk, {-.4, -2.3, .4, .5}, {{205, 205, 210}, {60, 90, 110}}, {60, 60, 65}, Soft,
       {{Block, 0, -1.6, .11, .65, Accent}, {Ring, 0, -.25, .34, .7}, {Ring, 0, -.25, .14, .7}}},
      {Spatula, {-.5, -2.4, .5, .15}, {{60, 60, 65}, {150, 60, 50}}, {40, 40, 40}, Soft,
       {{Block, 0, -1.4, .08, 1.0}, {Block, 0, -.2, .45, .32}, {Block, 0, -.2, .25, .05, Light}}},
      {Peeler, {-.3, -1.7, .3, .1}, {{60, 60, 65}, {200, 60, 60}, {60, 120, 160}},
       {205, 210, 215}, Soft,
       {{Block, 0, -1.2, .13, .5}, {Ring, 0, -.38, .2, .36, Accent},
        {Block, 0, -.05, .26, .08, Steel}}},
      {RollingPin, about(1.8, .26), {{205, 160, 105}, {180, 130, 80}}, {150, 100, 60}, Grain,
       {{Block, 0, 0, 1.8, .1, Accent}, {Block, 0, 0, 1.25, .25}}},
      {PeeledFood, about(1.0, .5), {{245, 200, 130}, {225, 235, 175}, {240, 225, 165}},
       {0, 0, 0}, Grain,
       {{Oval, 0, 0, 1.0, .5}}},
      {Peeling, about(.55, .14), {{200, 110, 40}, {70, 130, 55}, {160, 120, 70}}, {0, 0, 0}, Soft,
       {{Oval, 0, 0, .55, .13}, {Oval, 0, .05, .35, .06, Light}}},
      {Stream, about(.16, 1.1), {{240, 245, 250}, {205, 150, 60}, {120, 60, 40}, {180, 215, 235}},
       {0, 0, 0}, Soft,
       {{Block, 0, 0, .14, 1.1}}},
      {Crumbs, about(.4, .6), {{245, 245, 245}, {60, 50, 45}}, {0, 0, 0}, Soft,
       {{Oval, -.2, -.4, .06, .06}, {Oval, .15, -.2, .06, .06}, {Oval, -.05, .05, .06, .06},
        {Oval, .25, .3, .06, .06}, {Oval, -.25, .4, .06, .06}, {Oval, .05, -.5, .06, .06}}},
      {Shadow, about(1.0, .2), {{15, 12, 10}}, {0, 0, 0}, Soft,
       {{Oval, 0, 0, .95, .16}}},
  };
  // clang-format on
  return table;
}

}  // namespace

const Look& look_of(Thing thing) {
  static const std::vector<const Look*> index = [] {
    std::vector<const Look*> places(static_cast<std::size_t>(Shadow) + 1, nullptr);
    for (const Look& look : looks()) places[static_cast<std::size_t>(look.thing)] = &look;
    return places;
  }();
  return *index[static_cast<std::size_t>(thing)];
}

Extent extent(Thing thing) { return look_of(thing).extent; }

}  // namespace manyverbs
