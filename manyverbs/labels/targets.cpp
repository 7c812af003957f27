// SPDX-License-Identifier: MIT
#include "manyverbs/labels/targets.h"

namespace manyverbs {

LabelMatrix single_labels(std::span<const ClassId> labels, int num_classes) {
  LabelMatrix matrix(labels.size(), num_classes);
  for (std::size_t i = 0; i < labels.size(); ++i) matrix(i, labels[i]) = Label::Present;
  return matrix;
}

LabelMatrix label_sets(std::span<const std::vector<ClassId>> sets, int num_classes) {
  LabelMatrix matrix(sets.size(), num_classes);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const ClassId label : sets[i]) matrix(i, label) = Label::Present;
  }
  return matrix;
}

}  // namespace manyverbs
