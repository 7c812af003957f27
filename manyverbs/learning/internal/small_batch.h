// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace manyverbs {

/// The two products of a linear layer whose weight is much larger than its batch. A general matrix
/// product copies the weight into another order and clears the gradient before adding to it; for 64
/// clips this costs a third of the arithmetic. Here the weight, or its gradient, passes through the
/// cache once.
///
/// All matrices are contiguous and row-major: inputs are clips x columns, the weight rows x
/// columns, outputs and output gradients clips x rows. Results do not depend on the number of
/// threads.

struct LayerShape {
  std::size_t clips;
  std::size_t rows;     ///< outputs of the layer
  std::size_t columns;  ///< its inputs
};

/// outputs = inputs weight^T. Inputs {1, 2} and weight {{3, 4}, {5, 6}} give {11, 17}.
void layer_outputs(const LayerShape& shape, const float* inputs, const float* weight,
                   float* outputs);

/// Computes the gradient of the weight, output_gradient^T inputs, in pieces and calls
/// use(at, gradient, count) for each, from several threads: `count` values of the gradient, for the
/// weight from position `at` on. Output gradient {1, 2} and inputs {3, 4} give {3, 4} at 0 and {6,
/// 8} at 2. The arrays `needed`, of the shape of the weight, are prefetched for `use`.
void for_weight_gradient(
    const LayerShape& shape, const float* output_gradient, const float* inputs,
    std::span<const float* const> needed,
    const std::function<void(std::size_t at, const float* gradient, std::size_t count)>& use);

}  // namespace manyverbs
