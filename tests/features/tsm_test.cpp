// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/tsm.h"

#include <ATen/ATen.h>

#include "manyverbs/features/internal/folded_tsm.h"
#include "manyverbs/features/internal/temporal_shift.h"
#include "tests/features/made_up.h"
#include "tests/learning/golden.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

TsmShape shape_of(const Json& golden) {
  TsmShape shape;
  shape.depth = golden["depth"];
  shape.segments = golden["segments"];
  shape.input_channels = golden["input_channels"];
  shape.classes = golden["classes"];
  shape.shift = golden["shift"];
  shape.width = golden["width"];
  return shape;
}

at::Tensor frames_of(const Json& golden) {
  const int size = golden["size"];
  return made_up(
      {2 * golden["segments"].get<int>(), golden["input_channels"].get<int>(), size, size}, 1000);
}

void expect_golden(const at::Tensor& features, const at::Tensor& scores, const Json& golden) {
  expect_near(values_of(scores), floats_of(golden["scores"]), 1e-4, "scores");
  expect_near(values_of(features.narrow(1, 0, 12)), floats_of(golden["features"]), 1e-4,
              "features");
  expect_near(values_of(features.sum(1)), floats_of(golden["feature_sum"]), 2e-2, "all features");
}

// Rounding in float, which differs between processors, decides the sign of some values.
void make_double(const Tsm& tsm) {
  for (const auto& [name, tensor] : tsm.state()) tensor.set_data(tensor.data().to(at::kDouble));
}

class TsmGolden : public testing::TestWithParam<int> {
 protected:
  const Json golden = read_golden("tsm")[GetParam()];
};
INSTANTIATE_TEST_SUITE_P(Networks, TsmGolden, testing::Range(0, 5));

TEST_P(TsmGolden, ScoresAndFeaturesEqualThoseOfAnIndependentModel) {
  const Tsm tsm(shape_of(golden), 1);
  fill(tsm);
  expect_golden(tsm.features(frames_of(golden)), tsm.scores(frames_of(golden)), golden);
}

TEST_P(TsmGolden, FoldedItIsEqual) {
  const Tsm tsm(shape_of(golden), 1);
  fill(tsm);
  const FoldedTsm folded(tsm);
  expect_golden(folded.features(frames_of(golden)), folded.scores(frames_of(golden)), golden);
}

TEST_P(TsmGolden, ATrainingStepHasEqualScoresGradientsAndStatistics) {
  Tsm tsm(shape_of(golden), 1);
  fill(tsm);
  make_double(tsm);
  const at::Tensor scores =
      tsm.train_scores(frames_of(golden).to(at::kDouble), {.dropout = 0}, nullptr);
  expect_near(values_of(scores.to(at::kFloat)), floats_of(golden["train_scores"]), 1e-6, "scores");
  scores.backward(made_up(scores.sizes(), 2000).to(at::kDouble));
  for (const auto& [name, tensor] : tsm.state()) {
    if (!golden["gradients"].contains(name)) continue;
    const std::vector<float> numbers = floats_of(golden["gradients"][name]);
    const at::Tensor expected = tensor_of(numbers, {std::ssize(numbers)});
    const at::Tensor found = tensor.grad().contiguous().flatten().narrow(0, 0, expected.size(0));
    EXPECT_LT((found - expected).norm().item<double>(), 1e-6 * expected.norm().item<double>())
        << name;
  }
  const at::Tensor mean = tsm.blocks().back().convolutions[1].running_mean;
  expect_near(values_of(mean.narrow(0, 0, 6).to(at::kFloat)), floats_of(golden["running_mean"]),
              1e-6, "memory");
}

TEST(Tsm, FeaturesHave512ColumnsOr2048) {
  EXPECT_EQ(feature_columns({.depth = 18}), 512);
  EXPECT_EQ(feature_columns({.depth = 34}), 512);
  EXPECT_EQ(feature_columns({.depth = 50}), 2048);
}

TEST(Tsm, TheSameSeedGivesTheSameWeights) {
  const TsmShape shape{.depth = 10, .classes = 3, .width = 8};
  const auto a = Tsm(shape, 5).state();
  const auto b = Tsm(shape, 5).state();
  const auto c = Tsm(shape, 6).state();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::equal(a[i].second, b[i].second));
  EXPECT_FALSE(at::equal(a[0].second, c[0].second));
}

TEST(Tsm, ConvolutionsStartWithTheDeviationOfKaimingsFanOut) {
  const Tsm tsm({.depth = 18}, 1);
  const at::Tensor& weight = tsm.blocks()[2].convolutions[0].weight;  // 128 x 64 x 3 x 3
  EXPECT_NEAR(weight.std().item<double>(), std::sqrt(2.0 / (128 * 9)), 2e-3);
  EXPECT_NEAR(weight.mean().item<double>(), 0, 1e-3);
}

