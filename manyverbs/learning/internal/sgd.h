// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace manyverbs {

struct SgdSettings {
  double momentum = 0.9;
  double weight_decay = 5e-4;
};

/// Stochastic gradient descent with momentum, with the numbers of PyTorch's: the slope gets
/// weight_decay times the parameter added, the momentum becomes momentum times itself plus that,
/// and the parameter moves against it.
class Sgd {
 public:
  /// Parameters are float; steps change them in place.
  Sgd(std::vector<at::Tensor> parameters, const SgdSettings& settings);

  /// Moves each parameter against its grad(), and forgets that. Parameters without one stay.
  void step(double learning_rate);

  /// What must be kept to go on later, one for each parameter.
  std::vector<at::Tensor> momenta;

 private:
  std::vector<at::Tensor> parameters_;
  SgdSettings settings_;
};

}  // namespace manyverbs
