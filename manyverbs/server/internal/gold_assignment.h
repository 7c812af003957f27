// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "manyverbs/server/internal/times.h"
#include "manyverbs/server/project.h"

namespace soci {
class session;
}

namespace manyverbs {

struct AnnotationSettings;

/// Assigns gold clips, inside the transactions of the store. They have leases and answers, but no
/// rows in the table tasks: each person gets them, no matter who else answered.
class GoldAssignment {
 public:
  GoldAssignment() = default;
  GoldAssignment(std::vector<GoldClip> clips, std::string secret);

  bool is_empty() const { return clips_.empty(); }

  /// The gold clip that a person gets now; 0 if the next clip is not to be one, or none is left.
  int next(soci::session& sql, int person, const AnnotationSettings& settings) const;

  /// The gold clips that the person has, and those that they will get with the next `others` other
  /// clips. A person whose progress counts both cannot see from it which clips are gold.
  int held_and_to_come(soci::session& sql, int person, const AnnotationSettings& settings,
                       int others) const;

  /// To be called after an answer. If it is to a gold clip, the settings want it, and the person is
  /// below the pass mark since a leader last changed their state, pauses them.
  void pause_if_failing(soci::session& sql, int person, int task,
                        const AnnotationSettings& settings, Time now) const;

 private:
  const GoldClip* find(int task) const;
  /// The gold clips that the person has neither answered nor reported, and does not have.
  std::vector<int> left(soci::session& sql, int person, int people) const;

  std::vector<GoldClip> clips_;
  std::string secret_;
  std::string numbers_;  // of the clips, for SQL: "(3, 17)"
};

}  // namespace manyverbs
