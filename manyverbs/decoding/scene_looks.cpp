// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/scene_looks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "manyverbs/decoding/scene_parts.h"

namespace manyverbs {
namespace {

using enum Thing;

using Rgb = std::array<int, 3>;

enum class Shape { Oval, Ring, Block, Taper, Tub, Dome, Basin };
enum class Tint { Main, Dark, Light, Accent, Steel, Wood, Hollow, White };
enum class Texture { Soft, Mottled, Grain, Holes, Stripes, Checks };

// A shape about (x, y), in units.
struct Stroke {
  Shape shape;
  double x, y, half_width, half_height;
  Tint tint = Tint::Main;
};

struct Look {
  Thing thing;
  Extent extent;
  std::vector<Rgb> colours;  // one of these; any at all when there are none
  Rgb accent;
  Texture texture;
  std::vector<Stroke> strokes;
};

constexpr Extent about(double half_width, double half_height) {
  return {-half_width, -half_height, half_width, half_height};
}

const std::vector<Look>& looks() {
  using enum Shape;
  using enum Tint;
  using enum Texture;
  static const std::vector<Look> table = {
      {Carrot,
       about(1.3, .36),
       {{235, 125, 35}, {220, 105, 40}},
       {70, 140, 50},
       Grain,
       {{Taper, .15, 0, 1.15, .34}, {Oval, -1.1, 0, .2, .3, Accent}}},
      {Cucumber,
       about(1.3, .36),
       {{60, 125, 55}, {85, 145, 60}},
       {150, 185, 90},
       Stripes,
       {{Oval, 0, 0, 1.3, .36}, {Oval, -1.15, 0, .12, .2, Accent}}},
      {Tomato,
       about(.65, .6),
       {{205, 45, 35}, {220, 70, 40}},
       {60, 120, 45},
       Soft,
       {{Oval, 0, 0, .65, .6},
        {Oval, .1, -.45, .28, .12, Accent},
        {Oval, -.25, -.2, .12, .1, Light}}},
      {Potato,
       about(.78, .55),
       {{165, 125, 75}, {185, 145, 90}},
       {110, 80, 50},
       Mottled,
       {{Oval, 0, 0, .78, .52},
        {Oval, .3, .1, .06, .05, Accent},
        {Oval, -.3, -.1, .06, .05, Accent}}},
      {Orange,
       about(.65, .65),
       {{240, 150, 30}, {245, 200, 50}},
       {120, 90, 30},
       Holes,
       {{Oval, 0, 0, .65, .65}, {Oval, .2, -.3, .1, .08, Accent}}},
      {Egg,
       about(.5, .6),
       {{240, 225, 205}, {225, 185, 150}},
       {245, 200, 60},
       Soft,
       {{Oval, 0, 0, .48, .58}, {Oval, -.12, -.2, .14, .18, Light}}},
      {Bread,
       about(1.0, .62),
       {{215, 165, 95}, {190, 130, 70}},
       {240, 220, 175},
       Holes,
       {{Block, 0, 0, 1.0, .58}, {Block, 0, .05, .86, .43, Accent}}},
      {Dough,
       about(.95, .55),
       {{235, 218, 180}, {225, 205, 165}},
       {200, 180, 140},
       Mottled,
       {{Oval, 0, 0, .95, .53}, {Oval, .2, .1, .3, .08, Accent}}},
      {Pancake,
       about(.85, .34),
       {{225, 190, 110}, {235, 205, 130}},
       {165, 105, 50},
       Mottled,
       {{Oval, 0, 0, .85, .32}, {Oval, 0, 0, .6, .2, Light}}},
      {Underside,
       about(.9, .42),
       {{150, 90, 40}, {130, 80, 40}},
       {200, 150, 80},
       Mottled,
       {{Oval, 0, 0, .88, .38}, {Ring, 0, 0, .7, .28, Accent}}},
      {Cup,
       about(.6, .62),
       {},
       {245, 245, 240},
       Soft,
       {{Ring, .5, .05, .3, .3},
        {Tub, -.05, .05, .5, .55},
        {Oval, -.05, -.48, .5, .13, Hollow},
        {Block, -.05, .1, .4, .08, Accent}}},
      {CupFront,
       about(.6, .62),
       {},
       {245, 245, 240},
       Soft,
       {{Tub, -.05, .12, .49, .5}, {Block, -.05, .1, .4, .08, Accent}}},
      {Jug,
       about(.75, .85),
       {},
       {230, 235, 240},
       Soft,
       {{Ring, -.5, 0, .28, .45},
        {Tub, .05, .05, .55, .78},
        {Dome, .5, -.6, .22, .2},
        {Oval, .05, -.7, .52, .12, Hollow},
        {Block, .05, .2, .42, .1, Accent}}},
      {Bowl,
       about(1.0, .55),
       {},
       {240, 240, 235},
       Soft,
       {{Basin, 0, -.35, .98, .88},
        {Oval, 0, -.35, .98, .2, Light},
        {Oval, 0, -.33, .86, .14, Hollow}}},
      {BowlFront, about(1.0, .55), {}, {240, 240, 235}, Soft, {{Basin, 0, -.25, .95, .78}}},
      {Pot,
       about(1.25, .75),
       {{150, 155, 160}, {70, 70, 78}, {170, 60, 50}},
       {40, 40, 42},
       Grain,
       {{Block, 0, -.2, 1.25, .1, Dark},
        {Tub, 0, .05, 1.02, .7},
        {Oval, 0, -.55, 1.04, .2, Light},
        {Oval, 0, -.53, .94, .15, Hollow}}},
      {PotFront,
       about(1.25, .75),
       {{150, 155, 160}, {70, 70, 78}, {170, 60, 50}},
       {40, 40, 42},
       Grain,
       {{Block, 0, -.2, 1.25, .1, Dark}, {Tub, 0, .12, 1.0, .62}}},
      {Lid,
       about(1.12, .38),
       {{165, 170, 175}, {90, 90, 98}, {185, 75, 60}},
       {40, 40, 42},
       Grain,
       {{Dome, 0, .22, 1.1, .42},
        {Block, 0, .25, 1.1, .07, Light},
        {Oval, 0, -.25, .16, .13, Accent}}},
      {Box,
       about(.85, .7),
       {},
       {245, 240, 225},
       Grain,
       {{Block, 0, 0, .85, .7},
        {Block, 0, -.55, .85, .14, Dark},
        {Block, .1, .15, .45, .3, Accent},
        {Block, .1, .15, .3, .08, Dark}}},
      {Plate,
       about(1.35, .45),
       {{238, 236, 230}, {200, 215, 230}, {235, 215, 190}},
       {70, 100, 160},
       Soft,
       {{Oval, 0, 0, 1.35, .43, Accent},
        {Oval, 0, 0, 1.27, .39},
        {Oval, 0, .02, .85, .24, Dark},
        {Oval, 0, .03, .8, .22, Light}}},
      {Jar,
       about(.5, .8),
       {{190, 90, 60}, {200, 160, 60}, {110, 140, 80}},
       {235, 235, 230},
       Holes,
       {{Block, 0, .12, .5, .66},
        {Block, 0, -.65, .42, .15, Steel},
        {Block, 0, .15, .5, .25, Accent}}},
      {Shaker,
       about(.36, .62),
       {{225, 225, 230}, {60, 60, 65}},
       {40, 40, 40},
       Soft,
       {{Tub, 0, .1, .33, .5}, {Dome, 0, -.3, .3, .28, Steel}, {Block, 0, .15, .2, .15, Accent}}},
      {Cloth, about(1.15, .6), {}, {245, 240, 235}, Checks, {{Block, 0, 0, 1.15, .58}}},
      {Sponge,
       about(.75, .42),
       {{240, 215, 70}, {235, 150, 160}},
       {60, 130, 75},
       Holes,
       {{Block, 0, 0, .75, .42}, {Block, 0, -.3, .75, .12, Accent}}},
      {Pan,
       {-1.35, -.5, 2.6, .5},
       {{55, 55, 60}, {75, 70, 70}},
       {30, 30, 32},
       Grain,
       {{Block, 1.9, -.1, .7, .1, Accent},
        {Oval, 0, 0, 1.3, .48},
        {Oval, 0, .02, 1.12, .38, Dark}}},
      {Cabinet,
       {-.9, -1.6, 2.4, 1.2},
       {{150, 105, 65}, {205, 200, 190}, {110, 80, 60}},
       {60, 40, 30},
       Grain,
       {{Block, .75, -.2, 1.65, 1.4},
        {Block, .75, .55, 1.4, .5, Dark},
        {Block, .75, .55, 1.3, .42}}},
      {Drawer,
       about(1.4, .48),
       {{175, 125, 80}, {225, 220, 210}, {135, 100, 75}},
       {50, 40, 35},
       Grain,
       {{Block, .1, 0, 1.3, .4},
        {Block, .1, -.3, 1.25, .1, Hollow},
        {Block, -1.15, 0, .12, .46, Light},
        {Oval, -1.32, 0, .08, .12, Accent}}},
      {JarTop,
       about(1.0, 1.0),
       {{190, 55, 50}, {205, 170, 70}, {70, 100, 150}},
       {240, 240, 235},
       Soft,
       {{Oval, 0, 0, 1, 1, Dark},
        {Oval, 0, 0, .88, .88},
        {Block, 0, -.45, .12, .35, Accent},
        {Oval, .35, .3, .2, .2, Accent},
        {Oval, -.4, .25, .12, .12, Dark}}},
      {Knob,
       about(.8, .8),
       {{60, 60, 65}, {200, 200, 205}},
       {240, 235, 230},
       Soft,
       {{Oval, 0, 0, .8, .8, Steel},
        {Oval, 0, 0, .62, .62},
        {Block, 0, 0, .17, .74, Light},
        {Block, 0, -.55, .08, .18, Accent}}},
      {Hand,
       {-.55, -4.2, .55, .75},
       {{225, 175, 145}, {195, 140, 105}, {140, 95, 70}, {95, 65, 50}},
       {70, 90, 140},
       Soft,
       {{Block, 0, -1.3, .3, .95},
        {Block, 0, -3.1, .42, 1.2, Accent},
        {Oval, 0, -.25, .48, .5},
        {Oval, -.4, .15, .13, .42},
        {Oval, -.14, .3, .13, .42},
        {Oval, .13, .3, .13, .42, Light},
        {Oval, .38, .12, .13, .38}}},
      {Knife,
       {-.3, -2.0, .3, .1},
       {{200, 205, 212}, {180, 185, 190}},
       {50, 40, 35},
       Soft,
       {{Block, 0, -1.6, .13, .4, Accent},
        {Block, 0, -.55, .2, .65},
        {Block, .14, -.55, .05, .65, White}}},
      {Spoon,
       {-.32, -2.3, .32, .35},
       {{170, 120, 70}, {190, 190, 195}},
       {120, 80, 45},
       Grain,
       {{Block, 0, -1.3, .08, 1.0}, {Oval, 0, 0, .28, .34}, {Oval, 0, .02, .18, .22, Dark}}},
      {Whisk,
       {-.4, -2.3, .4, .5},
       {{205, 205, 210}, {60, 90, 110}},
       {60, 60, 65},
       Soft,
       {{Block, 0, -1.6, .11, .65, Accent}, {Ring, 0, -.25, .34, .7}, {Ring, 0, -.25, .14, .7}}},
      {Spatula,
       {-.5, -2.4, .5, .15},
       {{60, 60, 65}, {150, 60, 50}},
       {40, 40, 40},
       Soft,
       {{Block, 0, -1.4, .08, 1.0}, {Block, 0, -.2, .45, .32}, {Block, 0, -.2, .25, .05, Light}}},
      {Peeler,
       {-.3, -1.7, .3, .1},
       {{60, 60, 65}, {200, 60, 60}, {60, 120, 160}},
       {205, 210, 215},
       Soft,
       {{Block, 0, -1.2, .13, .5},
        {Ring, 0, -.38, .2, .36, Accent},
        {Block, 0, -.05, .26, .08, Steel}}},
      {RollingPin,
       about(1.8, .26),
       {{205, 160, 105}, {180, 130, 80}},
       {150, 100, 60},
       Grain,
       {{Block, 0, 0, 1.8, .1, Accent}, {Block, 0, 0, 1.25, .25}}},
      {PeeledFood,
       about(1.0, .5),
       {{245, 200, 130}, {225, 235, 175}, {240, 225, 165}},
       {0, 0, 0},
       Grain,
       {{Oval, 0, 0, 1.0, .5}}},
      {Peeling,
       about(.55, .14),
       {{200, 110, 40}, {70, 130, 55}, {160, 120, 70}},
       {0, 0, 0},
       Soft,
       {{Oval, 0, 0, .55, .13}, {Oval, 0, .05, .35, .06, Light}}},
      {Stream,
       about(.16, 1.1),
       {{240, 245, 250}, {205, 150, 60}, {120, 60, 40}, {180, 215, 235}},
       {0, 0, 0},
       Soft,
       {{Block, 0, 0, .14, 1.1}}},
      {Crumbs,
       about(.4, .6),
       {{245, 245, 245}, {60, 50, 45}},
       {0, 0, 0},
       Soft,
       {{Oval, -.2, -.4, .06, .06},
        {Oval, .15, -.2, .06, .06},
        {Oval, -.05, .05, .06, .06},
        {Oval, .25, .3, .06, .06},
        {Oval, -.25, .4, .06, .06},
        {Oval, .05, -.5, .06, .06}}},
      {Shadow, about(1.0, .2), {{15, 12, 10}}, {0, 0, 0}, Soft, {{Oval, 0, 0, .95, .16}}},
  };
  return table;
}

const Look& look_of(Thing thing) {
  static const std::vector<const Look*> index = [] {
    std::vector<const Look*> places(static_cast<std::size_t>(Shadow) + 1, nullptr);
    for (const Look& look : looks()) places[static_cast<std::size_t>(look.thing)] = &look;
    return places;
  }();
  return *index[static_cast<std::size_t>(thing)];
}

cv::Scalar blend(const Rgb& colour, double other, double amount) {
  return {colour[0] + (other - colour[0]) * amount, colour[1] + (other - colour[1]) * amount,
          colour[2] + (other - colour[2]) * amount};
}

cv::Scalar tint_colour(Tint tint, const Rgb& main, const Rgb& accent) {
  switch (tint) {
    case Tint::Main:
      return blend(main, 0, 0);
    case Tint::Dark:
      return blend(main, 0, 0.35);
    case Tint::Light:
      return blend(main, 255, 0.35);
    case Tint::Accent:
      return blend(accent, 0, 0);
    case Tint::Steel:
      return {185, 190, 195};
    case Tint::Wood:
      return {165, 115, 65};
    case Tint::Hollow:
      return blend(main, 15, 0.75);
    case Tint::White:
      return {245, 246, 248};
  }
  return {};
}

// The outline of a shape in sixteenths of a pixel, which OpenCV draws smoothly.
class Outline {
 public:
  Outline(const Stroke& stroke, const Extent& extent) : stroke_(stroke), extent_(extent) {
    switch (stroke.shape) {
      case Shape::Oval:
      case Shape::Ring:
        arc(0, 2 * CV_PI);
        break;
      case Shape::Block:
        rounded(1, 1);
        break;
      case Shape::Taper:
        rounded(1, 0.3);
        break;
      case Shape::Tub:
        corners({{-1, -1}, {1, -1}, {0.86, 0.85}, {0.7, 1}, {-0.7, 1}, {-0.86, 0.85}});
        break;
      case Shape::Dome:
        arc(CV_PI, 2 * CV_PI);
        break;
      case Shape::Basin:
        arc(0, CV_PI);
        break;
    }
  }
  const std::vector<cv::Point>& points() const { return points_; }

