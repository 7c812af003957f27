// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/labels/targets.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// Where the batches of n shuffled clips begin and end. Batch norm needs two clips, so a last clip
/// on its own joins the batch before it; the released code drops every last batch that is not full.
/// 5 clips in batches of 2: {0, 2}, {2, 5}; released {0, 2}, {2, 4}.
std::vector<std::pair<std::size_t, std::size_t>> batch_ranges(std::size_t n, std::size_t batch,
                                                              Recipe recipe);

/// The rows of a matrix that a batch is about.
LabelMatrix target_rows(const LabelMatrix& targets, std::span<const int> rows);

/// Backpropagates a loss, its gradient times `scale`, from raw scores, N x C that require
/// gradients, with one row of targets each. Returns the loss itself, not scaled.
double backward(const at::Tensor& scores, const LabelMatrix& targets, const Loss& loss,
                const RunSettings& settings, double scale = 1);

}  // namespace manyverbs
