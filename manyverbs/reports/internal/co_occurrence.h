// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Co-occurrence of classes on clips, as in the supplementary material of the paper.

/// An order of the rows of a symmetric similarity matrix in which similar rows are adjacent.
/// Average-linkage clustering merges the most similar clusters first; when two clusters are merged,
/// each is reversed if that makes the adjacent ends more similar. Deterministic. Rows 0 and 2, and
/// 1 and 3 similar, nothing else: {0, 2, 1, 3}.
std::vector<int> block_order(const Matrix<double>& similarity);

struct CoOccurrenceMatrix {
  std::vector<ClassId> order;  ///< the classes shown, in block_order()
  /// shares(i, j): the share of clips with order[i] that also have order[j]; 1 on the diagonal.
  Matrix<double> shares;
  int left_out =
      0;  ///< classes that never co-occur, or are not among the `most` with the most co-occurrences
};
/// Sets {cut, peel}, {cut}, {cut, peel} and {wash}: cut and peel are shown, cut -> peel 2/3, peel
/// -> cut 1; wash is left out.
CoOccurrenceMatrix co_occurrence_matrix(std::span<const std::vector<ClassId>> sets, int num_classes,
                                        std::size_t most = 120);

}  // namespace manyverbs
