// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "manyverbs/knn/internal/bounded_products.h"
#include "manyverbs/knn/internal/candidates.h"

namespace manyverbs::knn_internal {

/// A panel is the number of rows in memory at a time, so that tables larger than memory can be
/// searched. Panels are divided into tiles, and each pair of tiles is one matrix product. A search
/// within one list computes each pair of clips once and uses it for both.

/// For each clip, the positions of `width` candidates, without the clip itself.
CandidateLists candidates_within(const BoundedProducts& products, std::span<const ClipRow> clips,
                                 std::size_t width, std::size_t panel_bytes);

/// For each query, the positions of `width` candidates in `clips`.
CandidateLists candidates_of(const BoundedProducts& products, std::span<const ClipRow> queries,
                             std::span<const ClipRow> clips, std::size_t width,
                             std::size_t panel_bytes);

}  // namespace manyverbs::knn_internal
