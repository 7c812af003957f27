// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/tsm.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "manyverbs/features/internal/dropout.h"
#include "manyverbs/features/internal/temporal_shift.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

constexpr double kMomentum = 0.1;  // of the running statistics, as in PyTorch
constexpr double kEpsilon = 1e-5;

struct Backbone {
  std::string_view name;
  int depth;
  std::array<int, 4> blocks;  // of each layer
  bool bottleneck;            // 1 x 1, 3 x 3, 1 x 1 instead of two 3 x 3
};
constexpr std::array<Backbone, 4> kBackbones = {{
    {"resnet10", 10, {1, 1, 1, 1}, false},
    {"resnet18", 18, {2, 2, 2, 2}, false},
    {"resnet34", 34, {3, 4, 6, 3}, false},
    {"resnet50", 50, {3, 4, 6, 3}, true},
}};
constexpr int kExpansion = 4;  // of the last convolution of a bottleneck

const Backbone& backbone_of(int depth) {
  const auto* found = std::find_if(kBackbones.begin(), kBackbones.end(),
                                   [&](const Backbone& row) { return row.depth == depth; });
  assert(found != kBackbones.end());
  return *found;
}

ConvolutionNorm make_convolution(const std::string& convolution, const std::string& norm,
                                 int inputs, int outputs, int kernel, int stride, Random& random) {
  const double deviation = std::sqrt(2.0 / (static_cast<double>(outputs) * kernel * kernel));
  at::Tensor weight = at::empty({outputs, inputs, kernel, kernel}, at::kFloat);
  auto* values = weight.data_ptr<float>();
  for (std::int64_t i = 0; i < weight.numel(); ++i) {
    values[i] = static_cast<float>(deviation * random.normal());
  }
  return {convolution,
          norm,
          weight.contiguous(at::MemoryFormat::ChannelsLast).requires_grad_(true),
          at::ones({outputs}).requires_grad_(true),
          at::zeros({outputs}).requires_grad_(true),
          at::zeros({outputs}),
          at::ones({outputs}),
          stride};
}

TsmBlock make_block(const std::string& name, int inputs, int inner, int stride, bool bottleneck,
                    Random& random) {
  const int outputs = bottleneck ? kExpansion * inner : inner;
  // In a bottleneck, the 3 x 3 convolution has the stride, as in torchvision.
  struct Part {
    int outputs, kernel, stride;
  };
  const std::vector<Part> parts =
      bottleneck ? std::vector<Part>{{inner, 1, 1}, {inner, 3, stride}, {outputs, 1, 1}}
                 : std::vector<Part>{{inner, 3, stride}, {outputs, 3, 1}};
  TsmBlock block;
  int channels = inputs;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    block.convolutions.push_back(make_convolution(name + ".conv" + number, name + ".bn" + number,
                                                  channels, parts[i].outputs, parts[i].kernel,
                                                  parts[i].stride, random));
    channels = parts[i].outputs;
  }
  if (stride != 1 || inputs != outputs) {
    block.shortcut.push_back(make_convolution(name + ".downsample.0", name + ".downsample.1",
                                              inputs, outputs, 1, stride, random));
  }
  return block;
}

at::Tensor uniform(at::IntArrayRef sizes, double bound, Random& random) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  auto* values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(bound * (2.0 * random.uniform() - 1.0));
  }
  return tensor.requires_grad_(true);
}

at::Tensor convolve(const ConvolutionNorm& layer, const at::Tensor& input) {
  const std::int64_t padding = layer.weight.size(2) / 2;
  return at::conv2d(input, layer.weight, {}, {layer.stride, layer.stride}, {padding, padding});
}

// With `learns`, uses the statistics of the batch and updates the running ones; without, scale and
// shift are also not trained.
at::Tensor normalise(const ConvolutionNorm& layer, const at::Tensor& input, bool learns) {
  return at::batch_norm(input, learns ? layer.scale : layer.scale.detach(),
                        learns ? layer.shift : layer.shift.detach(), layer.running_mean,
                        layer.running_var, learns, kMomentum, kEpsilon, true);
}

at::Tensor through_block(const TsmBlock& block, const at::Tensor& input, const TsmShape& shape,
                         bool learns) {
  const auto apply = [&](const ConvolutionNorm& layer, const at::Tensor& x) {
    return normalise(layer, convolve(layer, x), learns);
  };
  at::Tensor x = shape.shift ? temporal_shift(input, shape.segments) : input;
  for (const ConvolutionNorm& layer : block.convolutions) {
    x = apply(layer, x);
    if (&layer != &block.convolutions.back()) x = x.relu_();
  }
  x = x + (block.shortcut.empty() ? input : apply(block.shortcut.front(), input));
  return x.relu_();
}

at::Tensor mean_over_segments(const at::Tensor& rows, int segments) {
  return rows.view({-1, segments, rows.size(1)}).mean(1);
}

// The backward pass of LibTorch propagates only exceptions derived from std::exception.
void stop_backward_if_interrupted(const at::Tensor& /*gradient*/) {
  if (interrupted()) throw std::runtime_error("interrupted");
}

}  // namespace

