// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "manyverbs/features/internal/clip_source.h"
#include "manyverbs/features/internal/folded_tsm.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// What a network makes of the test views of clips, a row each, in memory; one clip a core at a
/// time. Throws Error when a clip cannot be read.

/// feature_columns() columns.
Matrix<float> clip_features(const FoldedTsm& network, const ClipSource& source,
                            std::span<const int> clips);
/// Raw scores, a column a class.
Matrix<float> clip_scores(const FoldedTsm& network, const ClipSource& source,
                          std::span<const int> clips);

}  // namespace manyverbs
