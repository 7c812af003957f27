// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/labels/targets.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// The begin and end of the batches of n clips. Batch norm needs two clips, so a single last clip
/// is added to the previous batch; the released recipe drops an incomplete last batch. 5 clips in
/// batches of 2: {0, 2}, {2, 5}; released: {0, 2}, {2, 4}.
std::vector<std::pair<std::size_t, std::size_t>> batch_ranges(std::size_t n, std::size_t batch,
                                                              Recipe recipe);

/// The targets of the given rows.
LabelMatrix target_rows(const LabelMatrix& targets, std::span<const int> rows);
/// The rows of both, with the same number of classes.
LabelMatrix stacked(const LabelMatrix& first, const LabelMatrix& second);

/// What the loss of a run is computed from in an epoch. The arguments must exist as long as it.
LossInput loss_input(const Matrix<float>& scores, const LabelMatrix& targets,
                     const RunSettings& settings, int epoch);

/// Backpropagates the gradient of a loss, times `scale`, from raw scores, N x C with gradients.
/// `compute` returns the loss of the scores and writes the gradient. Returns the loss, not scaled.
double backward(
    const at::Tensor& scores,
    const std::function<double(const Matrix<float>& scores, Matrix<float>* gradient)>& compute,
    double scale = 1);

}  // namespace manyverbs
