// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace manyverbs::convolution_internal {

/// Convolutions of channels-last pictures on the processor: sums of products of one pixel's
/// channels with panels of 16 outputs. bench/convolution_bench compares them with oneDNN's.

struct ConvolutionTask {
  std::size_t frames, height, width;  ///< of the input
  std::size_t channels, outputs;      ///< outputs is a multiple of 16
  std::size_t kernel, stride;         ///< padding is kernel / 2
  std::size_t shift_segments;         ///< 0: no temporal shift
  const float* input;
  const float* panels;
  const float* bias;
  const float* added;  ///< of the result's shape, or null
  bool relu;
  float* result;

  std::size_t result_height() const { return (height - 1) / stride + 1; }
  std::size_t result_width() const { return (width - 1) / stride + 1; }
};

/// outputs x channels x kernel x kernel, as PyTorch has it, in the order that the functions below
/// read it in.
std::vector<float> product_panels(const float* weight, std::size_t outputs, std::size_t channels,
                                  std::size_t kernel);
std::vector<float> winograd_panels(const float* weight, std::size_t outputs, std::size_t channels);

/// Any kernel and stride.
void convolve_by_products(const ConvolutionTask& task);
/// 3 x 3, stride 1, channels a multiple of 8; with a shift, an eighth of them too.
void convolve_by_winograd(const ConvolutionTask& task);

}  // namespace manyverbs::convolution_internal
