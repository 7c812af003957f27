// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "manyverbs/decoding/internal/frame_index.h"

namespace manyverbs::cli {

/// The output of the subcommands of `import` that look into videos.

/// Remarks how many videos an earlier call has counted, if any.
void note_resumed(int videos);
/// Prints the number of frames and their sizes.
void print_frames(const FrameIndex& index);
/// Prints the clips that were left out, up to `most` of them; 0: all.
void print_skipped(const std::vector<std::string>& skipped, std::size_t most = 0);

}  // namespace manyverbs::cli
