// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/mlp.h"

#include <cmath>
#include <utility>

#include "manyverbs/features/internal/dropout.h"
#include "manyverbs/support/error.h"
#include "tests/learning/golden.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"

namespace manyverbs {
namespace {

// The network of tests/golden/mlp.py, with its weights.
Mlp golden_mlp(const Json& golden) {
  Mlp mlp({golden["inputs"], golden["hidden"].get<std::vector<int>>(), golden["classes"]}, 1);
  for (const auto& [name, tensor] : mlp.state()) {
    tensor.detach().copy_(tensor_of(floats_of(golden["start"][name]), tensor.sizes()));
  }
  return mlp;
}

at::Tensor matrix_of(const Json& json) {
  return tensor_of(floats_of(json), {static_cast<std::int64_t>(json.size()),
                                     static_cast<std::int64_t>(json[0].size())});
}

// Trains on the two batches of the golden file and compares scores and gradients.
void replay_training(const Json& golden, Mlp* mlp) {
  for (const char* key : {"training0", "training1"}) {
    const Json& training = golden[key];
    const at::Tensor scores = mlp->train_scores(matrix_of(training["batch"]));
    expect_near(values_of(scores), floats_of(training["scores"]), 1e-5, key);
    scores.backward(matrix_of(training["score_gradients"]));
    for (const auto& [name, tensor] : mlp->state()) {
      if (!tensor.requires_grad()) continue;
      expect_near(values_of(tensor.grad()), floats_of(training["gradients"][name]), 1e-5, name);
      tensor.mutable_grad().reset();
    }
  }
}

TEST(Mlp, OutputGradientsAndInputsOfLayersGiveTheGradientsOfTheirWeights) {
  Mlp plain({4, {3, 2}, 2}, 1);
  Mlp own_way({4, {3, 2}, 2}, 1);
  const at::Tensor batch = random_tensor(1, {6, 4});
  const at::Tensor above = random_tensor(2, {6, 2});
  std::vector<LayerGradient> layers;
  plain.train_scores(batch).backward(above);
  own_way.train_scores(batch, {}, &layers).backward(above);

  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : own_way.parameters()) gradients.push_back(parameter.grad());
  ASSERT_EQ(layers.size(), 3);
  for (const LayerGradient& layer : layers) {
    EXPECT_FALSE(gradients[layer.place].defined()) << layer.place;
    gradients[layer.place] = layer.output_gradient.t().mm(layer.inputs);
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    expect_near(values_of(gradients[i]), values_of(plain.parameters()[i].grad()), 1e-6,
                std::to_string(i));
  }
}

// The network that is member `number` of another one.
Mlp member_of(const Mlp& whole, int number) {
  MlpShape shape = whole.shape();
  const int members = std::exchange(shape.members, 1);
  for (int& size : shape.hidden) size /= members;
  Mlp member(shape, 1);
  const auto parts = whole.state();
  const auto tensors = member.state();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::int64_t rows = tensors[i].second.size(0);
    tensors[i].second.detach().copy_(
        parts[i].second.detach().slice(0, number * rows, (number + 1) * rows));
  }
  return member;
}

TEST(Mlp, MembersAreNetworksWhoseScoresAreAveraged) {
  const Mlp whole({4, {6, 9}, 2, 3}, 7);
  const at::Tensor batch = random_tensor(1, {5, 4});
  at::Tensor sum = at::zeros({5, 2});
  for (int i = 0; i < 3; ++i) sum += member_of(whole, i).scores(batch);
  expect_near(values_of(whole.scores(batch)), values_of(sum / 3), 1e-6, "scores");
}

TEST(Mlp, MembersThatDoNotDivideTheUnitsAreAnError) {
  EXPECT_THROW(Mlp({4, {6}, 2, 4}, 1), Error);
  EXPECT_THROW(Mlp({4, {6}, 2, 0}, 1), Error);
}

TEST(Mlp, MembersAreTrainedAsTheyWereAlone) {
  Mlp whole({4, {6, 9}, 2, 3}, 7);
  const at::Tensor batch = random_tensor(1, {5, 4});
  const at::Tensor above = random_tensor(2, {3 * 5, 2});
  std::vector<Mlp> members;
  for (int i = 0; i < 3; ++i) members.push_back(member_of(whole, i));
  std::vector<LayerGradient> layers;
  const at::Tensor scores = whole.train_scores(batch, {}, &layers);
  scores.backward(above);
  ASSERT_EQ(layers.size(), 1) << "only the first layer has no members";
  whole.parameters()[0].mutable_grad() = layers[0].output_gradient.t().mm(layers[0].inputs);

  for (int i = 0; i < 3; ++i) {
    const at::Tensor alone = members[i].train_scores(batch);
    expect_near(values_of(scores.slice(0, 5 * i, 5 * i + 5)), values_of(alone), 1e-6, "scores");
    alone.backward(above.slice(0, 5 * i, 5 * i + 5));
    for (std::size_t k = 0; k < whole.parameters().size(); ++k) {
      const at::Tensor gradient = members[i].parameters()[k].grad();
      const std::int64_t rows = gradient.size(0);
      expect_near(
          values_of(whole.parameters()[k].grad().slice(0, i * rows, (i + 1) * rows).contiguous()),
          values_of(gradient), 5e-5, std::to_string(k));
    }
    expect_near(values_of(member_of(whole, i).scores(batch)), values_of(members[i].scores(batch)),
                1e-6, "running statistics");
  }
}

