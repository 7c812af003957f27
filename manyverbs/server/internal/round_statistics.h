// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/metrics/internal/agreement.h"
#include "manyverbs/server/internal/statistics.h"

namespace manyverbs {

/// The statistics of a round, kept up to date from what is new, so that the leader's page can ask
/// for them every few seconds. Only the clips and people with a change are computed again; sums
/// over them are always added in the same order, so the numbers are exactly those of a computation
/// from all answers.
class RoundStatistics {
 public:
  explicit RoundStatistics(const AnnotationProject* project);

  /// `answers` are those saved since the last call, in the order of saving; a later answer of a
  /// person to a clip replaces the earlier one. The other lists are complete; the answers of people
  /// who are not in theirs were deleted.
  void update(std::span<const StoredAnswer> answers, std::span<const Person> people,
              std::span<const PlayReport> reports, std::span<const Decision> decisions = {});

  /// One entry per task, see answered_clips().
  const std::vector<AnsweredClip>& clips() const { return clips_; }
  /// The latest answers of a person, also of an excluded one, newest first.
  std::vector<StoredAnswer> answers_of(int person) const;
  /// Increases with each change of clips().
  std::uint64_t version() const { return version_; }

  ProjectStatistics project(const AnnotationSettings& settings) const;
  /// One entry per person of the last update, without quality and rank.
  std::vector<PersonStatistics> people(const AnnotationSettings& settings) const;

 private:
  // What is computed once for each change of a clip.
  struct ClipSummary {
    std::vector<StoredAnswer> given;  // the latest answers, also of excluded people
    std::vector<int> chosen;          // by how many people, one per candidate
    FinalLabels result;               // by the half rule, whatever the number of answers
    bool disputed = false;
  };
  // What one answer adds to the statistics of its person.
  struct Share {
    bool has_original = false;  // and the person did not choose "nothing happens"
    bool found = false;
    std::size_t verbs = 0;
    std::size_t candidates = 0;
    double seconds = 0;
    std::string keys;
    bool compared = false;
    SharedDecisions with_others;
  };

  std::size_t place_of(int task) const;
  void add(const StoredAnswer& answer);
  GoldScore gold_of(int person) const;
  int reported_gold() const;
  void set_people(std::span<const Person> people);
  void forget_deleted_people();
  void uncount_hour(Time time);
  void set_reports(std::span<const PlayReport> reports);
  void set_decisions(std::span<const Decision> decisions);
  void compute(std::size_t place);
  Share share_of(std::size_t place, const StoredAnswer& stored) const;
  static PersonStatistics sum_of(const std::map<int, Share>& shares);

  const AnnotationProject* project_;
  std::vector<AnsweredClip> clips_;
  std::vector<ClipSummary> summaries_;          // of each clip
  std::vector<bool> changed_;                   // of each clip
  std::map<int, std::map<int, Share>> shares_;  // by person and task
  std::map<int, PersonStatistics> sums_;        // by person; without warnings
  std::vector<int> listed_;                     // the people of the last update
  std::map<int, bool> counts_;                  // by person: not excluded
  std::set<int> answering_;                     // people with answers
  std::vector<PlayReport> reports_;
  std::map<int, std::map<int, Answer>> gold_;  // answers to gold clips, by person and task
  std::vector<PlayReport> gold_reports_;
  std::map<int, Decision> decisions_;  // by task, those in force
  std::map<Time, int> hours_;          // answers, by the start of the hour
  std::uint64_t version_ = 0;
};

}  // namespace manyverbs
