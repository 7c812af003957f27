// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace manyverbs {

struct AdamSettings {
  double learning_rate = 5e-6;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// The Adam optimiser (Kingma & Ba 2015), with the numbers of PyTorch's. On the CPU each step is
/// one pass over parameters, moments and gradients; elsewhere it is made of tensor operations.
class Adam {
 public:
  /// Parameters are float; steps change them in place.
  Adam(std::vector<at::Tensor> parameters, const AdamSettings& settings);

  /// Moves each parameter against its grad(), and forgets that. Parameters without one stay.
  void step();

  /// Moves the parameter at a place as the next step() will move the others, by the gradient
  /// output_gradient^T inputs of a linear layer's weight, with one row a clip in both. On the CPU
  /// the gradient is taken piece by piece and used while it is in the cache; it never is in memory
  /// as a whole.
  void step_weight(std::size_t place, const at::Tensor& output_gradient, const at::Tensor& inputs);

  /// What must be kept to go on later: steps taken, and the two moments of each parameter.
  std::int64_t steps = 0;
  std::vector<at::Tensor> first_moments;
  std::vector<at::Tensor> second_moments;

 private:
  std::vector<at::Tensor> parameters_;
  AdamSettings settings_;
};

}  // namespace manyverbs
