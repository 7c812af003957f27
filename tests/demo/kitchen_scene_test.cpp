// SPDX-License-Identifier: MIT
#include "manyverbs/demo/internal/kitchen_scene.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

double mean_difference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(a.pixels[i] - b.pixels[i]);
  return sum / static_cast<double>(a.pixels.size());
}

const KitchenAction& find_action(Motion motion, Direction direction, Thing place) {
  return *std::find_if(
      kitchen_actions().begin(), kitchen_actions().end(), [&](const KitchenAction& action) {
        return action.motion == motion && action.direction == direction && action.place == place;
      });
}

// A scene without camera, light and noise, its motion in the middle of the clip.
KitchenScene still_scene(const KitchenAction& action) {
  Random random(3);
  KitchenScene scene = choose_scene(action, {.disturbance = 0}, &random);
  scene.begin = 0.15;
  scene.end = 0.85;
  return scene;
}

TEST(KitchenScene, TheSameSceneGivesTheSamePixels) {
  Random random(5);
  const KitchenScene scene = choose_scene(kitchen_actions()[0], {}, &random);
  const ScenePainter painter(scene);
  const Image fifth = painter.draw(5);
  painter.draw(9);
  EXPECT_EQ(painter.draw(5), fifth);
  EXPECT_EQ(ScenePainter(scene).draw(5), fifth);
}

TEST(KitchenScene, EveryActionMoves) {
  for (const KitchenAction& action : kitchen_actions()) {
    const KitchenScene scene = still_scene(action);
    const ScenePainter painter(scene);
    const Image first = painter.draw(0);
    double most = 0;
    for (int frame = 1; frame < scene.frames; ++frame) {
      most = std::max(most, mean_difference(first, painter.draw(frame)));
    }
    EXPECT_GT(most, 1.0) << kitchen_verbs().name(action.verbs.front());
  }
}

TEST(KitchenScene, BackwardDiffersFromForwardOnlyInTime) {
  for (const Thing place : {Thing::Pot, Thing::None}) {
    KitchenScene forward = still_scene(find_action(Motion::Raise, Direction::Forward, place));
    KitchenScene backward = forward;
    backward.action = &find_action(Motion::Raise, Direction::Backward, place);
    const ScenePainter there(forward);
    const ScenePainter back(backward);
    EXPECT_NE(there.draw(0), back.draw(0));
    for (int frame = 0; frame < forward.frames; ++frame) {
      EXPECT_LT(mean_difference(there.draw(frame), back.draw(forward.frames - 1 - frame)), 0.01);
    }
  }
}

TEST(KitchenScene, BeforeAndAfterTheMotionNothingMovesInAStillScene) {
  KitchenScene scene = still_scene(find_action(Motion::Raise, Direction::Forward, Thing::None));
  scene.begin = 0.2;
  const ScenePainter painter(scene);
  EXPECT_EQ(painter.draw(0), painter.draw(4));
  EXPECT_EQ(painter.draw(scene.frames - 1), painter.draw(scene.frames - 2));
}

TEST(KitchenScene, JarsOpenCounterClockwiseInEveryScene) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(
        choose_scene(find_action(Motion::Twist, Direction::Forward, Thing::None), {}, &random)
            .mirrored);
  }
}

TEST(KitchenScene, ProgressGoesFromZeroToOneAndBackward) {
  KitchenScene scene = still_scene(find_action(Motion::Raise, Direction::Forward, Thing::None));
  scene.frames = 21;
  scene.begin = 0.25;
  scene.end = 0.75;
  EXPECT_EQ(scene_progress(scene, 0), 0);
  EXPECT_DOUBLE_EQ(scene_progress(scene, 10), 0.5);
  EXPECT_EQ(scene_progress(scene, 20), 1);
  scene.action = &find_action(Motion::Raise, Direction::Backward, Thing::None);
  EXPECT_EQ(scene_progress(scene, 0), 1);
  EXPECT_DOUBLE_EQ(scene_progress(scene, 6), 0.9);
}

}  // namespace
}  // namespace manyverbs
