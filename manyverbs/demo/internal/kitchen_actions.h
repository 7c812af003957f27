// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// The actions of the synthetic kitchen and their verbs.
///
/// An action is a motion of an object, with a tool, in a place. Its true verbs depend on all of
/// these: a hand that moves up with a cup takes and lifts it; with the lid of a pot it lifts,
/// removes, opens and uncovers; played backward it puts, closes and covers.

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
  // crockery and containers
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
  JarTop,  ///< the cap of a jar, seen from above like knobs
  Knob,
  // tools
  Hand,
  Knife,
  Spoon,
  Whisk,
  Spatula,
  Peeler,
  RollingPin,
  // parts of other objects
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

/// Motions, described as played forward.
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
  Thing place;  ///< the object that it is on, in or above; None: the table
  std::vector<ClassId> verbs;
};

/// All actions; all are equally likely.
std::span<const KitchenAction> kitchen_actions();

/// The verbs of all actions.
const Vocabulary& kitchen_verbs();

/// The single label of an action: a random verb of it, common words more often.
ClassId draw_verb(std::span<const ClassId> verbs, Random* random);

}  // namespace manyverbs
