// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "manyverbs/decoding/internal/flow_folders.h"

namespace manyverbs {

/// Writes one image per clip for the first `count` clips with flow: moments of the clip from left
/// to right, frames above and their flow in colours below. Returns the files.
std::vector<std::filesystem::path> peek_at_flow(const Dataset& dataset, int count,
                                                const std::filesystem::path& folder);

}  // namespace manyverbs
