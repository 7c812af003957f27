// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/gold.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "manyverbs/server/internal/secrets.h"

namespace manyverbs {
namespace {

bool has(const std::vector<ClassId>& verbs, ClassId verb) {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

}  // namespace

double GoldScore::f1() const {
  const int decisions = 2 * hits + wrong + missed;
  return decisions > 0 ? 2.0 * hits / decisions : NAN;
}

void count_answer(const GoldClip& clip, const Answer& answer, GoldScore* score) {
  ++score->answers;
  for (const ClassId verb : clip.task.candidates) {
    const bool chosen = has(answer.chosen, verb);
    const bool label = has(clip.labels, verb);
    score->hits += chosen && label ? 1 : 0;
    score->wrong += chosen && !label ? 1 : 0;
    score->missed += !chosen && label ? 1 : 0;
  }
}

bool fails_gold(const GoldScore& score, const AnnotationSettings& settings) {
  return score.answers >= settings.gold_answers && score.f1() < settings.least_gold;
}

GoldPlaces::GoldPlaces(std::string secret, int person, int at_start, int every)
    : secret_(std::move(secret)), person_(person), every_(every) {
  // Of the first places, the half with the lowest random numbers.
  std::vector<std::pair<std::uint64_t, int>> order;
  for (int place = 0; place < 2 * at_start; ++place) {
    order.emplace_back(mixed(Purpose::Start, place), place);
  }
  std::sort(order.begin(), order.end());
  start_ = std::vector<bool>(order.size());
  for (int i = 0; i < at_start; ++i) start_[order[i].second] = true;
}

// Uniform bits that only somebody who knows the secret can compute.
std::uint64_t GoldPlaces::mixed(Purpose purpose, std::uint64_t number) const {
  const std::string text =
      fmt::format("{} {} {} {}", secret_, person_, static_cast<int>(purpose), number);
  return std::stoull(token_hash(text).substr(0, 15), nullptr, 16);
}

int GoldPlaces::place_in(int block) const {
  return static_cast<int>(mixed(Purpose::Later, block) % static_cast<std::uint64_t>(every_));
}

bool GoldPlaces::is_gold(int place) const {
  if (place <= std::ssize(start_)) return start_[place - 1];
  if (every_ == 0) return false;
  const int later = place - static_cast<int>(start_.size()) - 1;
  return later % every_ == place_in(later / every_);
}

int GoldPlaces::among(int place, int others, int gold) const {
  int found = 0;
  for (; others > 0 && found < gold && place <= std::ssize(start_); ++place) {
    start_[place - 1] ? ++found : --others;
  }
  if (every_ == 0) return found;
  const int later = place - static_cast<int>(start_.size()) - 1;
  // In each block of places, the others before the gold clip, and those after it.
  for (int block = later / every_, from = later % every_; others > 0 && found < gold; ++block) {
    const int at = place_in(block);
    if (at >= from) {
      others -= at - from;
      if (others <= 0) break;
      ++found;
      from = at + 1;
    }
    others -= every_ - from;
    from = 0;
  }
  return found;
}

int GoldPlaces::next_of(std::span<const int> tasks) const {
  return *std::min_element(tasks.begin(), tasks.end(), [&](int a, int b) {
    return mixed(Purpose::Order, a) < mixed(Purpose::Order, b);
  });
}

Json gold_json(const GoldScore& score) {
  return {{"answers", score.answers},
          {"hits", score.hits},
          {"wrong", score.wrong},
          {"missed", score.missed},
          {"f1", number_or_null(score.f1())}};
}

}  // namespace manyverbs
