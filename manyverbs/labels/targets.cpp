// SPDX-License-Identifier: MIT
#include "manyverbs/labels/targets.h"

namespace manyverbs {

LabelMatrix label_sets(std::span<const std::vector<ClassId>> sets, int num_classes) {
  LabelMatrix matrix(sets.size(), num_classes);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const ClassId label : sets[i]) matrix(i, label) = Label::Present;
  }
  return matrix;
}

}  // namespace manyverbs
