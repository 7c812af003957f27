// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

namespace manyverbs {

/// Temporal shift (Lin et al. 2019): a network that looks at single frames sees motion once some of
/// its channels come from the frame before and some from the frame after.
///
/// `frames` is (clips x segments) x C x H x W, grouped by clip. Channels [0, C / 8) of a frame
/// come from the next frame of the clip, [C / 8, C / 4) from the previous one, or are 0 if there is
/// none; the others are unchanged. Differentiable. Example: C = 8 and 3 frames whose channels are
/// all 1, 2 and 3: channel 0 becomes 2, 3, 0 and channel 1 becomes 0, 1, 2.
at::Tensor temporal_shift(const at::Tensor& frames, int segments);

}  // namespace manyverbs
