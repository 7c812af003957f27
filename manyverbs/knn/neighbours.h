// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "manyverbs/dataset/feature_table.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Nearest neighbours: for each clip, the K clips most like it, nearest first.
///
/// Exact: distances are taken in double from the features themselves, and equal distances are
/// ordered by the clip's place in the list. The answer is the same whatever the number of threads,
/// and the first k columns of an answer for K are the answer for k. The table may be larger than
/// memory. In the examples the table has one column, {0, 1, 3, 7, 8}.

enum class Metric {
  Euclidean,  ///< length of the difference, as in the paper's released code
  Cosine,     ///< 1 - cosine of the angle; 1 where a row is all zeros
};
std::string_view metric_name(Metric metric);
/// Throws Error with the nearest spelling.
Metric find_metric(std::string_view name);

struct Neighbours {
  Matrix<std::int32_t> clips;  ///< row i: the rows of the table most like query i, nearest first
  Matrix<float> distances;     ///< of the same shape, rising along each row
};

/// The k nearest of `clips` (rows of the table) to each of them; itself is never among them, a
/// duplicate of it may be. Row i belongs to clips[i]. Throws Error unless k is below clips.size().
/// All five clips and k = 2 give {{1, 2}, {0, 2}, {1, 0}, {4, 2}, {3, 2}}.
Neighbours neighbours_within(const FeatureTable& table, std::span<const int> clips, int k,
                             Metric metric);

/// The k nearest of `clips` to each of `queries`, which are other rows of the table. Throws Error
/// unless k is at most clips.size(). Queries {2}, clips {0, 3, 4} and k = 2 give {{0, 3}}.
Neighbours neighbours_of(const FeatureTable& table, std::span<const int> queries,
                         std::span<const int> clips, int k, Metric metric);

}  // namespace manyverbs
