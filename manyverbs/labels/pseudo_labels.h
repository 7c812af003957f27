// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/clip.h"
#include "manyverbs/labels/targets.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Pseudo-labels: additional labels of a clip that its nearest neighbours suggest.
///
///   neighbours --votes--> count per class --suggestions--> classes --targets--> training targets
///
/// Row i of every matrix is training clip i; N is the number of clips, C of classes, K of
/// neighbours.

/// The number of neighbours of each clip with each class: N x C, each row sums to K. The label of
/// a neighbour is label_of[its row]. Neighbours labelled {cut, cut, peel, cut} give cut 3 and
/// peel 1.
Matrix<int> votes(const Matrix<ClipRow>& neighbours, std::span<const ClassId> label_of,
                  int num_classes);

/// The suggested labels of each clip, sorted; never its own label.
using Suggestions = std::vector<std::vector<ClassId>>;

/// Instance-level pseudo-labels of the paper: a class is suggested if votes / K, in double, is
/// strictly greater than tau. Votes {cut 3, peel 1, wash 0}, tau 0.2 and own label peel suggest
/// {cut}.
Suggestions instance_level(const Matrix<int>& votes, std::span<const ClassId> labels, double tau);

/// The minimum share of co-occurrence for class-level suggestions.
enum class Together {
  AtLeastHalf,   ///< as in the paper
  MoreThanHalf,  ///< as in the released code of the paper
};

/// Class-level pseudo-labels, an ablation of the paper: class j is suggested for every clip
/// labelled i if at least half of the sets with i also contain j; nothing if no set contains i.
/// Sets {cut, peel}, {cut} and {peel} suggest peel for clips labelled cut, and cut for peel.
Suggestions class_level(std::span<const std::vector<ClassId>> sets, std::span<const ClassId> labels,
                        int num_classes, Together together = Together::AtLeastHalf);

/// Ideal pseudo-labels, another ablation: all other true labels of each clip; nothing if the ground
/// truth is empty, which means unknown. Truth {cut, peel, wash} and own label peel suggest {cut,
/// wash}.
Suggestions ideal(std::span<const std::vector<ClassId>> truth, std::span<const ClassId> labels);

/// Training targets: own labels are Present, suggested classes get the value `suggested`, all
/// others are Absent. Label::Unknown is Mask of the paper, Label::Present is P+S, Label::Absent
/// ignores suggestions.
LabelMatrix targets(const Suggestions& suggestions, std::span<const ClassId> labels,
                    int num_classes, Label suggested);

/// Quality of suggestions over all (clip, class) pairs, without own labels. Suggestions {cut, wash}
/// for a clip labelled peel with truth {cut, peel, slice}: precision 1/2, recall 1/2.
struct SuggestionQuality {
  static constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

  double precision = kUndefined;  ///< share of suggestions that are true; NaN without suggestions
  double recall = kUndefined;     ///< share of hidden labels that are suggested; NaN without any
  double suggestions_per_clip = kUndefined;  ///< mean over all clips; NaN without clips
  int clips = 0;  ///< with known ground truth; precision and recall ignore the others
};
SuggestionQuality suggestion_quality(const Suggestions& suggestions,
                                     std::span<const std::vector<ClassId>> truth,
                                     std::span<const ClassId> labels);

enum class PseudoLabelMethod { Instance, Class, Ideal };
/// "instance", "class" or "ideal".
std::string_view method_name(PseudoLabelMethod method);
/// Throws Error for other names, with a suggestion.
PseudoLabelMethod find_method(std::string_view name);

}  // namespace manyverbs
