// SPDX-License-Identifier: MIT
#include "manyverbs/demo/internal/scene_parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace manyverbs {
namespace {

using enum Thing;
constexpr double kPi = std::numbers::pi;
constexpr double kHandSize = 0.85;
constexpr double kFingers = 0.4;  // distance from the palm to the fingertips

// Progress of a step from `begin` to `end`.
double share(double progress, double begin, double end) {
  return std::clamp((progress - begin) / (end - begin), 0.0, 1.0);
}
// The same with smooth start and end.
double eased(double progress, double begin, double end) {
  const double s = share(progress, begin, end);
  return s * s * (3 - 2 * s);
}

double half_width(Thing thing) { return extent(thing).right; }
double half_height(Thing thing) { return extent(thing).bottom; }

// The objects of one moment, added from back to front.
class Moment {
 public:
  Moment(const KitchenScene& scene, double progress) : scene_(scene), now_(progress) {}
  std::vector<ScenePart> parts();

 private:
  void put(Thing thing, const Pose& pose) { parts_.push_back({thing, pose}); }
  void put_share(Thing thing, const Pose& pose, double from, double to) {
    parts_.push_back({thing, pose, from, to});
  }
  // The object split at a fraction of its width; in one piece while the parts have not moved.
  void put_parted(double at, const Pose& left, const Pose& right) {
    if (left.x == right.x) return put(thing(), left);
    put_share(thing(), left, 0, at);
    put_share(thing(), right, at, 1);
  }
  // A hand with its palm at a point; `angle` 0 comes from above, a quarter turn from the right.
  void hand(double x, double y, double angle) {
    put(Hand, {x, y, angle + scene_.arm_angle, kHandSize, kHandSize});
  }
  // The same, but the hand moves in first.
  void reaching_hand(double x, double y, double angle) {
    const double away = 1.6 * (1 - eased(now_, 0, 0.22));
    hand(x + away * std::sin(angle + 0.3), y - away * std::cos(angle + 0.3), angle);
  }
  void shadow(double x, double wide) { put(Shadow, {x, 0.05, 0, wide, 1}); }
  void place_behind();
  void place_in_front();
  bool in_vessel() const { return place() == Pot || place() == Bowl || place() == Cup; }
  Thing thing() const { return scene_.thing; }
  Thing place() const { return scene_.action->place; }
  // The middle of the object at rest.
  double rest() const;
  // Periodic motion with the number of cycles of the scene, starting in the middle.
  double swing(double faster = 1) const {
    return std::sin(2 * kPi * scene_.cycles * faster * now_);
  }
  void two_hands(double left, double right, double y) {
    hand(left - kFingers, y - 0.1, -1.2);
    hand(right + kFingers, y - 0.1, 1.2);
  }
  // A tool held by a hand, with its working end at a point.
  void held_tool(double x, double y, double angle);

  void raise();
  void fall();
  void toss();
  void shove();
  void slide_off();
  void roll_away();
  void roll_out();
  void rub();
  void twist();
  void flip_over();
  void pour();
  void shake();
  void squeeze();
  void press_down();
  void stretch();
  void pull_apart();
  void cut_through();
  void peel_off();
  void stir();
  void tap();

