// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <span>
#include <vector>

#include "manyverbs/decoding/internal/flow_folders.h"

namespace manyverbs {

/// Some flow fields of a video, equal to those that compute_flow() stores and read_flow() reads,
/// but without files and without the fields in between.

/// The number of fields of a video: one less than frames; for a single frame, one without motion.
int num_flow_fields(int frames);

/// The frames that these fields are computed from, each once, in order. {0, 1, 5}: {0, 1, 2, 5, 6};
/// for a video of a single frame, {0}.
std::vector<int> frames_for_flow(std::span<const int> fields, int frames);

/// The fields at the given positions. `grey` has frames_for_flow() by position, in the size in
/// which flow is computed; `short_side` is that of the result.
std::vector<Image> flow_in_memory(const std::map<int, Image>& grey, std::span<const int> fields,
                                  const FlowSettings& settings, int short_side);

}  // namespace manyverbs
