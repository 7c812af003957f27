// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace manyverbs {

/// The two products of a linear layer whose weight is far larger than its batch. A general matrix
/// product copies the weight into an order of its own and clears the gradient before it adds to it;
/// for 64 clips that costs as much as a third of the arithmetic. Here the weight, or its gradient,
/// goes through the cache once.
///
/// All matrices are contiguous, row by row: inputs are clips x columns, the weight rows x columns,
/// outputs and slopes clips x rows. Whatever the number of threads, the bits are the same.

struct LayerShape {
  std::size_t clips;
  std::size_t rows;     ///< outputs of the layer
  std::size_t columns;  ///< its inputs
};

/// outputs = inputs weight^T. Inputs {1, 2} and weight {{3, 4}, {5, 6}} give {11, 17}.
void layer_outputs(const LayerShape& shape, const float* inputs, const float* weight,
                   float* outputs);

/// Calls use(at, gradient, count) for pieces of slopes^T inputs that together make the whole of it,
/// from several threads: `count` values of the gradient that belong to the weight from position
/// `at` on. Slopes {1, 2} and inputs {3, 4} give {3, 4} at 0 and {6, 8} at 2. Arrays of the
/// weight's shape that `use` will need are brought into the cache during the arithmetic.
void for_weight_gradient(
    const LayerShape& shape, const float* slopes, const float* inputs,
    std::span<const float* const> needed,
    const std::function<void(std::size_t at, const float* gradient, std::size_t count)>& use);

}  // namespace manyverbs
