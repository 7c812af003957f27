// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Inter-rater agreement, corrected for chance: 1 is perfect agreement, 0 is chance.
///
/// Raters assign units to categories: counts(i, j) raters assigned unit i to category j. The number
/// of raters may differ between units; units with fewer than two raters are ignored. NaN if no unit
/// is left, or if all ratings are the same, because chance agreement is then perfect.

/// Fleiss' kappa (1971): the mean over units of the share of agreeing pairs of raters, compared
/// with the expected agreement from the shares of the categories over all ratings. Counts {{2, 0},
/// {1, 1}}: agreement (1 + 0) / 2, expected 5/8, so -1/3.
double fleiss_kappa(const Matrix<int>& counts);

/// Krippendorff's alpha for nominal data: like kappa, but each unit is weighted by its number of
/// ratings, and the expected agreement is that of two different ratings drawn without replacement.
/// Counts {{2, 0}, {1, 1}}: observed disagreement 2/4, expected 6/12, so 0.
double krippendorff_alpha(const Matrix<int>& counts);

/// The answers of several people to a clip.
struct ClipChoices {
  std::vector<ClassId> candidates;           ///< the verbs to choose from
  std::vector<std::vector<ClassId>> chosen;  ///< one entry per person
};

/// Each pair of clip and candidate is a unit with two categories: chosen and not chosen.
struct Agreement {
  double kappa_per_verb;  ///< kappa over the clips with a candidate verb, mean over verbs
  double kappa_pooled;    ///< one kappa over all units
  double kappa_per_clip;  ///< kappa over the verbs of a clip, mean over clips
  double alpha;           ///< Krippendorff's, over all units
};
/// Means ignore undefined values. Two people, one clip with candidates {cut, peel}, choosing {cut}
/// and {cut, peel}: cut alone is undefined, peel is -1; pooled -1/3.
Agreement agreement(std::span<const ClipChoices> clips, int num_classes);

/// The answers to a clip as numbers of people. Above: 2 people, chosen {2, 1}.
struct ClipCounts {
  std::span<const ClassId> candidates;
  std::span<const int> chosen;  ///< by how many people, one per candidate
  int people = 0;
};
/// agreement() of answers that are counted already.
Agreement agreement_of_counts(std::span<const ClipCounts> clips, int num_classes);

/// The answers of one person and of the others to a clip.
struct SharedClip {
  std::span<const ClassId> candidates;
  std::span<const ClassId> chosen;               ///< by the person
  std::vector<std::span<const ClassId>> others;  ///< by each of the others
};
/// Cohen's kappa between one person and the mean of the others. Observed agreement is the mean over
/// units of the share of others who made the same decision as the person; expected agreement is p q
/// + (1 - p)(1 - q), where p is the share of units that the person chose and q the mean share that
/// the others chose. Clips without others are ignored. NaN without any clip, or if p and q are both
/// 0 or both 1. One clip with candidates {cut, peel}, the person {cut}, others {cut} and {cut,
/// peel}: observed 3/4, p 1/2, q 3/4, expected 1/2, so 1/2.
double kappa_with_others(std::span<const SharedClip> clips);

/// The sums that kappa_with_others() is computed from. Those of several clips can be added.
struct SharedDecisions {
  double units = 0;
  double same = 0;              ///< agreement with the mean of the others
  double chosen = 0;            ///< by the person
  double chosen_by_others = 0;  ///< mean over the others

  SharedDecisions& operator+=(const SharedDecisions& more);
  double kappa() const;
};
/// All 0 for a clip without others.
SharedDecisions shared_decisions(const SharedClip& clip);

}  // namespace manyverbs
