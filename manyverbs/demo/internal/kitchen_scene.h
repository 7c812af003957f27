// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "manyverbs/decoding/image.h"
#include "manyverbs/demo/internal/kitchen_actions.h"

namespace manyverbs {

/// One clip of the made-up kitchen, as numbers; ScenePainter makes pictures of it.
///
/// Lengths are in units of about half a cup, from where things stand in the middle of the scene, to
/// the right and down.
struct KitchenScene {
  const KitchenAction* action = nullptr;
  Thing thing = Thing::None;  ///< one of the action's
  int frames = 24;
  PictureSize size = {96, 72};
  std::uint64_t seed = 0;  ///< of colours, textures, clutter and noise

  // How it is done.
  double begin = 0.1;    ///< when the motion starts, as a share of the clip
  double end = 0.9;      ///< when it ends
  double reach = 1;      ///< how far
  double cycles = 2;     ///< how often, where it is done again and again
  double aside = 0;      ///< sideways drift of what goes up or down
  double arm_angle = 0;  ///< radians
  bool mirrored = false;

  // How it is seen.
  double x = 48, y = 48;                     ///< where the middle of the scene is, in pixels
  double unit = 13;                          ///< pixels
  double camera_x = 0, camera_y = 0;         ///< drift over the clip, in pixels
  double camera_angle = 0, camera_zoom = 0;  ///< the same in radians and as a factor beyond 1
  double sway = 0;                           ///< of the hand that holds the camera, in pixels
  double light = 1, light_change = 0;        ///< brightness, and how much is added over the clip
  double noise = 0;                          ///< deviation, of 255
  int clutter = 0;                           ///< things that stand around
  bool occluded = false;                     ///< something near the camera hides a corner
};

struct SceneSettings {
  PictureSize size = {96, 72};
  int frames = 24;
  double disturbance = 1;  ///< of camera, light, noise and clutter; 0: a still and clean picture
};

/// Draws the scene of an action: which of its things, how, and how it is seen.
KitchenScene choose_scene(const KitchenAction& action, const SceneSettings& settings,
                          Random* random);

/// How far the motion of a scene is at a frame, from 0 to 1; backward ones go from 1 to 0. Frame t
/// of a forward scene is as far as frame `frames` - 1 - t of the same scene backward when the
/// motion is in the middle of the clip.
double scene_progress(const KitchenScene& scene, int frame);

/// Makes the pictures of one scene. The same scene gives the same pixels, whatever was drawn
/// before.
class ScenePainter {
 public:
  explicit ScenePainter(const KitchenScene& scene);
  ~ScenePainter();
  ScenePainter(const ScenePainter&) = delete;
  ScenePainter& operator=(const ScenePainter&) = delete;

  Image draw(int frame) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyverbs
