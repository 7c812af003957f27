// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/sampling.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace manyverbs {
namespace {

int segment_start(int num_frames, int segments, int i) {
  return static_cast<int>(std::int64_t{num_frames} * i / segments);
}

}  // namespace

std::vector<int> fixed_frames(int num_frames, int segments, SegmentPoint point) {
  assert(num_frames > 0 && segments > 0);
  std::vector<int> positions;
  positions.reserve(segments);
  for (int i = 0; i < segments; ++i) {
    positions.push_back(point == SegmentPoint::Start
                            ? segment_start(num_frames, segments, i)
                            : segment_start(num_frames, 2 * segments, 2 * i + 1));
  }
  return positions;
}

std::vector<int> random_frames(int num_frames, int segments, Random* random) {
  assert(num_frames > 0 && segments > 0);
  std::vector<int> positions;
  for (int i = 0; i < segments; ++i) {
    const int start = segment_start(num_frames, segments, i);
    const int length = std::max(1, segment_start(num_frames, segments, i + 1) - start);
    positions.push_back(start + static_cast<int>(random->below(length)));
  }
  return positions;
}

std::vector<int> stacked(std::span<const int> positions, int num_frames, int length) {
  std::vector<int> all;
  for (const int position : positions) {
    for (int i = 0; i < length; ++i) all.push_back(std::min(position + i, num_frames - 1));
  }
  return all;
}

}  // namespace manyverbs
