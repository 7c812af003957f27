// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace manyverbs::convolution_internal {

/// CPU convolutions of channels-last images: the channels of a pixel are multiplied with panels of
/// 16 outputs. bench/convolution_bench compares them with oneDNN.

struct ConvolutionTask {
  std::size_t frames, height, width;  ///< of the input
  std::size_t channels, outputs;      ///< outputs is a multiple of 16
  std::size_t kernel, stride;         ///< padding is kernel / 2
  std::size_t shift_segments;         ///< 0: no temporal shift
  const float* input;
  const float* panels;
  const float* bias;
  const float* added;  ///< added to the result, or null
  bool relu;
  float* result;

  std::size_t result_height() const { return (height - 1) / stride + 1; }
  std::size_t result_width() const { return (width - 1) / stride + 1; }
};

/// Reorders weights from outputs x channels x kernel x kernel, as in PyTorch, to the order in which
/// the functions below access them.
std::vector<float> product_panels(const float* weight, std::size_t outputs, std::size_t channels,
                                  std::size_t kernel);
std::vector<float> winograd_panels(const float* weight, std::size_t outputs, std::size_t channels);

/// Any kernel and stride.
void convolve_by_products(const ConvolutionTask& task);
/// Kernel 3 x 3, stride 1, channels a multiple of 8, with temporal shift a multiple of 64.
void convolve_by_winograd(const ConvolutionTask& task);

}  // namespace manyverbs::convolution_internal
