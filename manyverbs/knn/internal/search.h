// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "manyverbs/knn/neighbours.h"

namespace manyverbs::knn_internal {

/// The search behind neighbours.h, with what its tests and benchmark want to set and to know.
///
///   products -> candidates, smallest bounds first -> exact distances, until a bound exceeds the
///   k-th
///
/// A query whose candidates run out before a bound does (many duplicates, many ties) is compared
/// again: with every clip whose bound allows it. So the answer is always that of a search which
/// compares everything in double.

struct SearchSettings {
  std::size_t spare_candidates = 16;       ///< kept beyond k for each query
  std::size_t panel_bytes = 512UL << 20U;  ///< rows held in memory at a time; there are two panels
};

struct SearchResult {
  Neighbours neighbours;
  std::size_t exact_distances = 0;   ///< taken in double
  std::size_t repeated_queries = 0;  ///< whose candidates did not suffice
};

SearchResult search_within(const FeatureTable& table, std::span<const ClipRow> clips, int k,
                           Metric metric, const SearchSettings& settings = {});
SearchResult search_of(const FeatureTable& table, std::span<const ClipRow> queries,
                       std::span<const ClipRow> clips, int k, Metric metric,
                       const SearchSettings& settings = {});

}  // namespace manyverbs::knn_internal
