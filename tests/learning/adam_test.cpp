// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/adam.h"

#include "tests/learning/golden.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"

namespace manyverbs {
namespace {

const std::vector<std::vector<std::int64_t>> kShapes = {{3, 4}, {5}};

std::vector<at::Tensor> golden_parameters(const Json& golden) {
  std::vector<at::Tensor> parameters;
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    parameters.push_back(tensor_of(floats_of(golden["start"][i]), kShapes[i]).requires_grad_(true));
  }
  return parameters;
}

TEST(Adam, TenStepsEqualThoseOfPyTorch) {
  const Json golden = read_golden("adam");
  const std::vector<at::Tensor> parameters = golden_parameters(golden);
  Adam adam(parameters, {.learning_rate = golden["learning_rate"]});
  for (const Json& step : golden["steps"]) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i].mutable_grad() = tensor_of(floats_of(step["gradients"][i]), kShapes[i]);
    }
    adam.step();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      expect_near(values_of(parameters[i]), floats_of(step["parameters"][i]), 2e-7,
                  fmt::format("parameter {} after step {}", i, adam.steps));
    }
  }
  EXPECT_EQ(adam.steps, 10);
}

// In the first step the corrected moments are g and g^2, so each parameter changes by the rate.
TEST(Adam, TheFirstStepIsTheLearningRateAgainstTheGradient) {
  const at::Tensor parameter = at::zeros({3}).requires_grad_(true);
  Adam adam({parameter}, {.learning_rate = 0.5});
  parameter.mutable_grad() = tensor_of({3, -0.01F, 0}, {3});
  adam.step();
  expect_near(values_of(parameter), {-0.5F, 0.5F, 0}, 1e-6, "parameter");
}

TEST(Adam, AStepResetsGradientsAndSkipsParametersWithoutOne) {
  const at::Tensor moved = at::ones({2}).requires_grad_(true);
  const at::Tensor stays = at::ones({2}).requires_grad_(true);
  Adam adam({moved, stays}, {.learning_rate = 0.1});
  moved.mutable_grad() = at::ones({2});
  adam.step();
  EXPECT_FALSE(moved.grad().defined());
  EXPECT_NE(values_of(moved), (std::vector<float>{1, 1}));
  EXPECT_EQ(values_of(stays), (std::vector<float>{1, 1}));
  const std::vector<float> after = values_of(moved);
  adam.step();
  EXPECT_EQ(values_of(moved), after);
}

// A transposed matrix is not contiguous, so tensor operations are used.
TEST(Adam, OnePassAndTensorOperationsAreEqual) {
  const at::Tensor start = random_tensor(1, {4, 3});
  const at::Tensor straight = start.clone().requires_grad_(true);
  const at::Tensor turned = start.t().contiguous().t().requires_grad_(true);
  ASSERT_FALSE(turned.is_contiguous());
  Adam adam({straight, turned}, {.learning_rate = 0.01});
  for (int step = 1; step <= 10; ++step) {
    straight.mutable_grad() = random_tensor(1 + step, {4, 3});
    turned.mutable_grad() = straight.grad().clone();
    adam.step();
  }
  expect_near(values_of(straight), values_of(turned), 1e-6, "parameter");
  expect_near(values_of(adam.first_moments[0]), values_of(adam.first_moments[1]), 1e-6, "first");
  expect_near(values_of(adam.second_moments[0]), values_of(adam.second_moments[1]), 1e-6, "second");
}

TEST(Adam, IsBitIdenticalForAnyNumberOfThreads) {
  const auto result = [](int threads) {
    set_num_threads(threads);
    const at::Tensor parameter = random_tensor(1, {200001}).requires_grad_(true);
    Adam adam({parameter}, {.learning_rate = 0.01});
    parameter.mutable_grad() = random_tensor(2, {200001});
    adam.step();
    set_num_threads(1);
    return values_of(parameter);
  };
  EXPECT_EQ(result(1), result(3));
}

// 300 rows are two complete blocks and a part; for gradients that are not contiguous, tensor
// operations are used.
TEST(Adam, AWeightUpdatedInPiecesEqualsOneUpdatedByItsGradient) {
  const at::Tensor gradients = random_tensor(3, {5, 300});
  const at::Tensor inputs = random_tensor(4, {5, 7});
  std::vector<at::Tensor> weights;
  for (int i = 0; i < 3; ++i) weights.push_back(random_tensor(1, {300, 7}).requires_grad_(true));
  Adam adam(weights, {.learning_rate = 0.01});
  for (int step = 0; step < 3; ++step) {
    adam.step_weight(0, gradients, inputs);
    adam.step_weight(1, gradients.t().contiguous().t(), inputs);
    weights[2].mutable_grad() = gradients.t().mm(inputs);
    adam.step();
  }
  expect_near(values_of(weights[0]), values_of(weights[2]), 1e-6, "pieces");
  expect_near(values_of(weights[1]), values_of(weights[2]), 1e-6, "whole");
  expect_near(values_of(adam.second_moments[0]), values_of(adam.second_moments[2]), 1e-6, "second");
}

TEST(Adam, ResumesFromItsState) {
  const auto gradient = [](int step) { return random_tensor(10 + step, {6}); };
  const at::Tensor whole = at::ones({6}).requires_grad_(true);
  Adam undisturbed({whole}, {.learning_rate = 0.1});
  const at::Tensor first = at::ones({6}).requires_grad_(true);
  Adam before({first}, {.learning_rate = 0.1});
  for (int step = 0; step < 3; ++step) {
    whole.mutable_grad() = gradient(step);
    first.mutable_grad() = gradient(step);
    undisturbed.step();
    before.step();
  }
  const at::Tensor second = first.detach().clone().requires_grad_(true);
  Adam after({second}, {.learning_rate = 0.1});
  after.steps = before.steps;
  after.first_moments[0].copy_(before.first_moments[0]);
  after.second_moments[0].copy_(before.second_moments[0]);
  whole.mutable_grad() = gradient(3);
  second.mutable_grad() = gradient(3);
  undisturbed.step();
  after.step();
  EXPECT_EQ(values_of(whole), values_of(second));
}

}  // namespace
}  // namespace manyverbs
