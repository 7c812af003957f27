// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/features/internal/tsm.h"

namespace manyverbs {

/// The algorithm of a convolution.
enum class ConvolutionMethod {
  Libtorch,  ///< LibTorch's, if the number of channels is not a multiple of the vector size
  Products,  ///< direct
  Winograd,  ///< F(4x4, 3x3) with a quarter of the multiplications (Lavin and Gray 2016)
};
/// The fastest one for weights of outputs x channels x kernel x kernel. Winograd requires a 3 x 3
/// kernel and stride 1.
ConvolutionMethod convolution_method(const at::Tensor& weight, int stride);

/// A convolution for inference: batch norm is folded into its weights, and temporal shift, addition
/// of the shortcut and ReLU are fused with it.
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

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  int stride_;
  ConvolutionMethod method_;
  at::Tensor panels_;  // the weights in the order of access
};

}  // namespace manyverbs
