// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/dataset/feature_table.h"
#include "manyverbs/learning/losses.h"
#include "manyverbs/support/internal/random.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

struct MlpShape {
  int inputs = 0;
  std::vector<int> hidden = {1024, 1024};
  int classes = 0;
  /// An ensemble in one network: the units of hidden layers are divided into this number of
  /// networks, which share only the inputs, and whose scores are averaged. Must divide the sizes.
  int members = 1;
};

/// How many units of a hidden layer are dropped in training, and the random numbers for it.
struct Dropout {
  double rate = 0;
  Random* random = nullptr;  ///< may be null if the rate is 0
};

/// The inputs of a linear layer and, after backward(), the gradient with respect to its outputs,
/// both with one row per clip. The gradient of its weight is output_gradient^T inputs.
struct LayerGradient {
  std::size_t place;  ///< of the weight in parameters()
  at::Tensor inputs;
  at::Tensor output_gradient;
};

/// The classifier of the paper: (Linear, ReLU, BatchNorm) for each hidden size, then Linear to one
/// raw score per class. BatchNorm and its position follow the released code. Initialised as in
/// PyTorch, uniform within 1 / sqrt(inputs), with a seed.
class Mlp {
 public:
  /// Throws Error if the members do not divide the hidden sizes.
  Mlp(MlpShape shape, std::uint64_t seed);

  const MlpShape& shape() const { return shape_; }

  /// Raw scores of a batch (N x inputs, N >= 2) in training mode: BatchNorm uses the statistics of
  /// the batch and updates its running statistics; then units of each hidden layer are dropped.
  /// Members are not averaged: the first N rows are the scores of the first one, and so on.
  /// Differentiable. With `layers`, backward() does not compute the gradients of the weights of
  /// linear layers without members, but writes their factors to `layers`, which must exist until
  /// then.
  at::Tensor train_scores(const at::Tensor& batch, const Dropout& dropout = {},
                          std::vector<LayerGradient>* layers = nullptr);
  /// Raw scores with the running statistics; no gradients.
  at::Tensor scores(const at::Tensor& batch) const;
  /// The output of the last hidden layer, N x the last hidden size: the learned space.
  at::Tensor hidden(const at::Tensor& batch) const;

  /// The trainable parameters.
  std::vector<at::Tensor> parameters() const;
  /// Parameters and running statistics by name: "hidden0.weight", "norm0.running_mean" …
  std::vector<std::pair<std::string, at::Tensor>> state() const;

  void to(const at::Device& device);

 private:
  struct Block {
    at::Tensor weight, bias;                             // Linear
    at::Tensor scale, shift, running_mean, running_var;  // BatchNorm
  };

  MlpShape shape_;
  std::vector<Block> blocks_;
  at::Tensor classifier_weight_;
  at::Tensor classifier_bias_;
};

/// Raw scores of the given rows of a table: one row each, C columns. Reads the table in blocks. The
/// scores of a row are bit-identical for any other rows beside it.
Matrix<float> score_rows(const Mlp& mlp, const FeatureTable& features,
                         std::span<const ClipRow> rows);
/// The last hidden layer of the given rows.
Matrix<float> hidden_rows(const Mlp& mlp, const FeatureTable& features,
                          std::span<const ClipRow> rows);

/// Raw scores as probabilities. Sigmoid of 0 is 0.5; softmax of {0, 0} is {0.5, 0.5}; shared
/// sigmoid of 32 times 0 is 1/16 for each: the sum of the sigmoids is 16, and 0.5 / 16^0.75 = 1/16.
Matrix<float> probabilities(const Matrix<float>& scores, Activation activation);

}  // namespace manyverbs
