// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "manyverbs/features/internal/clip_source.h"
#include "manyverbs/features/internal/folded_tsm.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// The outputs of a network for the test views of clips, one row each, in memory; one clip per core
/// at a time. Throws Error when a clip cannot be read.

/// feature_columns() columns. With `problems`, clips that cannot be read are put there, in order,
/// and their rows are zero.
Matrix<float> clip_features(const FoldedTsm& network, const ClipSource& source,
                            std::span<const ClipRow> clips,
                            std::vector<ClipProblem>* problems = nullptr);
/// Raw scores, one column per class.
Matrix<float> clip_scores(const FoldedTsm& network, const ClipSource& source,
                          std::span<const ClipRow> clips);

}  // namespace manyverbs
