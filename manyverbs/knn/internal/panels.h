// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "manyverbs/knn/internal/bounded_products.h"
#include "manyverbs/knn/internal/candidates.h"

namespace manyverbs::knn_internal {

/// Panels: as many rows as may be in memory at a time, so that a table larger than memory can be
/// searched. Two panels are cut into tiles, and each pair of tiles is one matrix product. A search
/// within one list computes each pair of clips once and lets both learn from it.

/// The places of `width` clips for each of them, itself left out.
CandidateLists candidates_within(const BoundedProducts& products, std::span<const ClipRow> clips,
                                 std::size_t width, std::size_t panel_bytes);

/// The places of `width` of `clips` for each of `queries`.
CandidateLists candidates_of(const BoundedProducts& products, std::span<const ClipRow> queries,
                             std::span<const ClipRow> clips, std::size_t width,
                             std::size_t panel_bytes);

}  // namespace manyverbs::knn_internal
