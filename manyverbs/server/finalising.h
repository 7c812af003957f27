// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/server/store.h"

namespace manyverbs {

/// From the answers of several people to the labels of a clip, as the paper does it.

struct FinalLabels {
  bool doubtful = false;        ///< more than half were not confident: the clip is left out
  std::vector<ClassId> labels;  ///< chosen by at least half, and the original; rising
  bool operator==(const FinalLabels&) const = default;
};
/// Of three people two are needed, of four two as well. Original peel; {cut}, {cut, wash} and {}:
/// cut and peel.
FinalLabels final_labels(ClassId original, std::span<const Answer> answers);

/// A clip with the answers that count: current, and of people who are not excluded.
struct AnsweredClip {
  const AnnotationTask* task = nullptr;
  std::vector<int> people;      ///< who answered, by id
  std::vector<Answer> answers;  ///< in the same order
};
/// One entry a task, in their order, also for those without answers.
std::vector<AnsweredClip> answered_clips(const AnnotationProject& project,
                                         std::span<const StoredAnswer> answers,
                                         std::span<const Person> people);

/// A clip that enough people answered.
struct FinalClip {
  const AnnotationTask* task = nullptr;
  int people = 0;
  FinalLabels result;
};
/// The clips that at least `people` answered, doubtful ones too.
std::vector<FinalClip> final_clips(std::span<const AnsweredClip> clips, int people);

}  // namespace manyverbs
