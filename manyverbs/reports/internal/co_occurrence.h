// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Which classes stand together on clips, as the paper's supplementary figure shows it.

/// An order of the rows of a symmetric matrix in which what is alike stands together: clusters are
/// joined by their average likeness, most alike first, each turned so that the ends that meet are
/// most alike. The same matrix gives the same order. Likeness of 0 and 2, and of 1 and 3, nothing
/// else: {0, 2, 1, 3}.
std::vector<int> block_order(const Matrix<double>& likeness);

struct CoOccurrenceMatrix {
  std::vector<ClassId> order;  ///< the classes shown, so that blocks show
  /// shares(i, j): of the clips with order[i], the share with order[j] as well; 1 on the diagonal.
  Matrix<double> shares;
  int left_out = 0;  ///< classes that never stand with another, or less often than `most` others
};
/// Sets {cut, peel}, {cut}, {cut, peel} and {wash} show cut and peel: cut -> peel 2/3, peel -> cut
/// 1, and wash is left out.
CoOccurrenceMatrix co_occurrence_matrix(std::span<const std::vector<ClassId>> sets, int num_classes,
                                        std::size_t most = 120);

}  // namespace manyverbs
