// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/features/internal/tsm.h"

namespace manyverbs {

/// A convolution for inference: batch norm is folded into its weights, and temporal shift, addition
/// of the shortcut and ReLU are fused with it.
///
/// 3 x 3 convolutions of stride 1 use the Winograd algorithm F(4x4, 3x3) with a quarter of the
/// multiplications (Lavin and Gray 2016), others are direct. If the number of channels is not a
/// multiple of the vector size, LibTorch computes the convolution.
class FoldedConvolution {
 public:
  explicit FoldedConvolution(const ConvolutionNorm& layer);

  struct Fused {
    int shift_segments = 0;  ///< frames per clip for a temporal shift of the input; 0: no shift
    at::Tensor added;        ///< added to the result; undefined: nothing
    bool relu = false;
  };
  /// Input and output are frames x channels x H x W, channels last.
  at::Tensor operator()(const at::Tensor& input, const Fused& fused) const;

  /// The algorithm: "winograd", "products" or "libtorch".
  const char* method() const;

 private:
  enum class Method { Libtorch, Products, Winograd };

  at::Tensor weight_;
  at::Tensor bias_;
  int stride_;
  Method method_ = Method::Libtorch;
  at::Tensor panels_;  // the weights in the order of access
};

}  // namespace manyverbs
