// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// Turns the answers of several people into the labels of a clip, by the rules of the paper.

/// Whether a clip has final labels, or why it is left out.
enum class Outcome {
  Kept,
  Doubtful,    ///< more than half were not confident
  Nothing,     ///< more than half said that nothing happens
  Other,       ///< more than half said that no verb applies: something else happens, or nothing
  NoVerb,      ///< no known original label, and no verb is kept
  Incomplete,  ///< too few answers
  Unplayable,  ///< too few answers, and as many people as needed reported that it does not play
  LeftOut,     ///< by the leader
};
inline constexpr std::array kLeftOut = {Outcome::Doubtful, Outcome::Nothing,    Outcome::Other,
                                        Outcome::NoVerb,   Outcome::Incomplete, Outcome::Unplayable,
                                        Outcome::LeftOut};
/// "kept", "doubtful", "nothing", "other", "no_verb", "incomplete", "unplayable" or
/// "left_out".
std::string_view outcome_name(Outcome outcome);
/// The reason why a clip is left out: "more than half were not confident".
std::string_view outcome_reason(Outcome outcome);

struct FinalLabels {
  Outcome outcome = Outcome::Kept;
  std::vector<ClassId> labels;  ///< chosen by at least half, and the original; sorted; empty unless
                                ///< outcome is Kept
  bool operator==(const FinalLabels&) const = default;
};
/// Applies the rules in the order Doubtful, Nothing, Other, NoVerb. "At least half" is two of three
/// or two of four; "more than half" is two of three or three of four. Original peel; answers {cut},
/// {cut, wash} and {}: cut and peel. Answers {cut}, nothing and other: Other.
FinalLabels final_labels(std::optional<ClassId> original, std::span<const Answer> answers);

/// Whether an answer contains a verb.
bool chose(const Answer& answer, ClassId verb);

/// A clip with its valid answers: the latest ones of people who are not excluded.
struct AnsweredClip {
  const AnnotationTask* task = nullptr;
  std::vector<int> people;       ///< ids of the people who answered
  std::vector<Answer> answers;   ///< in the same order
  std::vector<int> reported_by;  ///< people for whom it does not play, without excluded ones
  std::optional<Decision> decision = {};  ///< of the leader, unless it was undone
};
/// One entry per task, in task order, including tasks without answers.
std::vector<AnsweredClip> answered_clips(const AnnotationProject& project,
                                         std::span<const StoredAnswer> answers,
                                         std::span<const Person> people,
                                         std::span<const PlayReport> reports = {},
                                         std::span<const Decision> decisions = {});

/// The clips, including gold clips, that at least one person could not play.
std::vector<AnsweredClip> reported_clips(const AnnotationProject& project,
                                         std::span<const StoredAnswer> answers,
                                         std::span<const Person> people,
                                         std::span<const PlayReport> reports);

struct FinalClip {
  const AnnotationTask* task = nullptr;
  FinalLabels result;
  /// The probability that each candidate applies; empty unless the labels come from the model of
  /// annotators and the clip has enough answers that say something.
  std::vector<double> posteriors = {};
  std::optional<Decision> decision = {};  ///< of the leader, who settled the labels
};
/// The decision of the leader, if there is one. Otherwise `by_rule`, what final_labels() says about
/// the answers of the clip; Incomplete or Unplayable if fewer than `people` answered.
FinalLabels final_result(const AnsweredClip& clip, int people, const FinalLabels& by_rule);
/// The final_result() of each clip.
std::vector<FinalClip> final_clips(std::span<const AnsweredClip> clips, int people);

/// Which verbs become labels of a clip.
enum class LabelRule {
  Half,   ///< those chosen by at least half, as in the paper: final_clips()
  Model,  ///< those that apply with a probability of at least 1/2: final_clips_by_model()
};

}  // namespace manyverbs
