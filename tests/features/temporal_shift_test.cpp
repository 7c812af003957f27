// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/temporal_shift.h"

#include <ATen/ATen.h>

#include "manyverbs/features/internal/folded_convolution.h"
#include "tests/features/made_up.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"

namespace manyverbs {
namespace {

// One number per frame, in all channels and pixels.
at::Tensor numbered_frames(int frames, int channels) {
  return at::arange(1, frames + 1, at::kFloat).view({-1, 1, 1, 1}).expand({-1, channels, 2, 3});
}

std::vector<float> channel(const at::Tensor& frames, int c) {
  return values_of(frames.select(1, c).select(1, 1).select(1, 2));
}

TEST(TemporalShift, AnEighthComesFromTheNextAndAnEighthFromThePreviousFrame) {
  const at::Tensor shifted = temporal_shift(numbered_frames(3, 8), 3);
  EXPECT_EQ(channel(shifted, 0), (std::vector<float>{2, 3, 0}));
  EXPECT_EQ(channel(shifted, 1), (std::vector<float>{0, 1, 2}));
  for (int c = 2; c < 8; ++c) EXPECT_EQ(channel(shifted, c), (std::vector<float>{1, 2, 3}));
}

TEST(TemporalShift, ShiftsStayWithinClips) {
  const at::Tensor shifted = temporal_shift(numbered_frames(4, 16), 2);
  for (const int c : {0, 1}) EXPECT_EQ(channel(shifted, c), (std::vector<float>{2, 0, 4, 0}));
  for (const int c : {2, 3}) EXPECT_EQ(channel(shifted, c), (std::vector<float>{0, 1, 0, 3}));
  EXPECT_EQ(channel(shifted, 4), (std::vector<float>{1, 2, 3, 4}));
}

TEST(TemporalShift, FewerThanEightChannelsAreUnchanged) {
  EXPECT_TRUE(at::equal(temporal_shift(numbered_frames(4, 6), 2), numbered_frames(4, 6)));
}

TEST(TemporalShift, GradientsAreShiftedBack) {
  const at::Tensor frames = numbered_frames(3, 8).contiguous().requires_grad_(true);
  const at::Tensor gradients = numbered_frames(3, 8) * 10;
  temporal_shift(frames, 3).backward(gradients);
  EXPECT_EQ(channel(frames.grad(), 0), (std::vector<float>{0, 10, 20}));
  EXPECT_EQ(channel(frames.grad(), 1), (std::vector<float>{20, 30, 0}));
  EXPECT_EQ(channel(frames.grad(), 2), (std::vector<float>{10, 20, 30}));
}

struct Layer {
  int inputs, outputs, kernel, stride;
  ConvolutionMethod method;
};

// Separate convolution, batch norm, addition and ReLU.
void expect_folded_is_the_same(const Layer& layer, int height, int width, bool shift, bool added) {
  ConvolutionNorm norm;
  norm.weight = made_up({layer.outputs, layer.inputs, layer.kernel, layer.kernel}, 1) * 0.1;
  norm.scale = made_up({layer.outputs}, 2) + 1.5;
  norm.shift = made_up({layer.outputs}, 3);
  norm.running_mean = made_up({layer.outputs}, 4);
  norm.running_var = made_up({layer.outputs}, 5) + 1.5;
  norm.stride = layer.stride;
  const at::Tensor input =
      made_up({6, layer.inputs, height, width}, 6).contiguous(at::MemoryFormat::ChannelsLast);
  const int padding = layer.kernel / 2;
  at::Tensor expected =
      at::conv2d(shift ? temporal_shift(input, 3) : input, norm.weight, {}, layer.stride, padding);
  expected = at::batch_norm(expected, norm.scale, norm.shift, norm.running_mean, norm.running_var,
                            false, 0.1, 1e-5, true);
  FoldedConvolution::Fused fused;
  fused.shift_segments = shift ? 3 : 0;
  if (added) fused.added = made_up(expected.sizes(), 7);
  if (added) expected = expected + fused.added;
  const FoldedConvolution folded(norm);
  EXPECT_EQ(convolution_method(norm.weight, layer.stride), layer.method);
  for (const bool relu : {false, true}) {
    fused.relu = relu;
    const at::Tensor wanted = relu ? expected.relu() : expected;
    const at::Tensor found = folded(input, fused);
    ASSERT_EQ(found.sizes(), wanted.sizes());
    EXPECT_LT((found - wanted).abs().max().item<float>(), 1e-4 * wanted.abs().max().item<float>())
        << layer.inputs << " to " << layer.outputs << ", " << layer.kernel << " x " << layer.kernel
        << ", stride " << layer.stride << ", " << height << " x " << width;
  }
}

TEST(FoldedConvolution, EveryAlgorithmEqualsSeparateLayers) {
  using enum ConvolutionMethod;
  const std::vector<Layer> layers = {
      {64, 32, 3, 1, Winograd}, {128, 64, 3, 1, Winograd}, {64, 48, 3, 2, Products},
      {64, 32, 1, 1, Products}, {40, 16, 1, 2, Products},  {24, 16, 3, 1, Products},
      {3, 16, 7, 2, Libtorch},  {64, 24, 3, 1, Libtorch},  {16, 8, 1, 1, Libtorch},
  };
  for (const Layer& layer : layers) {
    for (const auto& [height, width] : {std::pair{8, 8}, std::pair{7, 5}, std::pair{1, 2}}) {
      expect_folded_is_the_same(layer, height, width, false, false);
      expect_folded_is_the_same(layer, height, width, true, true);
    }
  }
}

}  // namespace
}  // namespace manyverbs
