// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "manyverbs/features/internal/clip_source.h"
#include "manyverbs/features/internal/folded_tsm.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// The outputs of a network for clips in their test views: one row per clip, in memory. Each core
/// processes one clip at a time. Throws Error if a clip cannot be read.
/// With `problems`, unreadable clips are appended to it, in order, and their rows are zero.

/// Has feature_columns() columns.
Matrix<float> clip_features(const FoldedTsm& network, const ClipSource& source,
                            std::span<const ClipRow> clips,
                            std::vector<ClipProblem>* problems = nullptr);
/// Raw scores, one column per class.
Matrix<float> clip_scores(const FoldedTsm& network, const ClipSource& source,
                          std::span<const ClipRow> clips,
                          std::vector<ClipProblem>* problems = nullptr);

}  // namespace manyverbs
