// SPDX-License-Identifier: MIT
#include "manyverbs/demo/internal/kitchen_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "manyverbs/decoding/internal/matrices.h"
#include "manyverbs/demo/internal/scene_parts.h"
#include "manyverbs/demo/internal/scene_sprites.h"

namespace manyverbs {
namespace {

// Supersampling factor of the rendered images.
constexpr int kFine = 2;
constexpr int kBackgroundMargin = 24;  // supersampled pixels that the camera can drift
constexpr double kDesignHeight = 72;   // scenes are designed for images of this height

using enum Thing;
constexpr std::array kClutter = {Carrot, Cucumber, Tomato, Potato, Orange, Egg,   Bread,
                                 Cup,    Jug,      Bowl,   Box,    Jar,    Plate, Sponge};

constexpr Thing kOccluder = Jar;

double between(double low, double high, Random* random) {
  return low + (high - low) * random->uniform();
}

// The object whose colour is shared.
Thing matching(Thing thing) {
  if (thing == PotFront || thing == Lid) return Pot;
  if (thing == BowlFront) return Bowl;
  if (thing == CupFront) return Cup;
  if (thing == Drawer) return Cabinet;
  return thing;
}

// The colour index of the peel and the inside of a vegetable.
int peeled_colour(Thing thing) { return thing == Carrot ? 0 : thing == Cucumber ? 1 : 2; }

// The transform from sprite to scene units: scale, mirror and rotation.
cv::Matx23d placed(const cv::Matx23d& view, const Pose& pose, double left, double top) {
  const double c = std::cos(pose.angle);
  const double s = std::sin(pose.angle);
  const double unit = 1 / kSpritePixels;
  // From sprite pixels to scene units.
  const cv::Matx33d local(pose.wide * unit, 0, pose.wide * (left - kSpriteMargin * unit), 0,
                          pose.high * unit, pose.high * (top - kSpriteMargin * unit), 0, 0, 1);
  const cv::Matx33d turn(c, -s, pose.x, s, c, pose.y, 0, 0, 1);
  return view * turn * local;
}

cv::Rect covered(const cv::Matx23d& transform, cv::Size sprite, cv::Size picture) {
  double left = 1e9, top = 1e9, right = -1e9, bottom = -1e9;
  for (const auto& [x, y] :
       {std::pair{0, 0}, {sprite.width, 0}, {0, sprite.height}, {sprite.width, sprite.height}}) {
    const cv::Vec2d at = transform * cv::Vec3d(x, y, 1);
    left = std::min(left, at[0]);
    right = std::max(right, at[0]);
    top = std::min(top, at[1]);
    bottom = std::max(bottom, at[1]);
  }
  const cv::Rect box(
      cv::Point(static_cast<int>(std::floor(left)), static_cast<int>(std::floor(top))),
      cv::Point(static_cast<int>(std::ceil(right)) + 1, static_cast<int>(std::ceil(bottom)) + 1));
  return box & cv::Rect({}, picture);
}

// Blends a sprite over an image.
void lay_over(const cv::Mat4b& sprite, cv::Matx23d transform, cv::Mat3b* picture) {
  const cv::Rect box = covered(transform, sprite.size(), picture->size());
  if (box.empty()) return;
  transform(0, 2) -= box.x;
  transform(1, 2) -= box.y;
  cv::Mat4b warped;
  cv::warpAffine(sprite, warped, transform, box.size(), cv::INTER_LINEAR, cv::BORDER_CONSTANT);
  for (int y = 0; y < box.height; ++y) {
    const cv::Vec4b* over = warped[y];
    cv::Vec3b* under = (*picture)[box.y + y] + box.x;
    for (int x = 0; x < box.width; ++x) {
      if (over[x][3] == 0) continue;
      const int clear = 255 - over[x][3];
      for (int c = 0; c < 3; ++c) {
        under[x][c] =
            static_cast<uchar>(std::min(255, over[x][c] + (under[x][c] * clear + 127) / 255));
      }
    }
  }
}

}  // namespace

KitchenScene choose_scene(const KitchenAction& action, const SceneSettings& settings,
                          Random* random) {
  KitchenScene scene;
  scene.action = &action;
  scene.thing = action.things[random->below(action.things.size())];
  scene.frames = settings.frames;
  scene.size = settings.size;
  scene.seed = (std::uint64_t{random->bits()} << 32) | random->bits();
  scene.begin = between(0, 0.22, random);
  scene.end = scene.begin + between(0.6, 0.76, random);
  scene.reach = between(0.8, 1.2, random);
  scene.cycles = between(1.8, 3.2, random);
  scene.aside = between(-0.7, 0.7, random);
  scene.arm_angle = between(-0.45, 0.45, random);
  // Mirroring would reverse the direction of opening a jar.
  scene.mirrored = random->below(2) == 0 && action.motion != Motion::Twist;

  const double scale = settings.size.height / kDesignHeight;
  scene.x = settings.size.width * between(0.42, 0.58, random);
  scene.y = settings.size.height * between(0.66, 0.8, random);
  scene.unit = scale * between(13, 17, random);
  const double amount = settings.disturbance;
  scene.camera_x = amount * scale * between(-5, 5, random);
  scene.camera_y = amount * scale * between(-4, 4, random);
  scene.camera_angle = amount * between(-0.06, 0.06, random);
  scene.camera_zoom = amount * between(-0.07, 0.07, random);
  scene.sway = amount * scale * between(0, 0.7, random);
  scene.light = 1 + amount * between(-0.2, 0.15, random);
  scene.light_change = amount * between(-0.15, 0.15, random);
  scene.noise = amount * between(1.5, 6, random);
  scene.clutter = static_cast<int>(amount * between(0, 5, random));
  scene.occluded = random->uniform() < 0.2 * amount;
  return scene;
}

double scene_progress(const KitchenScene& scene, int frame) {
  const double moment = scene.frames > 1 ? static_cast<double>(frame) / (scene.frames - 1) : 0;
  const double progress = std::clamp((moment - scene.begin) / (scene.end - scene.begin), 0.0, 1.0);
  return scene.action->direction == Direction::Forward ? progress : 1 - progress;
}

struct ScenePainter::State {
  KitchenScene scene;
  std::map<Thing, cv::Mat4b> sprites;
  cv::Mat3b background;
  cv::Mat3s noise;  // larger than an image; each frame uses another part

