// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/folded_convolution.h"

#include <ATen/ATen.h>

#include "manyverbs/convolution/internal/convolution_kernels.h"
#include "manyverbs/convolution/internal/convolution_tiles.h"
#include "manyverbs/features/internal/temporal_shift.h"

namespace manyverbs {
namespace {

constexpr double kEpsilon = 1e-5;  // of batch norm
// LibTorch is faster for fewer channels.
constexpr std::int64_t kFewestChannels = 16;

at::Tensor tensor_of(const std::vector<float>& values) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, at::kFloat);
  std::copy(values.begin(), values.end(), tensor.data_ptr<float>());
  return tensor;
}

}  // namespace

ConvolutionMethod convolution_method(const at::Tensor& weight, int stride) {
  const std::int64_t channels = weight.size(1);
  if (weight.size(0) % convolution_internal::kPanel != 0 || channels < kFewestChannels) {
    return ConvolutionMethod::Libtorch;
  }
  // An eighth of the channels, which a shift takes from other frames, must also be whole vectors.
  const bool winograd =
      weight.size(2) == 3 && stride == 1 && channels % (8 * convolution_internal::kLanes) == 0;
  return winograd ? ConvolutionMethod::Winograd : ConvolutionMethod::Products;
}

FoldedConvolution::FoldedConvolution(const ConvolutionNorm& layer)
    : stride_(layer.stride), method_(convolution_method(layer.weight, layer.stride)) {
  const at::NoGradGuard no_gradients;
  const at::Tensor factor = layer.scale / (layer.running_var + kEpsilon).sqrt();
  const at::Tensor weight = (layer.weight * factor.view({-1, 1, 1, 1})).contiguous();
  bias_ = (layer.shift - layer.running_mean * factor).detach();
  if (method_ == ConvolutionMethod::Libtorch) {
    weight_ = weight.detach().contiguous(at::MemoryFormat::ChannelsLast);
    return;
  }
  const std::int64_t outputs = weight.size(0);
  const std::int64_t channels = weight.size(1);
  const std::int64_t kernel = weight.size(2);
  const auto* numbers = weight.data_ptr<float>();
  panels_ =
      tensor_of(method_ == ConvolutionMethod::Winograd
                    ? convolution_internal::winograd_panels(numbers, outputs, channels)
                    : convolution_internal::product_panels(numbers, outputs, channels, kernel));
  weight_ = at::empty({outputs, channels, kernel, 0});  // only its sizes are used
}

at::Tensor FoldedConvolution::operator()(const at::Tensor& input, const Fused& fused) const {
  const std::int64_t kernel = weight_.size(2);
  if (method_ == ConvolutionMethod::Libtorch) {
    const at::Tensor x =
        fused.shift_segments > 0 ? temporal_shift(input, fused.shift_segments) : input;
    at::Tensor result = at::conv2d(x, weight_, bias_, {stride_, stride_}, {kernel / 2, kernel / 2});
    if (fused.added.defined()) result.add_(fused.added);
    return fused.relu ? result.relu_() : result;
  }
  const at::Tensor x = input.contiguous(at::MemoryFormat::ChannelsLast);
  convolution_internal::ConvolutionTask task{};
  task.frames = x.size(0);
  task.channels = x.size(1);
  task.height = x.size(2);
  task.width = x.size(3);
  task.outputs = weight_.size(0);
  task.kernel = kernel;
  task.stride = stride_;
  task.shift_segments = fused.shift_segments;
  at::Tensor result =
      at::empty({x.size(0), weight_.size(0), static_cast<std::int64_t>(task.result_height()),
                 static_cast<std::int64_t>(task.result_width())},
                x.options().memory_format(at::MemoryFormat::ChannelsLast));
  const at::Tensor added =
      fused.added.defined() ? fused.added.contiguous(at::MemoryFormat::ChannelsLast) : at::Tensor();
  task.input = x.data_ptr<float>();
  task.panels = panels_.data_ptr<float>();
  task.bias = bias_.data_ptr<float>();
  task.added = added.defined() ? added.data_ptr<float>() : nullptr;
  task.relu = fused.relu;
  task.result = result.data_ptr<float>();
  method_ == ConvolutionMethod::Winograd ? convolution_internal::convolve_by_winograd(task)
                                         : convolution_internal::convolve_by_products(task);
  return result;
}

}  // namespace manyverbs
