// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// From the answers of several people to the labels of a clip, as the paper does it.

/// Whether a clip has labels that people agreed on, or why it is left out.
enum class Outcome {
  Kept,
  Doubtful,    ///< more than half were not confident
  Nothing,     ///< more than half said that nothing happens
  NoVerb,      ///< no original label is known, and no verb was chosen by at least half
  Incomplete,  ///< not enough people answered
  Unplayable,  ///< not enough people answered, and for as many it does not play
};
inline constexpr std::array kLeftOut = {Outcome::Doubtful, Outcome::Nothing, Outcome::NoVerb,
                                        Outcome::Incomplete, Outcome::Unplayable};
/// "kept", "doubtful", "nothing", "no_verb", "incomplete" or "unplayable".
std::string_view outcome_name(Outcome outcome);
/// Why a clip is left out: "more than half were not confident".
std::string_view outcome_reason(Outcome outcome);

struct FinalLabels {
  Outcome outcome = Outcome::Kept;
  std::vector<ClassId> labels;  ///< chosen by at least half, and the original; rising, empty unless
                                ///< kept
  bool operator==(const FinalLabels&) const = default;
};
/// The first of Doubtful, Nothing and NoVerb that applies. Of three people two are at least half,
/// of four two as well, but they are not more than half. Original peel; {cut}, {cut, wash} and {}:
/// cut and peel.
FinalLabels final_labels(std::optional<ClassId> original, std::span<const Answer> answers);

/// A clip with the answers that count: current, and of people who are not excluded.
struct AnsweredClip {
  const AnnotationTask* task = nullptr;
  std::vector<int> people;       ///< who answered, by id
  std::vector<Answer> answers;   ///< in the same order
  std::vector<int> reported_by;  ///< people for whom it does not play, not excluded either
};
/// One entry per task, in their order, also for those without answers.
std::vector<AnsweredClip> answered_clips(const AnnotationProject& project,
                                         std::span<const StoredAnswer> answers,
                                         std::span<const Person> people,
                                         std::span<const PlayReport> reports = {});

/// Those of them that somebody could not play.
std::vector<AnsweredClip> reported_clips(const AnnotationProject& project,
                                         std::span<const StoredAnswer> answers,
                                         std::span<const Person> people,
                                         std::span<const PlayReport> reports);

struct FinalClip {
  const AnnotationTask* task = nullptr;
  FinalLabels result;
};
/// What becomes of each clip; Incomplete or Unplayable where fewer than `people` answered.
std::vector<FinalClip> final_clips(std::span<const AnsweredClip> clips, int people);

}  // namespace manyverbs
