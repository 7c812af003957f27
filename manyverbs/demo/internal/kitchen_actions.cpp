// SPDX-License-Identifier: MIT
#include "manyverbs/demo/internal/kitchen_actions.h"

#include <array>
#include <cassert>
#include <string>

namespace manyverbs {
namespace {

// Relative frequency of a word as the single label.
struct Verb {
  std::string_view name;
  double usual;
};
constexpr std::array kVerbs = std::to_array<Verb>({
    {"take", 3},    {"put", 3},   {"open", 3}, {"close", 3},   {"wash", 3},    {"cut", 3},
    {"mix", 2},     {"pour", 3},  {"move", 2}, {"remove", 2},  {"add", 2},     {"turn", 2},
    {"push", 2},    {"pull", 2},  {"lift", 2}, {"drop", 2},    {"throw", 2},   {"cover", 1},
    {"uncover", 1}, {"slide", 1}, {"roll", 2}, {"flatten", 1}, {"press", 2},   {"stretch", 2},
    {"wipe", 2},    {"rub", 1},   {"flip", 1}, {"shake", 2},   {"squeeze", 2}, {"split", 1},
    {"join", 2},    {"slice", 1}, {"peel", 2}, {"stir", 2},    {"tap", 2},
});

using enum Thing;
using enum Motion;
using enum Direction;

struct Row {
  Motion motion;
  Direction direction;
  std::vector<Thing> things;
  Thing tool;
  Thing place;
  std::string_view verbs;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      // Up and down.
      {Raise, Forward, {Cup, Bowl, Box, Jar}, Hand, None, "take lift"},
      {Raise, Backward, {Cup, Bowl, Box, Jar}, Hand, None, "put"},
      {Raise, Forward, {Lid}, Hand, Pot, "lift remove open uncover"},
      {Raise, Backward, {Lid}, Hand, Pot, "put close cover"},
      {Raise, Forward, {Cloth}, Hand, Plate, "lift remove uncover"},
      {Raise, Backward, {Cloth}, Hand, Plate, "put cover"},
      {Raise, Forward, {Potato, Tomato, Egg}, Hand, Pot, "take lift remove"},
      {Raise, Backward, {Potato, Tomato, Egg}, Hand, Pot, "put add"},
      {Fall, Forward, {Potato, Tomato, Orange, Sponge}, Hand, None, "drop"},
      {Fall, Forward, {Potato, Tomato, Egg}, Hand, Pot, "drop add"},
      {Throw, Forward, {Potato, Tomato, Orange, Sponge}, Hand, None, "throw"},
      {Throw, Forward, {Potato, Tomato, Egg}, Hand, Pot, "throw add"},
      // Sideways.
      {Shove, Forward, {Cup, Bowl, Jar}, Hand, None, "push move"},
      {Shove, Backward, {Cup, Bowl, Jar}, Hand, None, "pull move"},
      {Shove, Forward, {Box, Plate}, Hand, None, "push move slide"},
      {Shove, Backward, {Box, Plate}, Hand, None, "pull move slide"},
      {Shove, Forward, {Drawer}, Hand, Cabinet, "push close"},
      {Shove, Backward, {Drawer}, Hand, Cabinet, "pull open"},
      {SlideOff, Forward, {Lid}, Hand, Pot, "slide remove open uncover"},
      {SlideOff, Backward, {Lid}, Hand, Pot, "slide close cover"},
      {RollAway, Forward, {Tomato, Orange}, Hand, None, "roll push move"},
      {RollAway, Backward, {Tomato, Orange}, Hand, None, "roll pull move"},
      {Rub, Forward, {Sponge}, Hand, Plate, "wash wipe rub"},
      {Rub, Forward, {Sponge}, Hand, Pan, "wash rub"},
      {Rub, Forward, {Cloth, Sponge}, Hand, None, "wipe rub"},
      // Turning.
      {Twist, Forward, {JarTop}, Hand, None, "turn open"},
      {Twist, Backward, {JarTop}, Hand, None, "turn close"},
      {Twist, Forward, {Knob}, Hand, None, "turn"},
      {Twist, Backward, {Knob}, Hand, None, "turn"},
      {FlipOver, Forward, {Pancake}, Spatula, Pan, "turn flip"},
      {FlipOver, Forward, {Bread}, Hand, None, "turn flip"},
      {Pour, Forward, {Jug, Cup}, Hand, Bowl, "pour"},
      {Pour, Forward, {Jug, Cup}, Hand, Pot, "pour add"},
      {Shake, Forward, {Jar}, Hand, None, "shake mix"},
      {Shake, Forward, {Box, Cloth}, Hand, None, "shake"},
      {Shake, Forward, {Shaker}, Hand, Pot, "shake add"},
      {Stir, Forward, {None}, Spoon, Pot, "stir mix"},
      {Stir, Forward, {None}, Whisk, Bowl, "mix"},
      {Stir, Forward, {None}, Spoon, Cup, "stir"},
      // Changing shape.
      {Squeeze, Forward, {Sponge}, Hand, None, "squeeze press"},
      {Squeeze, Forward, {Orange}, Hand, Bowl, "squeeze press add"},
      {PressDown, Forward, {Dough}, Hand, None, "press flatten"},
      {PressDown, Forward, {Sponge}, Hand, Plate, "press squeeze"},
      {RollOut, Forward, {Dough}, RollingPin, None, "roll flatten stretch"},
      {Stretch, Forward, {Dough}, Hand, None, "stretch pull"},
      {Stretch, Forward, {Cloth}, Hand, None, "stretch pull"},
      {PullApart, Forward, {Bread, Cucumber}, Hand, None, "split pull"},
      {PullApart, Backward, {Bread, Cucumber}, Hand, None, "join"},
      {PullApart, Forward, {Dough}, Hand, None, "split pull stretch"},
      {PullApart, Backward, {Dough}, Hand, None, "join press"},
      // Tools that change things.
      {CutThrough, Forward, {Carrot, Cucumber}, Knife, None, "cut slice split"},
      {CutThrough, Forward, {Bread}, Knife, None, "cut slice"},
      {CutThrough, Forward, {Tomato, Potato, Orange, Dough}, Knife, None, "cut split"},
      {PeelOff, Forward, {Carrot, Cucumber}, Peeler, None, "peel cut remove"},
      {PeelOff, Forward, {Potato}, Peeler, None, "peel remove"},
      {Tap, Forward, {Box, Jar, Cup}, Spoon, None, "tap"},
      {Tap, Forward, {Egg}, Knife, None, "tap open split"},
  };
  return table;
}

std::vector<ClassId> verb_ids(std::string_view names) {
  std::vector<ClassId> ids;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    ids.push_back(kitchen_verbs().find(names.substr(0, end)));
    assert(ids.back() >= 0);
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return ids;
}

std::vector<KitchenAction> actions_of(const std::vector<Row>& table) {
  std::vector<KitchenAction> actions;
  actions.reserve(table.size());
  for (const Row& row : table) {
    actions.push_back(
        {row.motion, row.direction, row.things, row.tool, row.place, verb_ids(row.verbs)});
  }
  return actions;
}

}  // namespace

std::span<const KitchenAction> kitchen_actions() {
  static const std::vector<KitchenAction> actions = actions_of(rows());
  return actions;
}

const Vocabulary& kitchen_verbs() {
  static const Vocabulary verbs = [] {
    std::vector<std::string> names;
    names.reserve(kVerbs.size());
    for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
    return Vocabulary(names);
  }();
  return verbs;
}

ClassId draw_verb(std::span<const ClassId> verbs, Random* random) {
  double total = 0;
  for (const ClassId verb : verbs) total += kVerbs[verb].usual;
  double left = random->uniform() * total;
  for (const ClassId verb : verbs.first(verbs.size() - 1)) {
    left -= kVerbs[verb].usual;
    if (left < 0) return verb;
  }
  return verbs.back();
}

}  // namespace manyverbs
