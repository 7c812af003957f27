// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <span>
#include <vector>

#include "manyverbs/metrics/internal/annotator_model.h"
#include "manyverbs/server/internal/finalising.h"

namespace manyverbs {

/// The model of annotators for the answers of a project. It replaces one of the rules of the paper,
/// "chosen by at least half"; the others remain.

/// How often a person is right.
struct PersonQuality {
  EstimatedRate sensitivity;  ///< share of the verbs that apply which the person chooses
  EstimatedRate specificity;  ///< share of the others which the person leaves

  /// 1 is perfect, 0 is no better than chance, below 0 is worse: sensitivity + specificity - 1
  /// (Youden's J). Somebody who chooses everything, nothing, or anything at random has 0.
  double score() const { return sensitivity.value + specificity.value - 1; }
};

struct AnswerModel {
  std::map<int, PersonQuality> people;  ///< by id, only those with answers in the model
  /// One row per clip with the probability that each of its candidates applies.
  std::vector<std::vector<double>> posteriors;
  /// Per clip, in bits: expected_information() of one more answer by a person with the mean rates.
  std::vector<double> information;
};

/// An answer decides on each candidate of its clip; "nothing happens" and "none of these verbs" are
/// no for all of them. The original label is known to apply. Clips that are left out as doubtful,
/// nothing or other, or by the leader, are ignored: their answers are no evidence, and their
/// posteriors are those of clips without answers.
AnswerModel model_answers(std::span<const AnsweredClip> clips);

/// Like final_clips(), but the labels of a clip are the original and the verbs with a posterior of
/// at least 1/2. A decision of the leader wins. `model` is that of the same clips.
std::vector<FinalClip> final_clips_by_model(std::span<const AnsweredClip> clips, int people,
                                            const AnswerModel& model);

}  // namespace manyverbs
