// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
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
/// Row i of every matrix is training clip i; N is the number of clips, C of classes, K of
/// neighbours.

/// How many of a clip's neighbours carry each class: N x C, each row sums to K. The label of the
/// clip numbered n in `neighbours` is label_of[n]. Neighbours labelled {cut, cut, peel, cut} give
/// cut 3 and peel 1.
Matrix<int> votes(const Matrix<std::int32_t>& neighbours, std::span<const ClassId> label_of,
                  int num_classes);

/// The further labels of each clip, rising; never its own.
using Suggestions = std::vector<std::vector<ClassId>>;

/// Instance-level, as in the paper: a class is suggested when votes / K, in double, is strictly
/// above tau. Votes {cut 3, peel 1, wash 0}, tau 0.2 and own label peel suggest {cut}.
Suggestions instance_level(const Matrix<int>& votes, std::span<const ClassId> labels, double tau);

/// How often two classes must stand together for one to suggest the other.
enum class Together {
  AtLeastHalf,   ///< as the paper has it
  MoreThanHalf,  ///< as the paper's released code has it
};

/// Class-level, the paper's ablation: class j is suggested for every clip labelled i when j is
/// among the labels of at least half of the clips in `sets` that carry i; nothing when none carries
/// i. Sets {cut, peel}, {cut} and {peel} suggest peel for clips labelled cut, and cut for peel.
Suggestions class_level(std::span<const std::vector<ClassId>> sets, std::span<const ClassId> labels,
                        int num_classes, Together together = Together::AtLeastHalf);

/// Ideal, the other ablation: the rest of each clip's true labels; nothing where the truth is
/// empty, which means it is not known. Truth {cut, peel, wash} and own label peel suggest {cut,
/// wash}.
Suggestions ideal(std::span<const std::vector<ClassId>> truth, std::span<const ClassId> labels);

/// What to train on: own labels Present, suggested classes `suggested`, all else Absent.
/// Label::Unknown is the paper's Mask, Label::Present its P+S, Label::Absent ignores suggestions.
LabelMatrix targets(const Suggestions& suggestions, std::span<const ClassId> labels,
                    int num_classes, Label suggested);

/// How good suggestions are, over all (clip, class) pairs, own labels aside. Suggestions {cut,
/// wash} for a clip labelled peel whose truth is {cut, peel, slice}: precision 1/2, recall 1/2.
struct SuggestionQuality {
  static constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

  double precision = kUndefined;  ///< share of the suggestions that are true; NaN without any
  double recall = kUndefined;  ///< share of the hidden labels that are suggested; NaN without any
  double suggestions_per_clip = kUndefined;  ///< mean over all clips; NaN without clips
  int clips = 0;  ///< whose truth is known: precision and recall leave out the others
};
SuggestionQuality suggestion_quality(const Suggestions& suggestions,
                                     std::span<const std::vector<ClassId>> truth,
                                     std::span<const ClassId> labels);

}  // namespace manyverbs
