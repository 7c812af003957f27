// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "manyverbs/metrics/agreement.h"
#include "manyverbs/server/internal/finalising.h"
#include "manyverbs/server/internal/store.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// What the answers so far say about clips and people, for whoever leads the work. A value that is
/// not defined is NaN, in JSON null.

/// One person's work, over the current answers, also of people who are excluded.
struct PersonFigures {
  int answers = 0;
  double found;           ///< share of original labels chosen, of clips where something happens
  double verbs_a_clip;    ///< mean
  double chosen_share;    ///< mean share of the verbs offered
  double seconds_a_clip;  ///< median
  double same_keys;       ///< share of the answers that press the keys pressed most often
  int compared = 0;       ///< answers to clips that others answered too
  double agreement;       ///< kappa_with_others() over these
  /// Limits of the settings that are not kept: "found", "few_verbs", "many_verbs", "fast",
  /// "same_keys", "agreement".
  std::vector<std::string> warnings;
};
/// One entry per person. Warnings need ten answers, "agreement" ten that can be compared.
std::vector<PersonFigures> person_figures(const AnnotationProject& project,
                                          std::span<const StoredAnswer> answers,
                                          std::span<const Person> people,
                                          const AnnotationSettings& settings);

/// The whole project, over the answers that count.
struct ProjectFigures {
  int clips = 0;
  int complete = 0;                 ///< answered by enough people
  int begun = 0;                    ///< answered by somebody, not by enough
  std::map<Outcome, int> outcomes;  ///< clips of each; none that no clip has
  int answers = 0;
  std::vector<std::pair<Time, int>> answers_per_hour;  ///< the last 24 hours that had any
  Agreement agreement;
  double labels_a_clip;                                    ///< of complete clips that stay
  std::map<ClassId, int> label_counts;                     ///< of the same clips
  std::map<std::pair<ClassId, ClassId>, int> label_pairs;  ///< labels that stand together
  int disputes = 0;
  int reported = 0;  ///< clips that somebody could not play
};
ProjectFigures project_figures(const AnnotationProject& project,
                               std::span<const StoredAnswer> answers,
                               std::span<const Person> people, std::span<const PlayReport> reports,
                               const AnnotationSettings& settings);

/// A clip on which people differ: the mean over its verbs of the share of pairs who do, above 0.
struct Dispute {
  const AnsweredClip* clip = nullptr;
  double disagreement = 0;
};
/// Those on which people differ most come first.
std::vector<Dispute> disputes(std::span<const AnsweredClip> clips);

/// The objects that web/src/annotation/api.ts describes.
Json person_json(const Person& person, const PersonFigures& figures);
Json overview_json(const AnnotationProject& project, const AnnotationSettings& settings,
                   std::span<const Person> people, const ProjectFigures& figures,
                   std::span<const PersonFigures> person_figures);
/// A clip that somebody could not play; it is no longer given out when `needed` people could not.
Json report_json(const AnsweredClip& clip, std::span<const Person> people, int needed);
Json dispute_json(const AnnotationProject& project, const AnsweredClip& clip,
                  std::span<const Person> people);

}  // namespace manyverbs