// The gradient of the classifier has one column per hidden unit. Without dropout, it is 0 only for
// units that are 0 for all clips.
TEST(Mlp, DroppedUnitsDoNotReachTheClassifier) {
  const auto reached = [](const Dropout& dropout) {
    Mlp mlp({4, {64}, 2}, 1);
    mlp.train_scores(random_tensor(1, {2, 4}), dropout).backward(random_tensor(2, {2, 2}));
    return mlp.parameters()[4].grad().abs().amax(0).gt(0);
  };
  Random random(3);
  Random same(3);
  const at::Tensor kept = dropout_mask({2, 64}, 0.9, same).amax(0).gt(0);
  const at::Tensor all = reached({});
  EXPECT_TRUE(reached({0.9, &random}).eq(all.logical_and(kept)).all().item<bool>());
  EXPECT_GT(all.sum().item<int>(), 40);
  EXPECT_LT(kept.sum().item<int>(), 30);
}

TEST(Mlp, TrainsLikePyTorch) {
  const Json golden = read_golden("mlp");
  Mlp mlp = golden_mlp(golden);
  replay_training(golden, &mlp);
  ASSERT_EQ(mlp.state().size(), golden["end"].size());
  for (const auto& [name, tensor] : mlp.state()) {
    expect_near(values_of(tensor), floats_of(golden["end"][name]), 1e-5, name);
  }
}

TEST(Mlp, ScoresLikePyTorchWithRunningStatistics) {
  const Json golden = read_golden("mlp");
  Mlp mlp = golden_mlp(golden);
  replay_training(golden, &mlp);
  const Json& expected = golden["evaluation"];
  const at::Tensor batch = matrix_of(expected["batch"]);
  expect_near(values_of(mlp.hidden(batch)), floats_of(expected["hidden"]), 1e-5, "hidden");
  const at::Tensor scores = mlp.scores(batch);
  expect_near(values_of(scores), floats_of(expected["scores"]), 1e-5, "scores");
  EXPECT_FALSE(scores.requires_grad());
}

TEST(Mlp, ScoringDoesNotChangeTheStatistics) {
  const Json golden = read_golden("mlp");
  const Mlp mlp = golden_mlp(golden);
  mlp.scores(matrix_of(golden["evaluation"]["batch"]));
  for (const auto& [name, tensor] : mlp.state()) {
    EXPECT_EQ(values_of(tensor), floats_of(golden["start"][name])) << name;
  }
}

TEST(Mlp, InitialWeightsAreWithinOneOverTheRootOfTheirInputs) {
  const Mlp mlp({100, {50, 20}, 7}, 1);
  const auto expect_bound = [&](const std::string& name, double bound) {
    for (const auto& [found, tensor] : mlp.state()) {
      if (found != name) continue;
      const double largest = tensor.abs().max().item<float>();
      EXPECT_LE(largest, bound) << name;
      EXPECT_GT(largest, bound * (tensor.numel() > 100 ? 0.95 : 0.5)) << name;
      EXPECT_LT(std::abs(tensor.mean().item<float>()), bound / 2) << name;
      return;
    }
    FAIL() << name;
  };
  expect_bound("hidden0.weight", 0.1);
  expect_bound("hidden0.bias", 0.1);
  expect_bound("hidden1.weight", 1 / std::sqrt(50.0));
  expect_bound("hidden1.bias", 1 / std::sqrt(50.0));
  expect_bound("classifier.weight", 1 / std::sqrt(20.0));
  expect_bound("classifier.bias", 1 / std::sqrt(20.0));
}

TEST(Mlp, InitialWeightsDependOnTheSeed) {
  const auto weights = [](std::uint64_t seed) {
    return values_of(Mlp({6, {5}, 3}, seed).state().front().second);
  };
  EXPECT_EQ(weights(1), weights(1));
  EXPECT_NE(weights(1), weights(2));
}

