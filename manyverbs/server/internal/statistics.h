// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "manyverbs/metrics/internal/agreement.h"
#include "manyverbs/server/internal/answer_model.h"
#include "manyverbs/server/internal/finalising.h"
#include "manyverbs/server/internal/gold.h"
#include "manyverbs/server/internal/store.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Statistics of clips and people over the answers so far, for the leader. Undefined values are
/// NaN, null in JSON.

/// Statistics of one person over the latest answers. Also computed for excluded people.
struct PersonStatistics {
  int answers = 0;
  double found;  ///< share of original labels chosen, in clips not marked as "nothing happens"
  double verbs_per_clip;    ///< mean
  double chosen_share;      ///< mean share of the candidates that are chosen
  double seconds_per_clip;  ///< median
  double same_keys;         ///< share of answers with the most frequent combination of keys
  int compared = 0;         ///< answers to clips that others answered too
  double agreement;         ///< kappa_with_others() over the compared answers
  /// By the model of annotators; empty without answers in the model, and for excluded people.
  std::optional<PersonQuality> quality;
  int rank = 0;    ///< by PersonQuality::score(), from 1, the best; 0 without quality
  GoldScore gold;  ///< answers to gold clips, which all other values ignore
  /// The exceeded limits: "found", "few_verbs", "many_verbs", "fast", "same_keys", "agreement",
  /// "gold".
  std::vector<std::string> warnings;
};
/// Warnings need at least ten answers, "agreement" ten compared ones, "gold" as many answers to
/// gold clips as the settings say.
std::vector<std::string> warnings_of(const PersonStatistics& statistics,
                                     const AnnotationSettings& settings);
/// Sets quality and rank of each person. Equal scores have the same rank.
void set_quality(std::span<const Person> people, const AnswerModel& model,
                 std::vector<PersonStatistics>* all);
/// One entry per person. A server uses LiveRound instead, which keeps them up to date.
std::vector<PersonStatistics> person_statistics(const AnnotationProject& project,
                                                std::span<const StoredAnswer> answers,
                                                std::span<const Person> people,
                                                const AnnotationSettings& settings,
                                                std::span<const Decision> decisions = {});

/// Statistics of the project, without the answers of excluded people.
struct ProjectStatistics {
  int clips = 0;
  int complete = 0;                 ///< answered by enough people, or decided by the leader
  int settled = 0;                  ///< labels by the leader
  int begun = 0;                    ///< answered by some people, but not enough
  std::map<Outcome, int> outcomes;  ///< number of clips per outcome, without zeros
  int answers = 0;
  std::vector<std::pair<Time, int>> answers_per_hour;  ///< the last 24 hours with answers
  Agreement agreement;
  double labels_per_clip;               ///< mean over complete clips that are kept
  std::map<ClassId, int> label_counts;  ///< over the same clips
  std::map<std::pair<ClassId, ClassId>, int> label_pairs;  ///< co-occurring labels
  int disputes = 0;
  int reported = 0;     ///< clips that at least one person could not play
  int remarks = 0;      ///< answers with a comment or a flag
  int other_verbs = 0;  ///< different verbs that people entered
};
ProjectStatistics project_statistics(const AnnotationProject& project,
                                     std::span<const StoredAnswer> answers,
                                     std::span<const Person> people,
                                     std::span<const PlayReport> reports,
                                     const AnnotationSettings& settings,
                                     std::span<const Decision> decisions = {});

/// A clip with different answers that the leader has not decided. `disagreement`, above 0, is the
/// share of pairs of people who differ on a verb, averaged over the verbs of the clip.
struct Dispute {
  const AnsweredClip* clip = nullptr;
  double disagreement = 0;
};
/// Ordered by decreasing disagreement.
std::vector<Dispute> disputes(std::span<const AnsweredClip> clips);

/// JSON objects described in web/src/annotation/api.ts.
Json person_json(const Person& person, const PersonStatistics& statistics);
Json overview_json(const AnnotationProject& project, const AnnotationSettings& settings,
                   std::span<const Person> people, const ProjectStatistics& statistics,
                   std::span<const PersonStatistics> person_statistics);
/// A clip that at least one person could not play. It is no longer assigned after `needed` reports.
Json report_json(const AnsweredClip& clip, std::span<const Person> people, int needed);
/// A clip with who chose what, its result by the half rule, and the decision of the leader.
Json clip_json(const AnnotationProject& project, const AnsweredClip& clip,
               std::span<const Person> people);

}  // namespace manyverbs