 private:
  void point(double x, double y) {
    const double px = (stroke_.x + x * stroke_.half_width - extent_.left) * kSpritePixels;
    const double py = (stroke_.y + y * stroke_.half_height - extent_.top) * kSpritePixels;
    points_.emplace_back(static_cast<int>(std::lround((px + kSpriteMargin) * 16)),
                         static_cast<int>(std::lround((py + kSpriteMargin) * 16)));
  }
  void arc(double from, double to) {
    for (int i = 0; i <= 24; ++i) {
      const double angle = from + (to - from) * i / 24;
      point(std::cos(angle), std::sin(angle));
    }
  }
  void corners(const std::vector<std::pair<double, double>>& at) {
    for (const auto& [x, y] : at) point(x, y);
  }
  // A box whose corners are cut, as high at its left and right end as said.
  void rounded(double left, double right) {
    const double cut = 0.25 * std::min(stroke_.half_width, stroke_.half_height);
    const double x = 1 - cut / stroke_.half_width;
    const double y = 1 - cut / stroke_.half_height;
    corners({{-x, -left},
             {x, -right},
             {1, -right * y},
             {1, right * y},
             {x, right},
             {-x, left},
             {-1, left * y},
             {-1, -left * y}});
  }

  const Stroke& stroke_;
  const Extent& extent_;
  std::vector<cv::Point> points_;
};

void draw_stroke(const Stroke& stroke, const Look& look, const cv::Scalar& colour, cv::Mat3b* paint,
                 cv::Mat1b* opacity) {
  const std::vector<cv::Point> points = Outline(stroke, look.extent).points();
  const std::vector<std::vector<cv::Point>> outlines = {points};
  constexpr int kSixteenths = 4;
  if (stroke.shape == Shape::Ring) {
    cv::polylines(*paint, outlines, true, colour, 4, cv::LINE_AA, kSixteenths);
    cv::polylines(*opacity, outlines, true, 255, 3, cv::LINE_AA, kSixteenths);
  } else {
    // The paint goes a little beyond the edge, so that the edge has no rim of another colour.
    cv::polylines(*paint, outlines, true, colour, stroke.tint == Tint::Main ? 3 : 1, cv::LINE_AA,
                  kSixteenths);
    cv::fillPoly(*paint, outlines, colour, cv::LINE_AA, kSixteenths);
    cv::fillPoly(*opacity, outlines, 255, cv::LINE_AA, kSixteenths);
  }
}

// What the colours are multiplied by.
cv::Mat1f texture_of(Texture texture, cv::Size size, Random* random) {
  using enum Texture;
  cv::Mat1f grain = clouds(size, texture == Soft ? 14 : 5, texture == Grain ? 5 : 1, random);
  const double strength = texture == Soft ? 0.25 : 0.5;
  grain = grain * strength + (1 - strength / 2);
  if (texture == Holes) {
    const auto holes = static_cast<int>(size.area() / 60);
    for (int i = 0; i < holes; ++i) {
      const cv::Point at(static_cast<int>(random->below(size.width)),
                         static_cast<int>(random->below(size.height)));
      cv::circle(grain, at, 1, cv::Scalar(0.6), cv::FILLED);
    }
  }
  const auto period = static_cast<int>(6 + random->below(4));
  for (int y = 0; y < size.height && (texture == Stripes || texture == Checks); ++y) {
    for (int x = 0; x < size.width; ++x) {
      const bool dark =
          texture == Stripes ? y / (period / 2) % 2 == 0 : (x / period + y / period) % 2 == 0;
      if (dark) grain(y, x) *= texture == Stripes ? 0.8F : 0.5F;
    }
  }
  return grain;
}

int jittered(int value, int by, Random* random) {
  return std::clamp(value + static_cast<int>(random->below(2 * by + 1)) - by, 5, 250);
}

Rgb main_colour(const Look& look, Random* random) {
  Rgb colour;
  if (look.colours.empty()) {
    for (int& value : colour) value = static_cast<int>(40 + random->below(200));
    return colour;
  }
  colour = look.colours[random->below(look.colours.size())];
  const int lighter = static_cast<int>(random->below(31)) - 15;
  for (int& value : colour) value = jittered(value + lighter, 10, random);
  return colour;
}

// Textured, lit from above and darker towards its edges, colours multiplied by opacity.
cv::Mat4b shaded(const cv::Mat3b& paint, const cv::Mat1b& opacity, const cv::Mat1f& texture,
                 double strength) {
  cv::Mat1b inside;
  cv::GaussianBlur(opacity, inside, {}, 4);
  cv::Mat4b sprite(paint.size());
  for (int y = 0; y < paint.rows; ++y) {
    const float light = 1.12F - 0.24F * static_cast<float>(y) / static_cast<float>(paint.rows);
    for (int x = 0; x < paint.cols; ++x) {
      const float opaque = static_cast<float>(opacity(y, x) * strength) / 255.0F;
      const float edge = 0.55F + 0.45F * static_cast<float>(inside(y, x)) / 255.0F;
      for (int c = 0; c < 3; ++c) {
        const float value = static_cast<float>(paint(y, x)[c]) * light * edge * texture(y, x);
        sprite(y, x)[c] = cv::saturate_cast<uchar>(std::min(value, 255.0F) * opaque);
      }
      sprite(y, x)[3] = cv::saturate_cast<uchar>(255 * opaque);
    }
  }
  return sprite;
}

}  // namespace

Extent extent(Thing thing) { return look_of(thing).extent; }

cv::Mat1f clouds(cv::Size size, double grain, double stretch, Random* random) {
  cv::Mat1f sum(size, 0.0F);
  double weight = 0.65;
  for (const double step : {grain, grain / 2.2}) {
    cv::Mat1f coarse(static_cast<int>(size.height / step) + 3,
                     static_cast<int>(size.width / (step * stretch)) + 3);
    for (float& value : coarse) value = static_cast<float>(random->bits() >> 8) * 0x1p-24F;
    cv::Mat1f fine;
    cv::resize(coarse, fine, size, 0, 0, cv::INTER_CUBIC);
    sum += fine * weight;
    weight = 1 - weight;
  }
  return sum;
}

cv::Mat4b paint_thing(Thing thing, Random* random) {
  const Look& look = look_of(thing);
  const cv::Size size(
      static_cast<int>((look.extent.right - look.extent.left) * kSpritePixels) + 2 * kSpriteMargin,
      static_cast<int>((look.extent.bottom - look.extent.top) * kSpritePixels) + 2 * kSpriteMargin);
  const Rgb main = main_colour(look, random);
  Rgb accent = look.accent;
  for (int& value : accent) value = jittered(value, 18, random);
  const cv::Scalar first = tint_colour(look.strokes.front().tint, main, accent);
  cv::Mat3b paint(size,
                  cv::Vec3b(cv::saturate_cast<uchar>(first[0]), cv::saturate_cast<uchar>(first[1]),
                            cv::saturate_cast<uchar>(first[2])));
  cv::Mat1b opacity(size, uchar{0});
  for (const Stroke& stroke : look.strokes) {
    draw_stroke(stroke, look, tint_colour(stroke.tint, main, accent), &paint, &opacity);
  }
  if (thing == Shadow) cv::GaussianBlur(opacity, opacity, {}, 1.5);
  const double strength = thing == Shadow ? 0.4 : thing == Stream ? 0.85 : 1;
  return shaded(paint, opacity, texture_of(look.texture, size, random), strength);
}

cv::Mat3b paint_kitchen(cv::Size size, int horizon, Random* random) {
  static constexpr std::array<Rgb, 6> kTables = {{{170, 125, 85},
                                                  {205, 200, 190},
                                                  {110, 115, 120},
                                                  {140, 95, 60},
                                                  {215, 195, 165},
                                                  {95, 105, 95}}};
  const Rgb table = kTables[random->below(kTables.size())];
  const bool wooden = random->below(2) == 0;
  const cv::Mat1f surface = clouds(size, wooden ? 7 : 10, wooden ? 8 : 1, random);
  const Rgb wall = {jittered(185, 50, random), jittered(185, 50, random),
                    jittered(175, 50, random)};
  const auto tile = static_cast<int>(22 + random->below(20));
  const bool tiled = random->below(2) == 0;
  cv::Mat3b kitchen(size);
  for (int y = 0; y < size.height; ++y) {
    const bool on_table = y >= horizon;
    for (int x = 0; x < size.width; ++x) {
      const bool joint = tiled && !on_table && (x % tile < 2 || y % tile < 2);
      const float light = 0.75F + 0.5F * surface(y, x) - (joint ? 0.25F : 0.0F);
      for (int c = 0; c < 3; ++c) {
        const float value = static_cast<float>(on_table ? table[c] : wall[c]);
        kitchen(y, x)[c] = cv::saturate_cast<uchar>(value * light);
      }
    }
  }
  cv::line(kitchen, {0, horizon}, {size.width, horizon}, cv::Scalar(60, 50, 45), 2, cv::LINE_AA);
  return kitchen;
}

}  // namespace manyverbs
