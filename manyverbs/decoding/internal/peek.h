// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "manyverbs/decoding/internal/flow_folders.h"

namespace manyverbs {

/// Writes one picture a clip for the first `count` clips that have flow: moments of the clip from
/// left to right, the frames above and their flow in colours below. Returns the files.
std::vector<std::filesystem::path> peek_at_flow(const Dataset& dataset, int count,
                                                const std::filesystem::path& folder);

}  // namespace manyverbs
