// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// The frames of a clip that a network sees (Temporal Segment Networks, Wang et al. 2016): the clip
/// is divided into S segments of equal length, and one frame is taken from each. Segment i of N
/// frames is [N * i / S, N * (i + 1) / S), rounded down, with at least its first frame: clips
/// shorter than S frames repeat frames.

/// The position of the frame in its segment in testing.
enum class SegmentPoint {
  Start,   ///< as in the released code of the paper
  Centre,  ///< as in TSN and TSM
};

/// S deterministic positions below `num_frames`, for testing. 20 frames in 8 segments: Start {0, 2,
/// 5, 7, 10, 12, 15, 17}, Centre {1, 3, 6, 8, 11, 13, 16, 18}; 3 frames: {0, 0, 0, 1, 1, 1, 2, 2}
/// and {0, 0, 0, 1, 1, 2, 2, 2}.
std::vector<int> fixed_frames(int num_frames, int segments, SegmentPoint point);

/// One position drawn uniformly from each segment, for training.
std::vector<int> random_frames(int num_frames, int segments, Random* random);

/// Each position and the following ones, `length` in total, for stacks of flow; after the last of
/// `num_frames`, the last is repeated. {0, 7} of 9 in stacks of 3: {0, 1, 2, 7, 8, 8}.
std::vector<int> stacked(std::span<const int> positions, int num_frames, int length = 5);

}  // namespace manyverbs