int find_backbone(std::string_view name) {
  for (const Backbone& row : kBackbones) {
    if (row.name == name) return row.depth;
  }
  throw Error("unknown backbone '{}'{}", name, did_you_mean_or_list(name, backbone_names()));
}

std::vector<std::string> backbone_names() {
  std::vector<std::string> names;
  for (const Backbone& row : kBackbones) names.emplace_back(row.name);
  return names;
}

int feature_columns(const TsmShape& shape) {
  return 8 * shape.width * (backbone_of(shape.depth).bottleneck ? kExpansion : 1);
}

Tsm::Tsm(TsmShape shape, std::uint64_t seed) : shape_(shape) {
  at::set_num_threads(num_threads());
  const Backbone& backbone = backbone_of(shape.depth);
  Random random(seed, 0);
  stem_ = make_convolution("conv1", "bn1", shape.input_channels, shape.width, 7, 2, random);
  int channels = shape.width;
  for (int layer = 0; layer < 4; ++layer) {
    const int inner = shape.width << layer;
    for (int i = 0; i < backbone.blocks[layer]; ++i) {
      const int stride = layer > 0 && i == 0 ? 2 : 1;
      blocks_.push_back(make_block(fmt::format("layer{}.{}", layer + 1, i), channels, inner, stride,
                                   backbone.bottleneck, random));
      channels = backbone.bottleneck ? kExpansion * inner : inner;
    }
  }
  if (shape.classes == 0) return;
  const double bound = 1.0 / std::sqrt(channels);
  classifier_weight_ = uniform({shape.classes, channels}, bound, random);
  classifier_bias_ = uniform({shape.classes}, bound, random);
}

// The pooled output of the last block for each frame; `training` is null in inference.
at::Tensor Tsm::pooled(const at::Tensor& frames, const TsmTraining* training) const {
  assert(frames.size(0) % shape_.segments == 0 && frames.size(1) == shape_.input_channels);
  const bool stem_learns = training != nullptr;
  const bool blocks_learn = stem_learns && !training->partial_batch_norm;
  at::Tensor x = frames.contiguous(at::MemoryFormat::ChannelsLast);
  x = normalise(stem_, convolve(stem_, x), stem_learns).relu_();
  x = at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
  for (const TsmBlock& block : blocks_) {
    stop_if_interrupted();
    x = through_block(block, x, shape_, blocks_learn);
    if (x.requires_grad()) x.register_hook(stop_backward_if_interrupted);
  }
  return x.mean({2, 3});
}

at::Tensor Tsm::train_scores(const at::Tensor& frames, const TsmTraining& training,
                             Random* random) {
  assert(shape_.classes > 0);
  at::Tensor x = pooled(frames, &training);
  if (training.dropout > 0) x = x * dropout_mask(x.sizes(), training.dropout, *random);
  return mean_over_segments(at::addmm(classifier_bias_, x, classifier_weight_.t()),
                            shape_.segments);
}

at::Tensor Tsm::features(const at::Tensor& frames) const {
  const at::NoGradGuard no_gradients;
  return mean_over_segments(pooled(frames, nullptr), shape_.segments);
}

// The classifier is linear: the mean of scores is the score of the mean.
at::Tensor Tsm::scores(const at::Tensor& frames) const {
  assert(shape_.classes > 0);
  const at::NoGradGuard no_gradients;
  return at::addmm(classifier_bias_, features(frames), classifier_weight_.t());
}

std::vector<const ConvolutionNorm*> Tsm::convolutions() const {
  std::vector<const ConvolutionNorm*> all = {&stem_};
  for (const TsmBlock& block : blocks_) {
    for (const ConvolutionNorm& layer : block.convolutions) all.push_back(&layer);
    for (const ConvolutionNorm& layer : block.shortcut) all.push_back(&layer);
  }
  return all;
}

std::vector<at::Tensor> Tsm::parameters(const TsmTraining& training) const {
  std::vector<at::Tensor> chosen;
  for (const ConvolutionNorm* layer : convolutions()) {
    chosen.push_back(layer->weight);
    if (training.partial_batch_norm && layer != &stem_) continue;
    chosen.push_back(layer->scale);
    chosen.push_back(layer->shift);
  }
  if (shape_.classes > 0) {
    chosen.push_back(classifier_weight_);
    chosen.push_back(classifier_bias_);
  }
  return chosen;
}

std::vector<std::pair<std::string, at::Tensor>> Tsm::state() const {
  std::vector<std::pair<std::string, at::Tensor>> named;
  for (const ConvolutionNorm* layer : convolutions()) {
    named.emplace_back(layer->convolution_name + ".weight", layer->weight);
    named.emplace_back(layer->norm_name + ".weight", layer->scale);
    named.emplace_back(layer->norm_name + ".bias", layer->shift);
    named.emplace_back(layer->norm_name + ".running_mean", layer->running_mean);
    named.emplace_back(layer->norm_name + ".running_var", layer->running_var);
  }
  if (shape_.classes > 0) {
    named.emplace_back("fc.weight", classifier_weight_);
    named.emplace_back("fc.bias", classifier_bias_);
  }
  return named;
}

}  // namespace manyverbs
