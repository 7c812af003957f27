// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/features/internal/tsm.h"

namespace manyverbs {

/// A convolution made ready for inference: batch norm is part of its weights, and temporal shift,
/// the sum with the shortcut and ReLU happen while its results are in registers.
///
/// 3 x 3 of stride 1 goes the way of Winograd, four by four results at once with a quarter of the
/// multiplications (Lavin and Gray 2016); the rest are sums of products of pixels. Numbers of
/// channels that do not fill whole vectors get LibTorch's convolution.
class FoldedConvolution {
 public:
  explicit FoldedConvolution(const ConvolutionNorm& layer);

  struct Around {
    int shift_segments = 0;  ///< frames a clip when the input is to be shifted, 0: not shifted
    at::Tensor added;        ///< of the result's shape, or none
    bool relu = false;
  };
  /// frames x channels x H x W, channels last; so is what comes back.
  at::Tensor operator()(const at::Tensor& input, const Around& around) const;

  /// How the work is done: "winograd", "products" or "libtorch".
  const char* method() const;

 private:
  enum class Method { Libtorch, Products, Winograd };

  at::Tensor weight_;
  at::Tensor bias_;
  int stride_;
  Method method_ = Method::Libtorch;
  at::Tensor panels_;  // the weights in the order in which they are read
};

}  // namespace manyverbs