  const KitchenScene& scene_;
  double now_;
  std::vector<ScenePart> parts_;
};

std::vector<ScenePart> Moment::parts() {
  switch (scene_.action->motion) {
    // clang-format off
    case Motion::Raise: raise(); break;
    case Motion::Fall: fall(); break;
    case Motion::Throw: toss(); break;
    case Motion::Shove: shove(); break;
    case Motion::SlideOff: slide_off(); break;
    case Motion::RollAway: roll_away(); break;
    case Motion::RollOut: roll_out(); break;
    case Motion::Rub: rub(); break;
    case Motion::Twist: twist(); break;
    case Motion::FlipOver: flip_over(); break;
    case Motion::Pour: pour(); break;
    case Motion::Shake: shake(); break;
    case Motion::Squeeze: squeeze(); break;
    case Motion::PressDown: press_down(); break;
    case Motion::Stretch: stretch(); break;
    case Motion::PullApart: pull_apart(); break;
    case Motion::CutThrough: cut_through(); break;
    case Motion::PeelOff: peel_off(); break;
    case Motion::Stir: stir(); break;
    case Motion::Tap: tap(); break;
      // clang-format on
  }
  return std::move(parts_);
}

void Moment::place_behind() {
  if (place() == None || place() == Cabinet) return;
  const double y = in_vessel() ? -half_height(place()) : 0.1;
  put(Shadow, {0, 0.1, 0, 1.3 * half_width(place()), 1.3});
  put(place(), {0, y});
}

void Moment::place_in_front() {
  if (place() == Pot) put(PotFront, {0, -half_height(Pot)});
  if (place() == Bowl) put(BowlFront, {0, -half_height(Bowl)});
  if (place() == Cup) put(CupFront, {0, -half_height(Cup)});
}

double Moment::rest() const {
  const double above = half_height(thing());
  if (place() == Pot) return thing() == Lid ? -2 * half_height(Pot) : -half_height(Pot) + 0.1;
  if (place() == Bowl) return -half_height(Bowl);
  if (place() == Plate || place() == Pan) return 0.1 - 0.8 * above;
  return -above;
}

void Moment::held_tool(double x, double y, double angle) {
  const Thing tool = scene_.action->tool;
  const double length = -0.8 * extent(tool).top;
  put(tool, {x, y, angle});
  hand(x + length * std::sin(angle), y - length * std::cos(angle), 0.5 * angle);
}

void Moment::raise() {
  const double up = eased(now_, 0.25, 1);
  const double x = scene_.aside * up;
  const double y = rest() - 1.8 * scene_.reach * up;
  place_behind();
  if (thing() == Cloth) put(Tomato, {0, -0.35});
  if (place() == None) shadow(x, half_width(thing()) * (1 - 0.3 * up));
  if (thing() == Lid) place_in_front();
  const double drape = thing() == Cloth ? 1 - 0.35 * up : 1;
  put(thing(), {x, y, 0, drape, 1 / drape});
  if (thing() != Lid) place_in_front();
  reaching_hand(x, y - 0.7 * half_height(thing()) - kFingers, 0);
}

void Moment::fall() {
  const double top = rest() - 1.9 * scene_.reach;
  const double fallen = share(now_, 0.35, 0.62);
  const double bounce = in_vessel() ? 0 : 0.35 * std::sin(kPi * share(now_, 0.62, 0.85));
  const double x = scene_.aside * fallen;
  place_behind();
  if (place() == None) shadow(x, half_width(thing()));
  put(thing(), {x, top + (rest() - top) * fallen * fallen - bounce, 1.5 * scene_.aside * fallen});
  place_in_front();
  hand(0, top - 0.5 * half_height(thing()) - kFingers - 0.5 * eased(now_, 0.33, 0.5), 0);
}

void Moment::toss() {
  const double swung = eased(now_, 0.05, 0.38);
  const double flown = share(now_, 0.38, 0.8);
  const double hand_x = -2.9 + 0.9 * swung + 0.4 * eased(now_, 0.38, 0.55);
  const double hand_y = -0.7 - 0.7 * swung;
  const double height = 5.2 * scene_.reach * flown * (1 - flown);
  place_behind();
  if (place() == None) shadow(hand_x * (1 - flown), half_width(thing()));
  const double x = flown > 0 ? -2.0 * (1 - flown) : hand_x;
  const double y = flown > 0 ? -1.4 + (rest() + 1.4) * flown - height : hand_y;
  put(thing(), {x, y, 4 * flown});
  place_in_front();
  hand(hand_x - 0.3, hand_y + 0.1, -1.1 + 0.9 * swung);
}

void Moment::shove() {
  const bool drawer = thing() == Drawer;
  const double from = drawer ? -0.8 : -1.5 * scene_.reach;
  const double x = from + (drawer ? 2.0 : -2 * from) * eased(now_, 0.22, 1);
  const double y = drawer ? -0.9 : -half_height(thing());
  if (!drawer) shadow(x, half_width(thing()));
  put(thing(), {x, y});
  if (drawer) put(Cabinet, {0.9, -0.6});
  const double away = 1.4 * (1 - eased(now_, 0, 0.2));
  hand(x - half_width(thing()) - kFingers - away, y - 0.05 - 0.5 * away, -1.35);
}

void Moment::slide_off() {
  const double x = 2.1 * scene_.reach * eased(now_, 0.25, 1);
  place_behind();
  place_in_front();
  put(thing(), {x, rest(), 0.12 * eased(now_, 0.7, 1)});
  reaching_hand(x, rest() - 0.6 * half_height(thing()) - kFingers, 0);
}

void Moment::roll_away() {
  const double far = 1.6 * scene_.reach;
  const double x = -far + 2 * far * eased(now_, 0.2, 1);
  const double radius = half_width(thing());
  shadow(x, radius);
  put(thing(), {x, -radius, x / radius});
  const double away = 1.4 * (1 - eased(now_, 0, 0.2));
  hand(x - radius - kFingers - away, -1.2 * radius - 0.5 * away, -1.2);
}

void Moment::roll_out() {
  const double flat = share(now_, 0.1, 0.95);
  const double y = -0.5 + 0.55 * swing();
  put(Shadow, {0, -0.3, 0, 1.4 + 0.5 * flat, 2});
  put(thing(), {0, -0.5, 0, 1 + 0.5 * flat, 0.9 + 0.45 * flat});
  put(RollingPin, {0, y});
  two_hands(-1.4, 1.4, y);
}

void Moment::rub() {
  const double x = 0.85 * scene_.reach * swing();
  const double y = -0.15 + 0.2 * std::cos(2 * kPi * scene_.cycles * now_);
  place_behind();
  put(thing(), {x, y, 0.15 * swing(), thing() == Cloth ? 0.6 : 1, 1});
  hand(x, y - 0.5, 0.1 * swing());
}

void Moment::twist() {
  const double angle = -1.9 * scene_.reach * eased(now_, 0.15, 0.95);
  put(Shadow, {0.1, -0.5, 0, 1.1, 3});
  put(thing(), {0, -0.6, angle});
  const double reach = thing() == Knob ? 0.6 : 0.8;
  hand(reach * std::sin(angle + 0.9), -0.6 - reach * std::cos(angle + 0.9), 0.9 + 0.6 * angle);
}

void Moment::flip_over() {
  const double turned = eased(now_, 0.3, 0.85);
  const double up = 1.3 * scene_.reach * std::sin(kPi * turned);
  const double high = std::cos(kPi * turned);
  place_behind();
  if (place() == None) shadow(0, half_width(thing()));
  const double y = rest() - up;
  const double edge = std::max(0.08, std::abs(high));
  const bool tool = scene_.action->tool != Hand;
  if (tool) held_tool(0.9 - 0.5 * eased(now_, 0, 0.25), y + 0.25, 1.0 - 0.9 * turned);
  put(high < 0 && thing() == Pancake ? Underside : thing(),
      {0.2 * turned, y, 0.4 * std::sin(kPi * turned), 1, edge});
  if (!tool)
    hand((half_width(thing()) + kFingers) * std::cos(kPi * turned), y - 0.2,
         std::cos(kPi * turned));
}

void Moment::pour() {
  const double come = eased(now_, 0, 0.3);
  const double tilt = 1.75 * eased(now_, 0.25, 0.6);
  const double running = share(now_, 0.5, 0.62);
  const double x = -1.3 - 0.8 * (1 - come) + 0.2 * tilt;
  const double y = -half_height(place()) * 2 - 0.9 * scene_.reach;
  place_behind();
  if (running > 0) {
    const double lip = y + 0.35;
    const double high = running * (-half_height(place()) - lip) / 2;
    put(Stream, {-0.1, lip + high, 0, 1, high / half_height(Stream)});
  }
  place_in_front();
  put(thing(), {x, y, tilt});
  const double grip = half_width(thing()) + 0.1;
  hand(x - grip * std::cos(tilt), y - grip * std::sin(tilt), -0.9 + 0.4 * tilt);
}

void Moment::shake() {
  const double up = 0.4 * scene_.reach * swing(2.2);
  const bool sprinkles = thing() == Shaker;
  const double base = sprinkles ? -2 * half_height(Pot) - 0.9 : -1.2;
  const double angle = (sprinkles ? 2.5 : 0.2) + 0.25 * swing(2.2);
  const double y = base + up;
  place_behind();
  if (sprinkles) put(Crumbs, {0.2, base + 0.9 + 0.5 * std::fmod(3 * scene_.cycles * now_, 1.0)});
  place_in_front();
  if (!sprinkles) shadow(0, half_width(thing()));
  if (sprinkles) hand(-half_width(thing()) - 0.25, y - 0.15, -0.9);
  put(thing(), {0, y, angle});
  if (!sprinkles) hand(-0.1, y - 0.7 * half_height(thing()) - kFingers, -0.3);
}

void Moment::squeeze() {
  const double hard = std::pow(std::sin(kPi * scene_.cycles * now_), 2);
  const double wide = 1 - 0.45 * scene_.reach * hard;
  const double y = in_vessel() ? -2 * half_height(place()) - 0.8 : -1.0;
  place_behind();
  if (in_vessel() && hard > 0.4) put(Stream, {0, y + 1.0, 0, 0.4, 0.4});
  place_in_front();
  if (place() == None) shadow(0, half_width(thing()));
  put(thing(), {0, y, 0, wide, 1 + 0.25 * hard});
  two_hands(-half_width(thing()) * wide, half_width(thing()) * wide, y);
}

void Moment::press_down() {
  const double flat = eased(now_, 0.25, 0.9);
  const double high = 1 - 0.6 * std::min(1.2, scene_.reach) * flat;
  const double y = (place() == None ? 0 : 0.1) - half_height(thing()) * high;
  place_behind();
  if (place() == None) shadow(0, 1.1 * half_width(thing()));
  put(thing(), {0, y, 0, 1 + 0.45 * flat, high});
  reaching_hand(0, y - 0.8 * half_height(thing()) * high - kFingers, 0);
}

void Moment::stretch() {
  const double wide = 0.85 + 0.8 * scene_.reach * eased(now_, 0.2, 0.95);
  shadow(0, half_width(thing()) * wide);
  put(thing(), {0, -0.8, 0, wide, 1 - 0.2 * (wide - 0.85)});
  const double x = half_width(thing()) * wide;
  two_hands(-x, x, -0.8);
}

void Moment::pull_apart() {
  const double apart = 0.75 * scene_.reach * eased(now_, 0.25, 0.95);
  const double sag = 0.35 * apart;
  shadow(0, half_width(thing()) + apart);
  put_parted(0.5, {-apart, -0.8, -sag}, {apart, -0.8, sag});
  const double x = 0.9 * half_width(thing()) + apart;
  two_hands(-x, x, -0.8);
}

void Moment::cut_through() {
  const bool slice = half_width(thing()) > 0.95;
  const double where = slice ? 0.68 : 0.5;
  const double x = (2 * where - 1) * half_width(thing());
  const double down = eased(now_, 0.12, 0.6);
  const double apart = eased(now_, 0.5, 0.95);
  const double y = rest();
  shadow(0, half_width(thing()) + 0.2 * apart);
  put_parted(where, {-0.15 * apart, y, -0.05 * apart}, {0.55 * apart, y, 0.3 * apart});
  const double saw = 0.12 * std::sin(6 * kPi * down);
  held_tool(x + 0.05 + saw, y - 1.5 * (1 - down) + 0.9 * half_height(thing()) * down, 0.15);
}

void Moment::peel_off() {
  const double strokes = 2;
  const double along = std::fmod(strokes * std::min(now_, 0.999), 1.0);
  const double done = share(along, 0.1, 0.75);
  const bool second = now_ >= 0.5;
  const double x = half_width(thing()) * (1.8 * done - 0.9);
  const double y = rest();
  shadow(0, half_width(thing()));
  put(thing(), {0, y});
  const double fit_wide = half_width(thing()) / half_width(PeeledFood);
  const double fit_high = half_height(thing()) / half_height(PeeledFood);
  const Pose upper = {0, y - 0.25 * half_height(thing()), 0, 0.92 * fit_wide, 0.55 * fit_high};
  const Pose all = {0, y, 0, 0.95 * fit_wide, 0.9 * fit_high};
  put_share(PeeledFood, upper, 0, second ? 1 : done);
  if (second) put_share(PeeledFood, all, 0, done);
  if (second) put(Peeling, {0.5, 0.25, 0.3});
  put(Peeling, {x - 0.1, y - 0.6 * half_height(thing()) - 0.25, -0.9, 0.3 + 0.7 * done, 1});
  held_tool(x, y - 0.6 * half_height(thing()) - 0.5 * eased(along, 0.75, 1), 0.45);
}

void Moment::stir() {
  const double angle = 2 * kPi * scene_.cycles * now_;
  const Thing tool = scene_.action->tool;
  const double wide = 0.75 * (half_width(place()) - half_width(tool));
  place_behind();
  const double x = wide * std::cos(angle);
  const double y = -0.8 * half_height(place()) - half_height(tool) + 0.3 * wide * std::sin(angle);
  const double lean = 0.25 + 0.25 * std::cos(angle);
  put(tool, {x, y, lean});
  place_in_front();
  const double length = -0.8 * extent(tool).top;
  hand(x + length * std::sin(lean), y - length * std::cos(lean), 0.4);
}

void Moment::tap() {
  const double up = 0.9 * scene_.reach * std::abs(std::cos(kPi * scene_.cycles * now_));
  const double apart = thing() == Egg ? 0.5 * eased(now_, 0.7, 0.95) : 0;
  const double y = rest();
  shadow(0, half_width(thing()));
  put_parted(0.5, {-apart, y, -0.7 * apart}, {apart, y, 0.7 * apart});
  held_tool(0.15, y - half_height(thing()) - up, 0.5 + 0.35 * up);
}

}  // namespace

std::vector<ScenePart> scene_parts(const KitchenScene& scene, double progress) {
  return Moment(scene, progress).parts();
}

}  // namespace manyverbs
