// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "manyverbs/knn/neighbours.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// Normally distributed numbers around `offset`, like outputs of a network.
inline Matrix<float> random_rows(std::size_t rows, std::size_t columns, double offset = 0,
                                 std::uint64_t seed = 1) {
  Random random(seed);
  Matrix<float> matrix(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (float& value : matrix.row(i)) value = static_cast<float>(offset + random.normal());
  }
  return matrix;
}

inline long double brute_distance(std::span<const float> a, std::span<const float> b,
                                  Metric metric) {
  long double squares = 0;
  long double product = 0;
  long double a_square = 0;
  long double b_square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double difference = static_cast<long double>(a[i]) - b[i];
    squares += difference * difference;
    product += static_cast<long double>(a[i]) * b[i];
    a_square += static_cast<long double>(a[i]) * a[i];
    b_square += static_cast<long double>(b[i]) * b[i];
  }
  if (metric == Metric::Euclidean) return std::sqrt(squares);
  if (a_square == 0 || b_square == 0) return 1;
  return 1 - product / std::sqrt(a_square * b_square);
}

/// The k nearest of `clips` to each query, by comparing all pairs; a query is not its own
/// neighbour.
inline Neighbours brute_neighbours(const Matrix<float>& rows, const std::vector<ClipRow>& queries,
                                   const std::vector<ClipRow>& clips, int k, Metric metric) {
  Neighbours neighbours{Matrix<ClipRow>(queries.size(), k), Matrix<float>(queries.size(), k)};
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::vector<std::pair<long double, ClipRow>> order;
    for (const ClipRow clip : clips) {
      if (clip == queries[i]) continue;
      order.emplace_back(brute_distance(rows.row(index(queries[i])), rows.row(index(clip)), metric),
                         clip);
    }
    std::sort(order.begin(), order.end());
    for (int j = 0; j < k; ++j) {
      neighbours.clips(i, j) = order[j].second;
      neighbours.distances(i, j) = static_cast<float>(order[j].first);
    }
  }
  return neighbours;
}

inline void expect_same(const Neighbours& found, const Neighbours& right) {
  ASSERT_EQ(found.clips, right.clips);
  ASSERT_EQ(found.distances.rows(), right.distances.rows());
  ASSERT_EQ(found.distances.columns(), right.distances.columns());
  for (std::size_t i = 0; i < right.distances.rows(); ++i) {
    for (std::size_t j = 0; j < right.distances.columns(); ++j) {
      ASSERT_NEAR(found.distances(i, j), right.distances(i, j),
                  1e-12 + 2e-7 * right.distances(i, j))
          << "row " << i << ", neighbour " << j;
    }
  }
}

}  // namespace manyverbs
