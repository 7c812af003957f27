// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/mlp.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "manyverbs/features/internal/dropout.h"
#include "manyverbs/learning/internal/small_batch.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"

namespace manyverbs {
namespace {

constexpr double kMomentum = 0.1;  // of the running statistics, as in PyTorch
constexpr double kEpsilon = 1e-5;
constexpr std::size_t kBlockParameters = 4;  // weight and bias, scale and shift
constexpr std::size_t kRowsAtOnce = 256;

at::Tensor uniform(std::initializer_list<std::int64_t> sizes, double bound, Random& random) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  auto* values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(bound * (2.0 * random.uniform() - 1.0));
  }
  return tensor.requires_grad_(true);
}

at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) {
  return at::addmm(bias, input, weight.t());
}

// The outputs of a layer without bias. Only the inputs get gradients.
struct Product : torch::autograd::Function<Product> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& inputs,
                            const at::Tensor& weight) {
    context->save_for_backward({weight});
    if (!inputs.device().is_cpu() || !inputs.is_contiguous() || !weight.is_contiguous()) {
      return inputs.mm(weight.t());
    }
    const std::int64_t clips = inputs.size(0);
    at::Tensor outputs = at::empty({clips, weight.size(0)}, at::kFloat);
    layer_outputs({static_cast<std::size_t>(clips), static_cast<std::size_t>(weight.size(0)),
                   static_cast<std::size_t>(weight.size(1))},
                  inputs.data_ptr<float>(), weight.data_ptr<float>(), outputs.data_ptr<float>());
    return outputs;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {gradients[0].mm(context->get_saved_variables()[0]), at::Tensor()};
  }
};

// A layer of independent parts: part i has its own inputs and outputs, the i-th columns of each.
// The weight has the outputs of all parts as rows and the inputs of one part as columns.
at::Tensor divided_linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                          std::int64_t parts) {
  const std::int64_t clips = input.size(0);
  const std::int64_t outputs = weight.size(0) / parts;
  return at::baddbmm(bias.view({parts, 1, outputs}),
                     input.view({clips, parts, weight.size(1)}).transpose(0, 1),
                     weight.view({parts, outputs, weight.size(1)}).transpose(1, 2))
      .transpose(0, 1)
      .reshape({clips, weight.size(0)});
}

// A linear layer whose weight is parameters()[place]; see train_scores().
at::Tensor train_linear(const at::Tensor& inputs, const at::Tensor& weight, const at::Tensor& bias,
                        std::size_t place, std::vector<LayerGradient>* layers) {
  if (layers == nullptr) return linear(inputs, weight, bias);
  const std::size_t layer = layers->size();
  layers->push_back({place, inputs.detach(), {}});
  at::Tensor outputs = Product::apply(inputs, weight.detach()) + bias;
  outputs.register_hook(
      [layers, layer](const at::Tensor& gradient) { (*layers)[layer].output_gradient = gradient; });
  return outputs;
}

// Whether a layer consists of independent parts: its weight has the columns of one part.
bool is_divided(const at::Tensor& weight, const at::Tensor& input) {
  return weight.size(1) != input.size(1);
}

// Batches always have the same number of rows, the last one is filled with zeros: on some
// processors the last rows of a matrix product are summed in another order, and the scores of a
// clip must not depend on the clips beside it.
Matrix<float> map_rows(const FeatureTable& features, std::span<const ClipRow> rows,
                       std::size_t columns, const at::Device& device,
                       const std::function<at::Tensor(const at::Tensor&)>& map) {
  Matrix<float> result(rows.size(), columns);
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsAtOnce) {
    stop_if_interrupted();
    const auto piece = rows.subspan(begin, std::min(kRowsAtOnce, rows.size() - begin));
    at::Tensor batch = at::zeros(
        {static_cast<std::int64_t>(kRowsAtOnce), static_cast<std::int64_t>(features.columns())},
        at::kFloat);
    features.read(piece, batch.data_ptr<float>());
    const at::Tensor mapped = map(batch.to(device)).to(at::kCPU).contiguous();
    std::memcpy(result.row(begin).data(), mapped.data_ptr<float>(),
                piece.size() * columns * sizeof(float));
  }
  return result;
}

void to_sigmoids(std::span<float> row) {
  for (float& value : row) value = 1.0F / (1.0F + std::exp(-value));
}

void to_softmax(std::span<float> row) {
  const float largest = *std::max_element(row.begin(), row.end());
  float sum = 0;
  for (float& value : row) sum += value = std::exp(value - largest);
  for (float& value : row) value /= sum;
}

// Not above 1, since no sigmoid is above 1 or above the sum.
void to_shared_sigmoids(std::span<float> row) {
  constexpr float kPower = 0.75F;
  to_sigmoids(row);
  float sum = 0;
  for (const float value : row) sum += value;
  if (sum == 0) return;
  for (float& value : row) value /= std::pow(sum, kPower);
}

}  // namespace

