// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// Gold clips are clips with known labels. They are mixed among the others, so that an annotator
/// cannot tell them apart, and show how often a person is right. They are not part of the result.

/// The decisions of a person on the candidates of gold clips.
struct GoldScore {
  int answers = 0;
  int hits = 0;    ///< chosen, and a label
  int wrong = 0;   ///< chosen, but not a label
  int missed = 0;  ///< a label, but not chosen

  /// F1 over all decisions together, 2 hits / (2 hits + wrong + missed); NaN if there are no labels
  /// and no choices. 3 hits, 1 wrong, 2 missed: 2/3. Unlike the share of right decisions, it is 0
  /// for somebody who never chooses a verb.
  double f1() const;

  bool operator==(const GoldScore&) const = default;
};
/// Adds an answer. Labels that are not among the candidates could not be chosen and do not count.
void count_answer(const GoldClip& clip, const Answer& answer, GoldScore* score);
/// Whether the person has given enough gold answers and is below the pass mark.
bool fails_gold(const GoldScore& score, const AnnotationSettings& settings);

/// Which of the clips that a person gets are gold clips: of the first 2 `at_start` clips, half, and
/// of every `every` clips after these, one, each at random places. Nobody can know them without
/// `secret`. If either number is 0, there are none of that kind.
class GoldPlaces {
 public:
  GoldPlaces(std::string secret, int person, int at_start, int every);

  /// `place` is 1 for the first clip.
  bool is_gold(int place) const;
  /// The number of gold clips that the person gets together with the next `others` other clips,
  /// from `place` on, if `gold` are left.
  int among(int place, int others, int gold) const;
  /// The one of these gold clips that comes next: a different order for each person.
  int next_of(std::span<const int> tasks) const;

 private:
  enum class Purpose { Start, Later, Order };
  std::uint64_t mixed(Purpose purpose, std::uint64_t number) const;
  // The place of the gold clip in a block of `every` clips after the start; both from 0.
  int place_in(int block) const;

  std::string secret_;
  int person_;
  int every_;
  std::vector<bool> start_;  // of the first places, which are gold
};

/// The JSON object described in web/src/annotation/api.ts.
Json gold_json(const GoldScore& score);

}  // namespace manyverbs
