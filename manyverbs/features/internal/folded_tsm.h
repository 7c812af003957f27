// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/features/internal/folded_convolution.h"
#include "manyverbs/features/internal/tsm.h"

namespace manyverbs {

/// A copy of a Tsm for inference: faster, with the same scores and features up to a relative
/// difference of about 1e-5. Thread-safe.
class FoldedTsm {
 public:
  explicit FoldedTsm(const Tsm& tsm);

  const TsmShape& shape() const { return shape_; }

  /// Clips x feature_columns; frames as in Tsm.
  at::Tensor features(const at::Tensor& frames) const;
  /// Raw scores, clips x classes.
  at::Tensor scores(const at::Tensor& frames) const;

 private:
  struct Block {
    std::vector<FoldedConvolution> convolutions;
    std::vector<FoldedConvolution> shortcut;
  };

  TsmShape shape_;
  FoldedConvolution stem_;
  std::vector<Block> blocks_;
  at::Tensor classifier_weight_;
  at::Tensor classifier_bias_;
};

}  // namespace manyverbs
