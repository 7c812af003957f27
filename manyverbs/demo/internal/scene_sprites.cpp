// SPDX-License-Identifier: MIT
#include "manyverbs/demo/internal/scene_sprites.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "manyverbs/demo/internal/scene_look.h"

namespace manyverbs {
namespace {

using enum Thing;

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

// The outline of a shape in sixteenths of a pixel, which OpenCV draws with anti-aliasing.
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
  // A box with chamfered corners and given heights at its left and right end.
  void rounded(double left, double right) {
    const double cut = std::min(0.12, 0.25 * std::min(stroke_.half_width, stroke_.half_height));
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
    // Colours extend beyond the edge, so that the edge has no rim of another colour.
    cv::polylines(*paint, outlines, true, colour, stroke.tint == Tint::Main ? 3 : 1, cv::LINE_AA,
                  kSixteenths);
    cv::fillPoly(*paint, outlines, colour, cv::LINE_AA, kSixteenths);
    cv::fillPoly(*opacity, outlines, 255, cv::LINE_AA, kSixteenths);
  }
}

// Brightness factors.
cv::Mat1f texture_of(Texture texture, cv::Size size, Random* random) {
  using enum Texture;
  cv::Mat1f grain = clouds(size, texture == Soft ? 14 : 5, texture == Grain ? 5 : 1, random);
  const double strength = texture == Soft ? 0.25 : 0.4;
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

Rgb main_colour(const Look& look, int choice, Random* random) {
  Rgb colour;
  if (look.colours.empty()) {
    for (int& value : colour) value = static_cast<int>(40 + random->below(200));
    return colour;
  }
  const auto drawn = static_cast<int>(random->below(look.colours.size()));
  colour = look.colours[choice < 0 ? drawn : choice];
  const int lighter = static_cast<int>(random->below(31)) - 15;
  for (int& value : colour) value = jittered(value + lighter, 10, random);
  return colour;
}

// Applies texture, light from above and darker edges; colours are premultiplied.
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

cv::Mat4b paint_thing(Thing thing, Random* random, int colour) {
  const Look& look = look_of(thing);
  const cv::Size size(
      static_cast<int>((look.extent.right - look.extent.left) * kSpritePixels) + 2 * kSpriteMargin,
      static_cast<int>((look.extent.bottom - look.extent.top) * kSpritePixels) + 2 * kSpriteMargin);
  const Rgb main = main_colour(look, colour, random);
  Rgb accent = look.accent;
  for (int& value : accent) value = jittered(value, look.accent_change, random);
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
  const auto shade = static_cast<int>(130 + random->below(90));
  const Rgb wall = {jittered(shade, 25, random), jittered(shade, 25, random),
                    jittered(shade, 25, random)};
  const auto tile = static_cast<int>(22 + random->below(20));
  const bool tiled = random->below(2) == 0;
  cv::Mat3b kitchen(size);
  for (int y = 0; y < size.height; ++y) {
    const bool on_table = y >= horizon;
    for (int x = 0; x < size.width; ++x) {
      const bool joint = tiled && !on_table && (x % tile < 2 || y % tile < 2);
      const float light = 0.82F + 0.36F * surface(y, x) - (joint ? 0.2F : 0.0F);
      for (int c = 0; c < 3; ++c) {
        const auto value = static_cast<float>(on_table ? table[c] : wall[c]);
        kitchen(y, x)[c] = cv::saturate_cast<uchar>(value * light);
      }
    }
  }
  cv::line(kitchen, {0, horizon}, {size.width, horizon}, cv::Scalar(60, 50, 45), 2, cv::LINE_AA);
  return kitchen;
}

}  // namespace manyverbs
