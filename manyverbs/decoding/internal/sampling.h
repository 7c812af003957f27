// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// Which frames of a clip a network sees (Temporal Segment Networks, Wang et al. 2016): the clip is
/// cut into S segments of equal length and one frame is taken of each. Segment i of N frames is
/// [N * i / S, N * (i + 1) / S), rounded down, and at least its first frame: a clip shorter than S
/// frames repeats some.

/// Where in its segment a frame is taken when nothing is left to chance.
enum class SegmentPoint {
  Start,   ///< as the released code of the paper does
  Centre,  ///< as TSN and TSM do
};

/// S positions below `num_frames`, the same at each call, for testing. 20 frames in 8 segments:
/// Start {0, 2, 5, 7, 10, 12, 15, 17}, Centre {1, 3, 6, 8, 11, 13, 16, 18}; 3 frames: {0, 0, 0, 1,
/// 1, 1, 2, 2} and {0, 0, 0, 1, 1, 2, 2, 2}.
std::vector<int> fixed_frames(int num_frames, int segments, SegmentPoint point);

/// One position drawn evenly from each segment, for training.
std::vector<int> random_frames(int num_frames, int segments, Random* random);

/// Each position and the ones behind it, `length` in all, for a stack of flow; behind the last of
/// `num_frames` comes the last again. {0, 7} of 9 in stacks of 3: {0, 1, 2, 7, 8, 8}.
std::vector<int> stacked(std::span<const int> positions, int num_frames, int length = 5);

}  // namespace manyverbs