TEST(Mlp, StateHasAllTensorsAndParametersOnlyTheTrainableOnes) {
  const Mlp mlp({6, {5, 4}, 3}, 1);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : mlp.state()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "hidden0.weight", "hidden0.bias", "norm0.weight", "norm0.bias",
                       "norm0.running_mean", "norm0.running_var", "hidden1.weight", "hidden1.bias",
                       "norm1.weight", "norm1.bias", "norm1.running_mean", "norm1.running_var",
                       "classifier.weight", "classifier.bias"}));
  EXPECT_EQ(mlp.parameters().size(), 10);
}

TEST(Mlp, WithoutHiddenLayersItIsLinear) {
  const Mlp mlp({2, {}, 3}, 1);
  const at::Tensor batch = tensor_of({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(values_of(mlp.hidden(batch)), values_of(batch));
  EXPECT_EQ(mlp.scores(batch).size(1), 3);
  EXPECT_EQ(mlp.parameters().size(), 2);
}

// More rows than a block.
TEST(Mlp, RowsOfATableAreScoredInTheGivenOrder) {
  const Mlp mlp({2, {4}, 3}, 1);
  Matrix<float> rows(3000, 2);
  for (std::size_t i = 0; i < rows.rows(); ++i) rows(i, i % 2) = static_cast<float>(i) / 1000;
  const FeatureTable table(rows);
  std::vector<ClipRow> order = first_rows(3000);
  std::reverse(order.begin(), order.end());
  const Matrix<float> scores = score_rows(mlp, table, order);
  const Matrix<float> hidden = hidden_rows(mlp, table, order);
  ASSERT_EQ(scores.rows(), 3000);
  ASSERT_EQ(hidden.columns(), 4);
  for (const int i : {0, 1023, 1024, 2999}) {
    const auto row = rows.row(index(order[i]));
    const at::Tensor one = tensor_of({row.begin(), row.end()}, {1, 2});
    const auto found = scores.row(i);
    expect_near({found.begin(), found.end()}, values_of(mlp.scores(one)), 1e-6, "scores");
    const auto inner = hidden.row(i);
    expect_near({inner.begin(), inner.end()}, values_of(mlp.hidden(one)), 1e-6, "hidden");
  }
  EXPECT_EQ(score_rows(mlp, table, {}).rows(), 0);
}

TEST(Mlp, SigmoidOfEachScoreOrSoftmaxOfEachRow) {
  const Matrix<float> scores(2, 2, {0, 0, 1000, -1000});
  EXPECT_EQ(probabilities(scores, Activation::Sigmoid), (Matrix<float>(2, 2, {.5F, .5F, 1, 0})));
  EXPECT_EQ(probabilities(scores, Activation::Softmax), (Matrix<float>(2, 2, {.5F, .5F, 1, 0})));
}

// 32 sigmoids of 0.5: their sum is 16, and 0.5 / 16^0.75 = 1/16. Sigmoids 0.75 and 0.25: their sum
// is 1.
TEST(Mlp, SharedSigmoidsAreDividedByAPowerOfTheirSum) {
  EXPECT_EQ(probabilities(Matrix<float>(1, 32), Activation::SharedSigmoid),
            (Matrix<float>(1, 32, 1.0F / 16)));
  const float three = std::log(3.0F);
  const Matrix<float> two =
      probabilities(Matrix<float>(1, 2, {three, -three}), Activation::SharedSigmoid);
  EXPECT_FLOAT_EQ(two(0, 0), 0.75F);
  EXPECT_FLOAT_EQ(two(0, 1), 0.25F);
  const Matrix<float> high(1, 2, {1000, -1000});
  EXPECT_EQ(probabilities(high, Activation::SharedSigmoid), (Matrix<float>(1, 2, {1, 0})));
}

TEST(Mlp, SoftmaxIsProportionalToExponentials) {
  const Matrix<float> shares =
      probabilities(Matrix<float>(1, 2, {1, 1 + std::log(3.0F)}), Activation::Softmax);
  EXPECT_FLOAT_EQ(shares(0, 0), 0.25F);
  EXPECT_FLOAT_EQ(shares(0, 1), 0.75F);
}

TEST(Mlp, ProbabilitiesOfLargeScoresAreFinite) {
  const Matrix<float> scores(1, 3, {1000, 1000, -1000});
  EXPECT_EQ(probabilities(scores, Activation::Sigmoid), (Matrix<float>(1, 3, {1, 1, 0})));
  EXPECT_EQ(probabilities(scores, Activation::Softmax), (Matrix<float>(1, 3, {.5F, .5F, 0})));
  const Matrix<float> low(1, 2, {-1000, -2000});
  EXPECT_EQ(probabilities(low, Activation::SharedSigmoid), (Matrix<float>(1, 2)));
}

}  // namespace
}  // namespace manyverbs
