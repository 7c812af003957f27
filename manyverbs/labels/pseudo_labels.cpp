// SPDX-License-Identifier: MIT
#include "manyverbs/labels/pseudo_labels.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

constexpr std::array<PseudoLabelMethod, 3> kMethods = {
    PseudoLabelMethod::Instance, PseudoLabelMethod::Class, PseudoLabelMethod::Ideal};

constexpr std::size_t kClipsAPiece = 256;

double share_or_nan(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return SuggestionQuality::kUndefined;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// The number of sets with both i and j; with i on the diagonal.
Matrix<int> joint_counts(std::span<const std::vector<ClassId>> sets, int num_classes) {
  Matrix<int> counts(num_classes, num_classes);
  for (const std::vector<ClassId>& set : sets) {
    for (const ClassId i : set) {
      for (const ClassId j : set) ++counts(i, j);
    }
  }
  return counts;
}

bool contains(const std::vector<ClassId>& classes, ClassId wanted) {
  return std::find(classes.begin(), classes.end(), wanted) != classes.end();
}

}  // namespace

Matrix<int> votes(const Matrix<ClipRow>& neighbours, std::span<const ClassId> label_of,
                  int num_classes) {
  Matrix<int> counts(neighbours.rows(), num_classes);
  parallel_for(neighbours.rows(), kClipsAPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const ClipRow neighbour : neighbours.row(i)) ++counts(i, label_of[index(neighbour)]);
    }
  });
  return counts;
}

Suggestions instance_level(const Matrix<int>& votes, std::span<const ClassId> labels, double tau) {
  assert(votes.rows() == labels.size());
  Suggestions suggestions(votes.rows());
  parallel_for(votes.rows(), kClipsAPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const int> counts = votes.row(i);
      const double k = std::accumulate(counts.begin(), counts.end(), 0);
      for (ClassId j = 0; j < static_cast<ClassId>(counts.size()); ++j) {
        if (counts[j] > 0 && j != labels[i] && counts[j] / k > tau) suggestions[i].push_back(j);
      }
    }
  });
  return suggestions;
}

Suggestions class_level(std::span<const std::vector<ClassId>> sets, std::span<const ClassId> labels,
                        int num_classes, Together together) {
  const Matrix<int> joint = joint_counts(sets, num_classes);
  Suggestions of_class(num_classes);
  for (ClassId i = 0; i < num_classes; ++i) {
    for (ClassId j = 0; j < num_classes; ++j) {
      const int twice = 2 * joint(i, j);
      const bool often =
          together == Together::AtLeastHalf ? twice >= joint(i, i) : twice > joint(i, i);
      if (i != j && joint(i, j) > 0 && often) of_class[i].push_back(j);
    }
  }
  Suggestions suggestions;
  suggestions.reserve(labels.size());
  for (const ClassId label : labels) suggestions.push_back(of_class[label]);
  return suggestions;
}

Suggestions ideal(std::span<const std::vector<ClassId>> truth, std::span<const ClassId> labels) {
  assert(truth.size() == labels.size());
  Suggestions suggestions(truth.begin(), truth.end());
  for (std::size_t i = 0; i < suggestions.size(); ++i) {
    std::erase(suggestions[i], labels[i]);
    std::sort(suggestions[i].begin(), suggestions[i].end());
  }
  return suggestions;
}

LabelMatrix targets(const Suggestions& suggestions, std::span<const ClassId> labels,
                    int num_classes, Label suggested) {
  assert(suggestions.size() == labels.size());
  LabelMatrix matrix(labels.size(), num_classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const ClassId label : suggestions[i]) matrix(i, label) = suggested;
    matrix(i, labels[i]) = Label::Present;
  }
  return matrix;
}

SuggestionQuality suggestion_quality(const Suggestions& suggestions,
                                     std::span<const std::vector<ClassId>> truth,
                                     std::span<const ClassId> labels) {
  assert(suggestions.size() == labels.size() && truth.size() == labels.size());
  int known = 0;
  std::int64_t all = 0;      // suggestions for all clips
  std::int64_t checked = 0;  // suggestions for clips with known ground truth
  std::int64_t hidden = 0;
  std::int64_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    all += static_cast<std::int64_t>(suggestions[i].size());
    if (truth[i].empty()) continue;
    ++known;
    checked += static_cast<std::int64_t>(suggestions[i].size());
    for (const ClassId label : truth[i]) {
      if (label == labels[i]) continue;
      ++hidden;
      if (contains(suggestions[i], label)) ++right;
    }
  }
  return {share_or_nan(right, checked), share_or_nan(right, hidden),
          share_or_nan(all, static_cast<std::int64_t>(labels.size())), known};
}

std::string_view method_name(PseudoLabelMethod method) {
  switch (method) {
    case PseudoLabelMethod::Instance:
      return "instance";
    case PseudoLabelMethod::Class:
      return "class";
    case PseudoLabelMethod::Ideal:
      return "ideal";
  }
  return "";
}

PseudoLabelMethod find_method(std::string_view name) {
  std::vector<std::string> names;
  for (const PseudoLabelMethod method : kMethods) {
    if (method_name(method) == name) return method;
    names.emplace_back(method_name(method));
  }
  throw Error("expected the pseudo-label method instance, class or ideal, found '{}'{}", name,
              did_you_mean(name, names));
}

}  // namespace manyverbs
