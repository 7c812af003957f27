// SPDX-License-Identifier: MIT
#include "manyverbs/labels/targets.h"

#include <algorithm>

namespace manyverbs {

LabelMatrix label_sets(std::span<const std::vector<ClassId>> sets, int num_classes) {
  LabelMatrix matrix(sets.size(), num_classes);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const ClassId label : sets[i]) matrix(i, label) = Label::Present;
  }
  return matrix;
}

bool has_several_labels(const LabelMatrix& labels) {
  for (std::size_t i = 0; i < labels.rows(); ++i) {
    const auto row = labels.row(i);
    if (std::count(row.begin(), row.end(), Label::Present) > 1) return true;
  }
  return false;
}

}  // namespace manyverbs
