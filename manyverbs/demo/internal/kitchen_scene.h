// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "manyverbs/decoding/image.h"
#include "manyverbs/demo/internal/kitchen_actions.h"

namespace manyverbs {

/// The parameters of one clip of the synthetic kitchen. ScenePainter renders it.
///
/// Lengths are in units of about half a cup, from the resting position in the middle of the scene,
/// to the right and down.
struct KitchenScene {
  const KitchenAction* action = nullptr;
  Thing thing = Thing::None;  ///< one of the objects of the action
  int frames = 24;
  PictureSize size = {96, 72};
  std::uint64_t seed = 0;  ///< of colours, textures, clutter and noise

  // Motion.
  double begin = 0.1;    ///< start of the motion as a fraction of the clip
  double end = 0.9;      ///< end of the motion
  double reach = 1;      ///< amplitude
  double cycles = 2;     ///< number of repetitions of periodic motions
  double aside = 0;      ///< sideways drift of vertical motions
  double arm_angle = 0;  ///< radians
  bool mirrored = false;

  // Camera and light.
  double x = 48, y = 48;                     ///< the middle of the scene, in pixels
  double unit = 13;                          ///< pixels
  double camera_x = 0, camera_y = 0;         ///< drift over the clip, in pixels
  double camera_angle = 0, camera_zoom = 0;  ///< drift in radians, and as a factor minus 1
  double sway = 0;                           ///< camera shake in pixels
  double light = 1, light_change = 0;        ///< brightness, and its change over the clip
  double noise = 0;                          ///< standard deviation, on a scale of 255
  int clutter = 0;                           ///< number of other objects
  bool occluded = false;                     ///< an object near the camera covers a corner
};

struct SceneSettings {
  PictureSize size = {96, 72};
  int frames = 24;
  double disturbance = 1;  ///< strength of camera motion, light, noise and clutter; 0: none
};

/// Samples the scene of an action: object, motion, camera and light.
KitchenScene choose_scene(const KitchenAction& action, const SceneSettings& settings,
                          Random* random);

/// The progress of the motion at a frame, from 0 to 1; backward scenes go from 1 to 0. If the
/// motion is centred in the clip, frame t of a forward scene equals frame `frames` - 1 - t of the
/// backward scene.
double scene_progress(const KitchenScene& scene, int frame);

/// Renders the frames of one scene. Deterministic: the pixels depend only on the scene.
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
