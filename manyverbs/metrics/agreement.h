// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// How far people agree beyond chance. 1 is full agreement, 0 what chance would give.
///
/// Units are put into categories: counts(i, j) people put unit i into category j. The number of
/// people may differ from unit to unit; units that fewer than two people judged are left out. NaN
/// when no unit is left, or when all judgements are the same, where chance alone agrees fully.

/// Fleiss' kappa (1971): the mean over units of the share of pairs of people who agree, against
/// the chance that the shares of the categories over all judgements give. Counts {{2, 0}, {1, 1}}:
/// agreement (1 + 0) / 2, chance 5/8, so -1/3.
double fleiss_kappa(const Matrix<int>& counts);

/// Krippendorff's alpha for nominal data: like kappa, but a unit weighs as many judgements as it
/// has, and chance draws two different judgements. Counts {{2, 0}, {1, 1}}: disagreement observed
/// 2/4, expected 6/12, so 0.
double krippendorff_alpha(const Matrix<int>& counts);

/// A clip as several people saw it.
struct ClipChoices {
  std::vector<ClassId> candidates;           ///< the verbs to choose from
  std::vector<std::vector<ClassId>> chosen;  ///< one entry a person: those that fit
};

/// A verb that a clip offers is a unit with two categories, chosen and not chosen.
struct Agreement {
  double kappa_per_verb;  ///< kappa over the clips that offer a verb, mean over verbs
  double kappa_pooled;    ///< one kappa over all units
  double kappa_per_clip;  ///< kappa over the verbs of a clip, mean over clips
  double alpha;           ///< Krippendorff's, over all units
};
/// Means leave out what is not defined. Two people, one clip of {cut, peel}, choosing {cut} and
/// {cut, peel}: cut alone is undefined, peel is -1; pooled -1/3.
Agreement agreement(std::span<const ClipChoices> clips, int num_classes);

/// A clip as one person and the others saw it.
struct SharedClip {
  std::span<const ClassId> candidates;
  std::span<const ClassId> chosen;               ///< by the person
  std::vector<std::span<const ClassId>> others;  ///< by each of the others
};
/// Cohen's kappa of one person against the others, who together count as one. Agreement is the mean
/// over units of the share of others who say the same as the person; chance is p q + (1 - p)(1 -
/// q), where the person chose p of the units and the others q on average. Clips without others are
/// left out. NaN without any, or when p and q are both 0 or both 1. One clip of {cut, peel}, the
/// person {cut}, others {cut} and {cut, peel}: agreement 3/4, p 1/2, q 3/4, chance 1/2, so 1/2.
double kappa_with_others(std::span<const SharedClip> clips);

}  // namespace manyverbs
