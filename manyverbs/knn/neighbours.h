// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "manyverbs/dataset/feature_table.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Nearest neighbours: the K most similar clips of each clip, nearest first.
///
/// Exact: distances are computed in double from the features, and equal distances are ordered by
/// the position in the list of clips. The result does not depend on the number of threads, and the
/// first k columns of a result for K are the result for k. The table may be larger than memory. In
/// the examples the table has one column, {0, 1, 3, 7, 8}.

enum class Metric {
  Euclidean,  ///< as in the released code of the paper
  Cosine,     ///< 1 - cosine of the angle; 1 for rows of zeros
};
std::string_view metric_name(Metric metric);
/// Throws Error for other names, with a suggestion.
Metric find_metric(std::string_view name);

struct Neighbours {
  Matrix<ClipRow> clips;    ///< row i: the nearest rows of the table to query i, nearest first
  Matrix<float> distances;  ///< of the same shape, ascending in each row
};

/// The k nearest of `clips` (rows of the table) to each of them. A clip is never its own neighbour,
/// but a duplicate of it can be. Row i belongs to clips[i]. Throws Error unless k is below
/// clips.size(). All five clips and k = 2 give {{1, 2}, {0, 2}, {1, 0}, {4, 2}, {3, 2}}.
Neighbours neighbours_within(const FeatureTable& table, std::span<const ClipRow> clips, int k,
                             Metric metric);

/// The k nearest of `clips` to each of `queries`, which are other rows of the table. Throws Error
/// unless k is at most clips.size(). Queries {2}, clips {0, 3, 4} and k = 2 give {{0, 3}}.
Neighbours neighbours_of(const FeatureTable& table, std::span<const ClipRow> queries,
                         std::span<const ClipRow> clips, int k, Metric metric);

}  // namespace manyverbs
