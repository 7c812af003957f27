// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace manyverbs {

struct AdamSettings {
  double learning_rate = 5e-6;  ///< of the first steps; see Adam::learning_rate
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// The Adam optimiser (Kingma & Ba 2015), equal to that of PyTorch. On the CPU, a step is one pass
/// over parameters, moments and gradients; on other devices it uses tensor operations.
class Adam {
 public:
  /// Parameters must be float. Steps change them in place.
  Adam(std::vector<at::Tensor> parameters, const AdamSettings& settings);

  /// Updates each parameter by its grad() and resets it. Parameters without a gradient are
  /// unchanged.
  void step();

  /// Updates the weight of a linear layer, parameter number `place`, by the gradient
  /// output_gradient^T inputs (both have one row per clip), as the next step() updates the others.
  /// On the CPU the gradient is computed and used in blocks that fit in the cache, never as a
  /// whole.
  void step_weight(std::size_t place, const at::Tensor& output_gradient, const at::Tensor& inputs);

  /// May be changed between steps.
  double learning_rate;

  /// The state to store for resuming: number of steps, and the two moments of each parameter.
  std::int64_t steps = 0;
  std::vector<at::Tensor> first_moments;
  std::vector<at::Tensor> second_moments;

 private:
  std::vector<at::Tensor> parameters_;
  AdamSettings settings_;
};

}  // namespace manyverbs