TEST(Tsm, NamesAreThoseOfTorchvision) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : Tsm({.depth = 50, .classes = 2, .width = 8}, 1).state()) {
    names.push_back(name);
  }
  EXPECT_EQ(names.size(), 53U * 5 + 2);
  for (const std::string name :
       {"conv1.weight", "bn1.running_mean", "layer1.0.conv3.weight", "layer1.0.downsample.0.weight",
        "layer4.2.bn3.running_var", "layer2.0.downsample.1.bias", "fc.weight", "fc.bias"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

TEST(Tsm, PartialBatchNormTrainsOnlyTheFirst) {
  const TsmTraining partial{.dropout = 0, .partial_batch_norm = true};
  Tsm tsm({.depth = 10, .segments = 2, .classes = 3, .width = 8}, 1);
  const auto before = tsm.blocks()[0].convolutions[0].running_mean.clone();
  const auto stem_before = tsm.stem().running_mean.clone();
  tsm.train_scores(made_up({4, 3, 32, 32}, 1), partial, nullptr).sum().backward();
  EXPECT_TRUE(at::equal(tsm.blocks()[0].convolutions[0].running_mean, before));
  EXPECT_FALSE(at::equal(tsm.stem().running_mean, stem_before));
  EXPECT_FALSE(tsm.blocks()[0].convolutions[0].scale.grad().defined());
  EXPECT_TRUE(tsm.stem().scale.grad().defined());
  // 12 convolutions, two tensors of the first norm, two of the classifier.
  EXPECT_EQ(tsm.parameters(partial).size(), 12U + 2 + 2);
  EXPECT_EQ(tsm.parameters().size(), 12U * 3 + 2);
}

TEST(Tsm, DropoutIsDrawnFromTheGivenRandomNumbers) {
  Tsm tsm({.depth = 10, .segments = 2, .classes = 3, .width = 8}, 1);
  const at::Tensor frames = made_up({4, 3, 32, 32}, 1);
  const TsmTraining half{.dropout = 0.5, .partial_batch_norm = true};
  const auto scores = [&](int seed) {
    Random random(seed);
    return tsm.train_scores(frames, half, &random).detach();
  };
  EXPECT_TRUE(at::equal(scores(1), scores(1)));
  EXPECT_FALSE(at::equal(scores(1), scores(2)));
}

TEST(Tsm, WithoutShiftTheOrderOfFramesHasNoEffect) {
  for (const bool shift : {true, false}) {
    const Tsm tsm({.depth = 10, .segments = 4, .shift = shift, .width = 16}, 1);
    const at::Tensor frames = made_up({4, 3, 32, 32}, 1);
    const at::Tensor there = tsm.features(frames);
    const at::Tensor back = tsm.features(frames.flip(0));
    EXPECT_EQ(at::allclose(there, back, 1e-5, 1e-6), !shift);
  }
}

TEST(Tsm, AnUnknownBackboneGetsASuggestion) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [] { find_backbone("resnet5"); }),
            "unknown backbone 'resnet5', did you mean 'resnet50'?");
  EXPECT_EQ(error_of(scratch, [] { find_backbone("vgg"); }),
            "unknown backbone 'vgg'; valid values: resnet10, resnet18, resnet34, resnet50");
  EXPECT_EQ(find_backbone("resnet34"), 34);
}

TEST(FoldedTsm, ResultsDoNotDependOnTheBatchSize) {
  const Tsm tsm({.depth = 18, .segments = 3}, 1);
  fill(tsm);
  const FoldedTsm folded(tsm);
  const at::Tensor frames = made_up({9, 3, 48, 40}, 1);
  const at::Tensor all = folded.features(frames);
  for (int clip = 0; clip < 3; ++clip) {
    const at::Tensor one = folded.features(frames.narrow(0, 3 * clip, 3));
    EXPECT_TRUE(at::equal(one, all.narrow(0, clip, 1))) << clip;
  }
}

TEST(FoldedTsm, ThreadsDoNotChangeABit) {
  const Tsm tsm({.depth = 18, .segments = 4}, 1);
  fill(tsm);
  const FoldedTsm folded(tsm);
  const at::Tensor frames = made_up({8, 3, 64, 64}, 1);
  const at::Tensor one = folded.features(frames);
  set_num_threads(3);
  const at::Tensor three = folded.features(frames);
  set_num_threads(1);
  EXPECT_TRUE(at::equal(one, three));
}

}  // namespace
}  // namespace manyverbs
