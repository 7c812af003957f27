// SPDX-License-Identifier: MIT
#include "manyverbs/learning/sgd.h"

#include <ATen/ATen.h>

#include "tests/learning/tensors.h"
#include "tests/one_thread.h"

namespace manyverbs {
namespace {

void give_slope(at::Tensor parameter, float slope) {
  parameter.mutable_grad() = at::full_like(parameter.detach(), slope);
}

// By hand: 0.5 + 0.1 * 1 = 0.6 moves 1 to 0.94; 0.9 * 0.6 + 0.5 + 0.1 * 0.94 = 1.134 moves it to
// 0.8266.
TEST(Sgd, AddsWeightDecayAndMomentumAsPyTorchDoes) {
  const at::Tensor parameter = tensor_of({1}, {1}).requires_grad_(true);
  Sgd sgd({parameter}, {.momentum = 0.9, .weight_decay = 0.1});
  give_slope(parameter, 0.5F);
  sgd.step(0.1);
  expect_near(values_of(parameter), {0.94F}, 1e-6, "first step");
  give_slope(parameter, 0.5F);
  sgd.step(0.1);
  expect_near(values_of(parameter), {0.8266F}, 1e-6, "second step");
  expect_near(values_of(sgd.momenta[0]), {1.134F}, 1e-6, "momentum");
}

TEST(Sgd, LeavesParametersWithoutASlopeAlone) {
  const at::Tensor parameter = tensor_of({1, 2}, {2}).requires_grad_(true);
  Sgd sgd({parameter}, {});
  sgd.step(0.1);
  EXPECT_EQ(values_of(parameter), (std::vector<float>{1, 2}));
  give_slope(parameter, 1);
  sgd.step(0.1);
  EXPECT_FALSE(parameter.grad().defined());
}

}  // namespace
}  // namespace manyverbs
