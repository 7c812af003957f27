// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Sets of labels that contain the label of a clip with a requested probability, the coverage
/// (split conformal prediction). The label is the one that an annotator would give a new clip.
///
/// The share of a class is its probability divided by the sum over all classes of the clip:
/// probabilities {.8, .4, .4} are the shares {.5, .25, .25}. If all are 0, the shares are equal.
/// The set has every class with at least the share that enough labels of other clips have.

/// A class is in the set of a clip if its share is at least `least_share`.
struct CoverageRule {
  double coverage;  ///< as requested
  double least_share;
  int clips;  ///< it was computed from
};
/// The rule for N clips x C classes that were not trained on, with one label each: of their N label
/// shares, the k-th highest, k = ceil((N + 1) coverage). Label shares {.5, .1, .4, .25}, coverage
/// 0.6: k = 3, so .25. A new clip of the same kind has its label in its set with at least this
/// probability. Throws Error unless the coverage is above 0 and below 1, and if k > N: no share is
/// low enough, and every set would have all classes.
CoverageRule coverage_rule(const Matrix<float>& probabilities, std::span<const ClassId> labels,
                           double coverage);

/// The set of a clip, most probable class first. The most probable class is always in it.
/// Probabilities {.8, .4, .4}, least share .25: {0, 1, 2}; least share .3: {0}.
std::vector<ClassId> covering_set(std::span<const float> probabilities, const CoverageRule& rule);

/// What the sets of a rule achieve.
struct MeasuredCoverage {
  CoverageRule rule;
  double covered;         ///< share of the labels of a clip that are in its set, mean over clips
  double labels_per_set;  ///< mean over clips
  /// Clips with several labels, of which none is known to be the one that an annotator gave.
  int clips_with_several;
};
/// `labels` has one list per clip, N x C probabilities; a clip without labels is ignored in
/// `covered`. Sets {0, 2} and {1}, labels {0} and {1, 2}: covered (1 + 1/2) / 2, 1.5 labels per
/// set, 1 clip with several. NaN without clips.
MeasuredCoverage measured_coverage(const Matrix<float>& probabilities,
                                   std::span<const std::vector<ClassId>> labels,
                                   const CoverageRule& rule);

}  // namespace manyverbs