  void paint(Thing thing);
  void paint_background(Random* random);
  cv::Matx23d camera(int frame) const;
  cv::Matx23d view(int frame) const;
  void lay_part(const ScenePart& part, const cv::Matx23d& view, cv::Mat3b* picture) const;
  void light_up(int frame, cv::Mat3b* picture) const;
};

void ScenePainter::State::paint(Thing thing) {
  cv::Mat4b& sprite = sprites[thing];
  if (!sprite.empty()) return;
  // Separate random sequences, so that the look of an object does not depend on the rest of the
  // scene.
  Random random(scene.seed, 1 + static_cast<std::uint64_t>(matching(thing)));
  const bool peeled = thing == PeeledFood || thing == Peeling;
  sprite = paint_thing(thing, &random, peeled ? peeled_colour(scene.thing) : -1);
}

void ScenePainter::State::paint_background(Random* random) {
  const cv::Size size(scene.size.width * kFine + 2 * kBackgroundMargin,
                      scene.size.height * kFine + 2 * kBackgroundMargin);
  const int horizon = static_cast<int>(between(0.2, 0.42, random) * size.height);
  background = paint_kitchen(size, horizon, random);
  const double unit = scene.unit * kFine;
  for (int i = 0; i < scene.clutter; ++i) {
    const Thing thing = kClutter[random->below(kClutter.size())];
    const bool left = random->below(2) == 0;
    const double x =
        (left ? between(0.02, 0.22, random) : between(0.78, 0.98, random)) * size.width;
    const double y = between(0.3, 0.9, random) * size.height;
    const double small = between(0.6, 0.9, random);
    const Pose pose = {0, 0, between(-0.3, 0.3, random), small, small};
    const cv::Matx23d at(unit, 0, x, 0, unit, y);
    lay_over(paint_thing(thing, random), placed(at, pose, extent(thing).left, extent(thing).top),
             &background);
  }
}

// From supersampled pixels around the middle to supersampled image pixels.
cv::Matx23d ScenePainter::State::camera(int frame) const {
  const double moment = scene.frames > 1 ? static_cast<double>(frame) / (scene.frames - 1) : 0;
  const double angle = scene.camera_angle * (moment - 0.5);
  const double zoom = 1 + scene.camera_zoom * (moment - 0.5);
  const double sway_x = scene.sway * std::sin(9 * moment + 1);
  const double sway_y = scene.sway * std::sin(13 * moment);
  const double c = zoom * std::cos(angle);
  const double s = zoom * std::sin(angle);
  return {c, -s, kFine * (scene.size.width / 2.0 + scene.camera_x * (moment - 0.5) + sway_x),
          s, c,  kFine * (scene.size.height / 2.0 + scene.camera_y * (moment - 0.5) + sway_y)};
}

// From scene units to supersampled image pixels.
cv::Matx23d ScenePainter::State::view(int frame) const {
  const double unit = kFine * scene.unit;
  const cv::Matx33d stage((scene.mirrored ? -1 : 1) * unit, 0,
                          kFine * (scene.x - scene.size.width / 2.0), 0, unit,
                          kFine * (scene.y - scene.size.height / 2.0), 0, 0, 1);
  return camera(frame) * stage;
}

void ScenePainter::State::lay_part(const ScenePart& part, const cv::Matx23d& view,
                                   cv::Mat3b* picture) const {
  const cv::Mat4b& sprite = sprites.at(part.thing);
  const int from = static_cast<int>(std::lround(part.from * sprite.cols));
  const int to = static_cast<int>(std::lround(part.to * sprite.cols));
  if (to <= from) return;
  const Extent box = extent(part.thing);
  lay_over(sprite.colRange(from, to),
           placed(view, part.pose, box.left + from / kSpritePixels, box.top), picture);
}

void ScenePainter::State::light_up(int frame, cv::Mat3b* picture) const {
  const double moment = scene.frames > 1 ? static_cast<double>(frame) / (scene.frames - 1) : 0;
  const double gain = scene.light + scene.light_change * (moment - 0.5);
  Random random(scene.seed, 1000 + static_cast<std::uint64_t>(frame));
  const cv::Rect piece(static_cast<int>(random.below(noise.cols - picture->cols + 1)),
                       static_cast<int>(random.below(noise.rows - picture->rows + 1)),
                       picture->cols, picture->rows);
  cv::Mat lit;
  picture->convertTo(lit, CV_16S, gain);
  lit += noise(piece);
  lit.convertTo(*picture, CV_8U);
}

ScenePainter::ScenePainter(const KitchenScene& scene) : state_(std::make_unique<State>()) {
  keep_to_own_thread();
  State& state = *state_;
  state.scene = scene;
  Random random(scene.seed, 0);
  state.paint_background(&random);
  if (scene.occluded) state.paint(kOccluder);
  for (int frame = 0; frame < scene.frames; ++frame) {
    for (const ScenePart& part : scene_parts(scene, scene_progress(scene, frame))) {
      state.paint(part.thing);
    }
  }
  state.noise.create(scene.size.height + 16, scene.size.width + 16);
  for (cv::Vec3s& pixel : state.noise) {
    for (int c = 0; c < 3; ++c) {
      pixel[c] = static_cast<short>(std::lround(scene.noise * random.normal()));
    }
  }
}

ScenePainter::~ScenePainter() = default;

Image ScenePainter::draw(int frame) const {
  const State& state = *state_;
  const KitchenScene& scene = state.scene;
  cv::Mat3b fine;
  cv::Matx23d behind = state.camera(frame);
  const cv::Vec2d shift = cv::Matx22d(behind(0, 0), behind(0, 1), behind(1, 0), behind(1, 1)) *
                          cv::Vec2d(state.background.cols / 2.0, state.background.rows / 2.0);
  behind(0, 2) -= shift[0];
  behind(1, 2) -= shift[1];
  cv::warpAffine(state.background, fine, behind,
                 {scene.size.width * kFine, scene.size.height * kFine}, cv::INTER_LINEAR,
                 cv::BORDER_REFLECT);
  const cv::Matx23d view = state.view(frame);
  for (const ScenePart& part : scene_parts(scene, scene_progress(scene, frame))) {
    state.lay_part(part, view, &fine);
  }
  if (scene.occluded) {
    state.lay_part({kOccluder, {scene.x / scene.unit * 0.8, 1.1, 0.3, 1.8, 1.8}}, view, &fine);
  }
  Image image(scene.size.width, scene.size.height, 3);
  cv::Mat3b picture = as_matrix(image);
  cv::resize(fine, picture, picture.size(), 0, 0, cv::INTER_AREA);
  state.light_up(frame, &picture);
  return image;
}

}  // namespace manyverbs
