// SPDX-License-Identifier: MIT
#include "manyverbs/demo/internal/kitchen_actions.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

std::set<ClassId> verb_set(const KitchenAction& action) {
  return {action.verbs.begin(), action.verbs.end()};
}

TEST(KitchenActions, EachHasOneToFourDifferentVerbs) {
  EXPECT_GE(kitchen_verbs().size(), 24);
  for (const KitchenAction& action : kitchen_actions()) {
    EXPECT_GE(action.verbs.size(), 1);
    EXPECT_LE(action.verbs.size(), 4);
    EXPECT_EQ(verb_set(action).size(), action.verbs.size());
    for (const ClassId verb : action.verbs) EXPECT_GE(verb, 0);
    EXPECT_FALSE(action.things.empty());
  }
}

TEST(KitchenActions, EveryVerbAppliesToSeveral) {
  std::map<ClassId, int> actions;
  for (const KitchenAction& action : kitchen_actions()) {
    for (const ClassId verb : action.verbs) ++actions[verb];
  }
  for (ClassId verb = 0; verb < kitchen_verbs().size(); ++verb) {
    EXPECT_GE(actions[verb], 2) << kitchen_verbs().name(verb);
  }
}

TEST(KitchenActions, MostVerbSetsOverlapPartially) {
  int overlapping = 0;
  for (const KitchenAction& action : kitchen_actions()) {
    const std::set<ClassId> own = verb_set(action);
    overlapping += std::any_of(
        kitchen_actions().begin(), kitchen_actions().end(), [&](const KitchenAction& other) {
          return verb_set(other) != own && std::any_of(own.begin(), own.end(), [&](ClassId verb) {
                   return verb_set(other).contains(verb);
                 });
        });
  }
  EXPECT_GE(overlapping, 9 * std::ssize(kitchen_actions()) / 10);
}

TEST(KitchenActions, BackwardMotionsHaveOtherVerbs) {
  int pairs = 0;
  for (const KitchenAction& forward : kitchen_actions()) {
    for (const KitchenAction& backward : kitchen_actions()) {
      if (forward.direction != Direction::Forward || backward.direction != Direction::Backward ||
          forward.motion != backward.motion || forward.place != backward.place ||
          forward.things != backward.things || forward.things.front() == Thing::Knob) {
        continue;
      }
      ++pairs;
      EXPECT_NE(verb_set(forward), verb_set(backward));
    }
  }
  EXPECT_GE(pairs, 10);
}

TEST(KitchenActions, TheSameMotionHasOtherVerbsInAnotherPlace) {
  std::map<Motion, std::set<std::set<ClassId>>> sets;
  for (const KitchenAction& action : kitchen_actions()) {
    if (action.direction == Direction::Forward) sets[action.motion].insert(verb_set(action));
  }
  const auto several = [](const auto& entry) { return entry.second.size() > 1; };
  EXPECT_GE(std::count_if(sets.begin(), sets.end(), several), 12);
}

TEST(KitchenActions, CommonVerbsAreSingleLabelsMoreOften) {
  const ClassId cut = kitchen_verbs().find("cut");
  const ClassId slice = kitchen_verbs().find("slice");
  Random random(1);
  std::map<ClassId, int> drawn;
  for (int i = 0; i < 4000; ++i) ++drawn[draw_verb(std::vector{cut, slice}, &random)];
  // Weights 3 and 1; five standard deviations are 137.
  EXPECT_NEAR(drawn[cut], 3000, 137);
  EXPECT_EQ(drawn[cut] + drawn[slice], 4000);
}

}  // namespace
}  // namespace manyverbs