Mlp::Mlp(MlpShape shape, std::uint64_t seed) : shape_(std::move(shape)) {
  for (const int size : shape_.hidden) {
    if (shape_.members >= 1 && size % shape_.members == 0) continue;
    throw Error("a hidden layer of {} units cannot be divided into {} members of equal size", size,
                shape_.members);
  }
  at::set_num_threads(num_threads());
  Random random(seed, 0);
  int inputs = shape_.inputs;  // of each member
  for (const int size : shape_.hidden) {
    const double bound = 1.0 / std::sqrt(inputs);
    Block block;
    block.weight = uniform({size, inputs}, bound, random);
    block.bias = uniform({size}, bound, random);
    block.scale = at::ones({size}).requires_grad_(true);
    block.shift = at::zeros({size}).requires_grad_(true);
    block.running_mean = at::zeros({size});
    block.running_var = at::ones({size});
    blocks_.push_back(std::move(block));
    inputs = size / shape_.members;
  }
  const double bound = 1.0 / std::sqrt(inputs);
  const int outputs = shape_.members * shape_.classes;
  classifier_weight_ = uniform({outputs, inputs}, bound, random);
  classifier_bias_ = uniform({outputs}, bound, random);
}

at::Tensor Mlp::train_scores(const at::Tensor& batch, const Dropout& dropout,
                             std::vector<LayerGradient>* layers) {
  at::Tensor x = batch;
  std::size_t place = 0;
  for (const Block& block : blocks_) {
    x = (is_divided(block.weight, x) ? divided_linear(x, block.weight, block.bias, shape_.members)
                                     : train_linear(x, block.weight, block.bias, place, layers))
            .relu();
    x = at::batch_norm(x, block.scale, block.shift, block.running_mean, block.running_var, true,
                       kMomentum, kEpsilon, true);
    if (dropout.rate > 0) {
      x = x * dropout_mask(x.sizes(), dropout.rate, *dropout.random).to(x.device());
    }
    place += kBlockParameters;
  }
  if (shape_.members == 1) {
    return train_linear(x, classifier_weight_, classifier_bias_, place, layers);
  }
  return divided_linear(x, classifier_weight_, classifier_bias_, shape_.members)
      .view({batch.size(0), shape_.members, shape_.classes})
      .transpose(0, 1)
      .reshape({shape_.members * batch.size(0), shape_.classes});
}

at::Tensor Mlp::hidden(const at::Tensor& batch) const {
  const at::NoGradGuard no_gradients;
  at::Tensor x = batch;
  for (const Block& block : blocks_) {
    x = (is_divided(block.weight, x) ? divided_linear(x, block.weight, block.bias, shape_.members)
                                     : linear(x, block.weight, block.bias))
            .relu_();
    x = at::batch_norm(x, block.scale, block.shift, block.running_mean, block.running_var, false,
                       kMomentum, kEpsilon, true);
  }
  return x;
}

at::Tensor Mlp::scores(const at::Tensor& batch) const {
  const at::NoGradGuard no_gradients;
  if (shape_.members == 1) return linear(hidden(batch), classifier_weight_, classifier_bias_);
  return divided_linear(hidden(batch), classifier_weight_, classifier_bias_, shape_.members)
      .view({batch.size(0), shape_.members, shape_.classes})
      .mean(1);
}

std::vector<std::pair<std::string, at::Tensor>> Mlp::state() const {
  std::vector<std::pair<std::string, at::Tensor>> named;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::string number = std::to_string(i);
    const Block& block = blocks_[i];
    named.emplace_back("hidden" + number + ".weight", block.weight);
    named.emplace_back("hidden" + number + ".bias", block.bias);
    named.emplace_back("norm" + number + ".weight", block.scale);
    named.emplace_back("norm" + number + ".bias", block.shift);
    named.emplace_back("norm" + number + ".running_mean", block.running_mean);
    named.emplace_back("norm" + number + ".running_var", block.running_var);
  }
  named.emplace_back("classifier.weight", classifier_weight_);
  named.emplace_back("classifier.bias", classifier_bias_);
  return named;
}

std::vector<at::Tensor> Mlp::parameters() const {
  std::vector<at::Tensor> chosen;
  for (const auto& [name, tensor] : state()) {
    if (tensor.requires_grad()) chosen.push_back(tensor);
  }
  return chosen;
}

void Mlp::to(const at::Device& device) {
  for (const auto& [name, tensor] : state()) {
    at::Tensor handle = tensor;
    handle.set_data(handle.data().to(device));
  }
}

Matrix<float> score_rows(const Mlp& mlp, const FeatureTable& features,
                         std::span<const ClipRow> rows) {
  return map_rows(features, rows, mlp.shape().classes, mlp.parameters().front().device(),
                  [&](const at::Tensor& batch) { return mlp.scores(batch); });
}

Matrix<float> hidden_rows(const Mlp& mlp, const FeatureTable& features,
                          std::span<const ClipRow> rows) {
  return map_rows(features, rows, mlp.shape().hidden.back(), mlp.parameters().front().device(),
                  [&](const at::Tensor& batch) { return mlp.hidden(batch); });
}

Matrix<float> probabilities(const Matrix<float>& scores, Activation activation) {
  Matrix<float> result = scores;
  for (std::size_t i = 0; i < result.rows(); ++i) {
    const auto row = result.row(i);
    switch (activation) {
      case Activation::Sigmoid:
        to_sigmoids(row);
        break;
      case Activation::Softmax:
        to_softmax(row);
        break;
      case Activation::SharedSigmoid:
        to_shared_sigmoids(row);
        break;
    }
  }
  return result;
}

}  // namespace manyverbs
