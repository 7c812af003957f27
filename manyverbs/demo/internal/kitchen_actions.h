// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// What can happen in the made-up kitchen, and which verbs people use for it.
///
/// An action is a motion of some thing, with a tool, in a place. Which verbs are true of it depends
/// on all of these, as peel, cut and remove do for people: a hand that goes up with a cup takes and
/// lifts it; with the lid of a pot it lifts, removes, opens and uncovers; played backward it puts,
/// closes and covers.

enum class Thing {
  None,
  // food
  Carrot,
  Cucumber,
  Tomato,
  Potato,
  Orange,
  Egg,
  Bread,
  Dough,
  Pancake,
  // crockery and the like
  Cup,
  Jug,
  Bowl,
  Box,
  Plate,
  Jar,
  Shaker,
  Lid,
  Cloth,
  Sponge,
  Pan,
  Pot,
  Cabinet,
  Drawer,
  JarTop,  ///< the cap of a jar seen from above, as are knobs
  Knob,
  // tools
  Hand,
  Knife,
  Spoon,
  Whisk,
  Spatula,
  Peeler,
  RollingPin,
  // what belongs to other things
  CupFront,
  BowlFront,
  PotFront,
  PeeledFood,
  Peeling,
  Underside,
  Stream,
  Crumbs,
  Shadow,
};

/// How things move. In the words of someone who sees it played forward.
enum class Motion {
  Raise,      ///< up, off or out of its place
  Fall,       ///< let go above its place
  Throw,      ///< in an arc out of the hand
  Shove,      ///< sideways, the hand behind
  SlideOff,   ///< sideways off its place, the hand on top
  RollAway,   ///< sideways and turning, the hand behind
  RollOut,    ///< grows wide under a tool that goes to and fro
  Rub,        ///< to and fro on its place
  Twist,      ///< about the axis that points at the camera, counter-clockwise
  FlipOver,   ///< upside down by a tool
  Pour,       ///< tilted until something runs out
  Shake,      ///< up and down, fast
  Squeeze,    ///< narrow between two hands
  PressDown,  ///< flat under a hand
  Stretch,    ///< wide between two hands
  PullApart,  ///< in two by two hands
  CutThrough,
  PeelOff,
  Stir,
  Tap,
};
enum class Direction { Forward, Backward };

struct KitchenAction {
  Motion motion;
  Direction direction;
  std::vector<Thing> things;  ///< one of these
  Thing tool;
  Thing place;  ///< what the thing is on, in or above; None: the table
  std::vector<ClassId> verbs;
};

/// All actions, each as likely as any other.
std::span<const KitchenAction> kitchen_actions();

/// The verbs that actions name.
const Vocabulary& kitchen_verbs();

/// The one verb that somebody writes down for an action: everyday words more often than others.
ClassId draw_verb(std::span<const ClassId> verbs, Random* random);

}  // namespace manyverbs
