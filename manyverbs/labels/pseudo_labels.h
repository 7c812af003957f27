// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/dataset/clip.h"
#include "manyverbs/labels/targets.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Pseudo-labels: the further labels a clip probably deserves, as the clips most like it suggest.
///
///   neighbours --votes--> count of each class --suggestions--> classes --targets--> what is taught
///
/// Row i of every matrix is training clip i; N is the number of clips, C of classes, K of neighbours.

/// How many of a clip's neighbours carry each class: N x C, each row sums to K. The label of the clip
/// numbered n in `neighbours` is label_of[n]. Neighbours labelled {cut, cut, peel, cut} give cut 3 and
/// peel 1.
Matrix<int> votes(const Matrix<std::int32_t>& neighbours, std::span<const ClassId> label_of,
                  int num_classes);

/// The further labels of each clip, rising; never its own.
using Suggestions = std::vector<std::vector<ClassId>>;

/// Instance-level, as in the paper: a class is suggested when votes / K, in double, is strictly above
/// tau. Votes {cut 3, peel 1, wash 0}, tau 0.2 and own label peel suggest {cut}.
Suggestions instance_level(const Matrix<int>& votes, std::span<const ClassId> labels, double tau);

/// Class-level, the paper's ablation: class j is suggested for every clip labelled i when j is among
/// the labels of at least half of the clips in `sets` that carry i.
Suggestions class_level(std::span<const std::vector<ClassId>> sets, std::span<const ClassId> labels,
                        int num_classes);

/// Ideal, the other ablation: the rest of each clip's true labels.
Suggestions ideal(std::span<const std::vector<ClassId>> truth, std::span<const ClassId> labels);

/// What to train on: own labels Present, suggested classes `suggested`, all else Absent.
/// Label::Unknown is the paper's Mask, Label::Present its P+S, Label::Absent ignores suggestions.
LabelMatrix targets(const Suggestions& suggestions, std::span<const ClassId> labels,
                    int num_classes, Label suggested);

/// How good suggestions are where the truth is known, over all (clip, class) pairs, own labels aside.
struct SuggestionQuality {
  double precision;          ///< share of the suggestions that are true; NaN without suggestions
  double recall;             ///< share of the hidden true labels that are suggested; NaN without any
  double suggestions_a_clip; ///< mean number
  int clips;                 ///< clips whose truth is known: the others are left out
};
SuggestionQuality suggestion_quality(const Suggestions& suggestions,
                                     std::span<const std::vector<ClassId>> truth,
                                     std::span<const ClassId> labels);

}  // namespace manyverbs
