// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// A residual network (He et al. 2016) whose blocks see their neighbours in time: before the first
/// convolution of each block, in the residual branch, channels are shifted between frames
/// (features/temporal_shift.h). Frames are (clips x segments) x channels x H x W, the frames of a
/// clip one after the other; scores and features are means over a clip's frames.

struct TsmShape {
  int depth = 50;          ///< 10, 18, 34 (two convolutions a block) or 50 (three)
  int segments = 8;        ///< frames a clip
  int input_channels = 3;  ///< 3 for pictures, 10 for stacks of five flow fields
  int classes = 0;         ///< 0: features only
  bool shift = true;       ///< without, the order of frames makes no difference
  int width = 64;          ///< channels of the first convolution; 64 is ResNet as published
  bool operator==(const TsmShape&) const = default;
};

/// The depth of "resnet18" and so on; throws Error with the nearest spelling.
int find_backbone(std::string_view name);
std::vector<std::string> backbone_names();
/// 512 for depths 10, 18 and 34, 2048 for 50, at width 64.
int feature_columns(const TsmShape& shape);

/// What happens in training alone.
struct TsmTraining {
  double dropout = 0.5;             ///< share of the features that a step leaves out
  bool partial_batch_norm = false;  ///< only the first batch norm learns and looks at the batch
};

/// A convolution without bias and the batch norm behind it.
struct ConvolutionNorm {
  std::string convolution_name;  ///< "layer1.0.conv1"
  std::string norm_name;         ///< "layer1.0.bn1"
  at::Tensor weight;
  at::Tensor scale, shift, running_mean, running_var;
  int stride = 1;
};

struct TsmBlock {
  std::vector<ConvolutionNorm> convolutions;  ///< two or three; ReLU behind each
  std::vector<ConvolutionNorm> shortcut;      ///< one where the shape changes, else none
};

class Tsm {
 public:
  /// Convolutions start normal with variance 2 / (outputs x kernel area), the classifier uniform
  /// within 1 / sqrt(inputs), as torchvision's do; the same for the same seed.
  Tsm(TsmShape shape, std::uint64_t seed);

  const TsmShape& shape() const { return shape_; }

  /// Raw scores, clips x classes, with the batch's own statistics, which batch norm remembers;
  /// gradients flow. `random` draws what dropout leaves out.
  at::Tensor train_scores(const at::Tensor& frames, const TsmTraining& training, Random* random);
  /// Raw scores with the remembered statistics; no gradients.
  at::Tensor scores(const at::Tensor& frames) const;
  /// What the classifier sees, clips x feature_columns; no gradients.
  at::Tensor features(const at::Tensor& frames) const;

  /// What an optimiser changes.
  std::vector<at::Tensor> parameters(const TsmTraining& training = {}) const;
  /// Everything by torchvision's names: "conv1.weight", "layer1.0.bn1.running_mean", "fc.bias" …
  std::vector<std::pair<std::string, at::Tensor>> state() const;

  const ConvolutionNorm& stem() const { return stem_; }
  const std::vector<TsmBlock>& blocks() const { return blocks_; }
  const at::Tensor& classifier_weight() const { return classifier_weight_; }
  const at::Tensor& classifier_bias() const { return classifier_bias_; }

 private:
  at::Tensor pooled(const at::Tensor& frames, const TsmTraining* training) const;
  std::vector<const ConvolutionNorm*> convolutions() const;

  TsmShape shape_;
  ConvolutionNorm stem_;
  std::vector<TsmBlock> blocks_;
  at::Tensor classifier_weight_;
  at::Tensor classifier_bias_;
};

}  // namespace manyverbs
