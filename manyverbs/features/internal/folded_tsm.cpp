// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/folded_tsm.h"

#include <cassert>

#include <ATen/ATen.h>

#include "manyverbs/support/internal/interruption.h"

namespace manyverbs {

FoldedTsm::FoldedTsm(const Tsm& tsm) : shape_(tsm.shape()), stem_(tsm.stem()) {
  for (const TsmBlock& block : tsm.blocks()) {
    Block folded;
    for (const ConvolutionNorm& layer : block.convolutions) folded.convolutions.emplace_back(layer);
    for (const ConvolutionNorm& layer : block.shortcut) folded.shortcut.emplace_back(layer);
    blocks_.push_back(std::move(folded));
  }
  if (shape_.classes == 0) return;
  classifier_weight_ = tsm.classifier_weight().detach().clone();
  classifier_bias_ = tsm.classifier_bias().detach().clone();
}

at::Tensor FoldedTsm::features(const at::Tensor& frames) const {
  assert(frames.size(0) % shape_.segments == 0 && frames.size(1) == shape_.input_channels);
  const at::NoGradGuard no_gradients;
  at::Tensor x = stem_(frames.contiguous(at::MemoryFormat::ChannelsLast), {0, {}, true});
  x = at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
  for (const Block& block : blocks_) {
    stop_if_interrupted();
    const at::Tensor shortcut = block.shortcut.empty() ? x : block.shortcut.front()(x, {});
    for (const FoldedConvolution& convolution : block.convolutions) {
      FoldedConvolution::Fused fused;
      fused.relu = true;
      if (&convolution == &block.convolutions.front() && shape_.shift) {
        fused.shift_segments = shape_.segments;
      }
      if (&convolution == &block.convolutions.back()) fused.added = shortcut;
      x = convolution(x, fused);
    }
  }
  return x.mean({2, 3}).view({-1, shape_.segments, x.size(1)}).mean(1);
}

at::Tensor FoldedTsm::scores(const at::Tensor& frames) const {
  assert(shape_.classes > 0);
  const at::NoGradGuard no_gradients;
  return at::addmm(classifier_bias_, features(frames), classifier_weight_.t());
}

}  // namespace manyverbs
