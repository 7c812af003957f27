// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

namespace manyverbs {

/// Temporal shift (Lin et al. 2019): a network that looks at single frames sees motion once some of
/// its channels come from the frame before and some from the frame after.
///
/// `frames` is (clips x segments) x C x H x W, the frames of a clip one after the other. Channels
/// [0, C / 8) of a frame come from the frame behind it, [C / 8, C / 4) from the one before it, the
/// rest stay; where there is no such frame they are 0. Clips do not mix. Gradients flow.
/// C = 8, 3 frames whose channels are all 1, 2, 3: channel 0 becomes 2, 3, 0 and channel 1 becomes
/// 0, 1, 2.
at::Tensor temporal_shift(const at::Tensor& frames, int segments);

}  // namespace manyverbs
