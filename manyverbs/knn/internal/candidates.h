// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "manyverbs/knn/internal/bounded_products.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs::knn_internal {

/// Candidates: for each query, the clips whose bounds on the distance are smallest.

/// One heap per query, the largest bound on top. Safe to use from several threads.
class CandidateLists {
 public:
  CandidateLists(std::size_t queries, std::size_t width);

  std::size_t width() const { return heaps_.columns(); }

  /// Takes `products` of all `queries` (rows) with all `clips` (columns). With `within`, both are
  /// from the same list, and a clip is not a candidate of itself.
  void offer(const Tile& queries, const Tile& clips, const float* products, bool within);
  /// The same with queries as columns and clips as rows of `products`.
  void offer_transposed(const Tile& queries, const Tile& clips, const float* products);

  struct Candidate {
    double bound;  ///< the squared distance is at least this; other clips have a larger bound
    std::int32_t place;
  };
  /// The candidates of a query, smallest bound first.
  std::vector<Candidate> sorted(std::size_t query) const;

 private:
  struct Entry {
    float key;  ///< bound minus the floor of the query, which is the same for all candidates
    std::int32_t place;

    bool operator<(const Entry& other) const { return key < other.key; }
  };

  float largest_key(std::size_t query) const { return heaps_(query, 0).key; }
  void insert(std::size_t query, float key, std::size_t clip);

  Matrix<Entry> heaps_;
  std::vector<float> floors_;
  std::vector<std::mutex> tile_locks_;
};

/// Writes the indices j < count with products[j] + floors[j] <= limit, in order; returns their
/// number.
std::size_t places_within(const float* products, const float* floors, float limit,
                          std::size_t count, std::int32_t* places);

}  // namespace manyverbs::knn_internal
