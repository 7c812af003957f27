// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/sgd.h"

#include <set>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "manyverbs/learning/internal/batch.h"
#include "tests/learning/golden.h"
#include "tests/learning/loss_settings.h"
#include "tests/learning/targets.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"

namespace manyverbs {
namespace {

void give_gradient(at::Tensor parameter, float gradient) {
  parameter.mutable_grad() = at::full_like(parameter.detach(), gradient);
}

// By hand: 0.5 + 0.1 * 1 = 0.6 changes 1 to 0.94; 0.9 * 0.6 + 0.5 + 0.1 * 0.94 = 1.134 changes it
// to 0.8266.
TEST(Sgd, HasTheWeightDecayAndMomentumOfPyTorch) {
  const at::Tensor parameter = tensor_of({1}, {1}).requires_grad_(true);
  Sgd sgd({parameter}, {.momentum = 0.9, .weight_decay = 0.1});
  give_gradient(parameter, 0.5F);
  sgd.step(0.1);
  expect_near(values_of(parameter), {0.94F}, 1e-6, "first step");
  give_gradient(parameter, 0.5F);
  sgd.step(0.1);
  expect_near(values_of(parameter), {0.8266F}, 1e-6, "second step");
  expect_near(values_of(sgd.momenta[0]), {1.134F}, 1e-6, "momentum");
}

TEST(Sgd, SkipsParametersWithoutAGradient) {
  const at::Tensor parameter = tensor_of({1, 2}, {2}).requires_grad_(true);
  Sgd sgd({parameter}, {});
  sgd.step(0.1);
  EXPECT_EQ(values_of(parameter), (std::vector<float>{1, 2}));
  give_gradient(parameter, 1);
  sgd.step(0.1);
  EXPECT_FALSE(parameter.grad().defined());
}

// As in `finetune`: the weights of a linear model after each step, compared with an optimiser in
// Python.
void expect_golden_steps(const Json& golden, const Json& entry) {
  const at::Tensor weights = tensor_of(floats_of(golden["start"]), {5, 2}).requires_grad_(true);
  const at::Tensor clips = tensor_of(floats_of(golden["clips"]), {3, 2});
  const LabelMatrix targets = targets_of(entry["targets"]);
  const Loss& loss = find_loss(entry["loss"].get<std::string>());
  RunSettings settings;
  settings.epochs = golden["epochs"];
  settings.loss_settings = loss_settings_of(golden);
  settings.recipe = entry["recipe"] == "released" ? Recipe::Released : Recipe::Paper;
  Sgd sgd({weights}, {.momentum = golden["momentum"], .weight_decay = golden["weight_decay"]});
  int step = 0;
  for (const Json& expected : entry["steps"]) {
    backward(
        clips.matmul(weights.t()),
        [&](const Matrix<float>& scores, Matrix<float>* gradient) {
          return loss.compute(loss_input(scores, targets, settings, golden["epoch"]), gradient);
        },
        gradient_scale(loss, settings.recipe, 5));
    sgd.step(golden["learning_rate"]);
    expect_near(values_of(weights), floats_of(expected), 2e-6,
                fmt::format("{}, {}, step {}", loss.title, entry["recipe"].dump(), ++step));
  }
}

TEST(Sgd, StepsOfEveryLossWithoutMemoryEqualThoseOfAnIndependentOptimiser) {
  const Json golden = read_golden("end_to_end");
  std::multiset<std::string> compared;
  for (const Json& entry : golden["cases"]) {
    expect_golden_steps(golden, entry);
    compared.insert(entry["loss"].get<std::string>());
  }
  for (const Loss& loss : all_losses()) {
    const bool on_clips = loss.memory == nullptr && !loss.cross_fitted;
    EXPECT_EQ(compared.count(std::string(loss.name)), on_clips ? 2 : 0) << loss.name;
  }
}

}  // namespace
}  // namespace manyverbs
