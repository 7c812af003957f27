// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <span>
#include <vector>

#include "manyverbs/decoding/internal/flow_folders.h"

namespace manyverbs {

/// Some flow fields of a video, exactly as compute_flow() would store them and read_flow() would
/// read them, without a file and without the fields between them.

/// Fields of a video of so many frames: one less, but one without motion for a single frame.
int num_flow_fields(int frames);

/// The frames between which these fields lie, each once, in order. {0, 1, 5}: {0, 1, 2, 5, 6}; of a
/// video of a single frame, {0}.
std::vector<int> frames_for_flow(std::span<const int> fields, int frames);

/// The fields at the given positions. `grey` holds frames_for_flow() by position, in the size that
/// flow is computed in; `short_side` is that of the pictures that come back.
std::vector<Image> flow_in_memory(const std::map<int, Image>& grey, std::span<const int> fields,
                                  const FlowSettings& settings, int short_side);

}  // namespace manyverbs
