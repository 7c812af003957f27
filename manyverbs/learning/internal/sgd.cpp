// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/sgd.h"

#include <ATen/ATen.h>

namespace manyverbs {

Sgd::Sgd(std::vector<at::Tensor> parameters, const SgdSettings& settings)
    : parameters_(std::move(parameters)), settings_(settings) {
  for (const at::Tensor& parameter : parameters_) {
    momenta.push_back(at::zeros_like(parameter.detach()));
  }
}

void Sgd::step(double learning_rate) {
  const at::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& parameter = parameters_[i];
    if (!parameter.grad().defined()) continue;
    momenta[i].mul_(settings_.momentum).add_(parameter.grad());
    momenta[i].add_(parameter, settings_.weight_decay);
    parameter.add_(momenta[i], -learning_rate);
    parameter.mutable_grad().reset();
  }
}

}  // namespace manyverbs
