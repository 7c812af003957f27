// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace manyverbs {

struct SgdSettings {
  double momentum = 0.9;
  double weight_decay = 5e-4;
};

/// Stochastic gradient descent with momentum, equal to that of PyTorch:
/// g += weight_decay * parameter; m = momentum * m + g; parameter -= learning_rate * m.
class Sgd {
 public:
  /// Parameters must be float. Steps change them in place.
  Sgd(std::vector<at::Tensor> parameters, const SgdSettings& settings);

  /// Updates each parameter by its grad() and resets it. Parameters without a gradient are
  /// unchanged.
  void step(double learning_rate);

  /// The state to store for resuming, one per parameter.
  std::vector<at::Tensor> momenta;

 private:
  std::vector<at::Tensor> parameters_;
  SgdSettings settings_;
};

}  // namespace manyverbs
