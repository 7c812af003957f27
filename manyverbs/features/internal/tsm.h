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

/// TSM, a residual network (He et al. 2016) with temporal shift: before the first convolution of
/// each block, in the residual branch, channels are shifted between frames (temporal_shift.h).
/// Frames are (clips x segments) x channels x H x W, grouped by clip; scores and features are means
/// over the frames of a clip.

struct TsmShape {
  int depth = 50;          ///< 10, 18, 34 (two convolutions per block) or 50 (three)
  int segments = 8;        ///< frames per clip
  int input_channels = 3;  ///< 3 for RGB, 10 for stacks of five flow fields
  int classes = 0;         ///< 0: features only
  bool shift = true;       ///< without it, the order of frames has no effect
  int width = 64;          ///< channels of the first convolution; 64 in the published ResNets
  bool operator==(const TsmShape&) const = default;
};

/// The depth of a backbone: 18 for "resnet18". Throws Error with a suggestion for unknown names.
int find_backbone(std::string_view name);
std::vector<std::string> backbone_names();
/// 512 for depths 10, 18 and 34, 2048 for 50, at width 64.
int feature_columns(const TsmShape& shape);

/// Settings that apply only in training.
struct TsmTraining {
  double dropout = 0.5;  ///< probability that a feature is dropped
  bool partial_batch_norm =
      false;  ///< only the first batch norm is trained and uses batch statistics
};

/// A convolution without bias, and the batch norm after it.
struct ConvolutionNorm {
  std::string convolution_name;  ///< "layer1.0.conv1"
  std::string norm_name;         ///< "layer1.0.bn1"
  at::Tensor weight;
  at::Tensor scale, shift, running_mean, running_var;
  int stride = 1;
};

struct TsmBlock {
  std::vector<ConvolutionNorm> convolutions;  ///< two or three, each followed by ReLU
  std::vector<ConvolutionNorm> shortcut;      ///< one if the shape changes, otherwise none
};

class Tsm {
 public:
  /// Initialises as torchvision: convolutions normal with variance 2 / (outputs x kernel area), the
  /// classifier uniform within 1 / sqrt(inputs). Deterministic for a seed.
  Tsm(TsmShape shape, std::uint64_t seed);

  const TsmShape& shape() const { return shape_; }

  /// Raw scores, clips x classes, in training mode: batch norm uses the statistics of the batch and
  /// updates its running statistics. Differentiable. `random` is used by dropout.
  at::Tensor train_scores(const at::Tensor& frames, const TsmTraining& training, Random* random);
  /// Raw scores with the running statistics; no gradients.
  at::Tensor scores(const at::Tensor& frames) const;
  /// The input of the classifier, clips x feature_columns; no gradients.
  at::Tensor features(const at::Tensor& frames) const;

  /// The trainable parameters.
  std::vector<at::Tensor> parameters(const TsmTraining& training = {}) const;
  /// All tensors with the names of torchvision: "conv1.weight", "layer1.0.bn1.running_mean",
  /// "fc.bias" …
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
