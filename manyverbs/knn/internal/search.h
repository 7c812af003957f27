// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "manyverbs/knn/neighbours.h"

namespace manyverbs::knn_internal {

/// The implementation of neighbours.h, with settings and counts for tests and benchmarks.
///
///   products -> candidates, smallest bounds first -> exact distances, until a bound exceeds the
///   k-th
///
/// If the candidates of a query are not sufficient (many duplicates or ties), it is compared again
/// with every clip whose bound allows it. So the result always equals that of a search which
/// compares everything in double.

struct SearchSettings {
  std::size_t spare_candidates = 16;       ///< in addition to k, per query
  std::size_t panel_bytes = 512UL << 20U;  ///< size of a panel; there are two
};

struct SearchResult {
  Neighbours neighbours;
  std::size_t exact_distances = 0;   ///< number computed in double
  std::size_t repeated_queries = 0;  ///< queries that were compared again
};

SearchResult search_within(const FeatureTable& table, std::span<const ClipRow> clips, int k,
                           Metric metric, const SearchSettings& settings = {});
SearchResult search_of(const FeatureTable& table, std::span<const ClipRow> queries,
                       std::span<const ClipRow> clips, int k, Metric metric,
                       const SearchSettings& settings = {});

}  // namespace manyverbs::knn_internal
