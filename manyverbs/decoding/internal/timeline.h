// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "manyverbs/decoding/internal/video_file.h"

namespace manyverbs::decoding_internal {

/// A video or clip is truncated if a smaller share than this can be decoded. Containers are often
/// wrong by a frame or two.
inline constexpr double kEnough = 0.9;

/// What one pass over a video tells.
struct Timeline {
  std::vector<double> times;  ///< seconds at which each frame is shown, at least one
  double end = 0;             ///< seconds at which the last frame is gone
};

/// Decodes a video that was just opened to its end and calls `at_frame` with the position of each
/// frame when it is the video's current one. Throws Error when no frame can be decoded, or much
/// fewer than the file announces.
Timeline pass_over(VideoFile* video, const std::filesystem::path& path,
                   const std::function<void(int position)>& at_frame = {});

}  // namespace manyverbs::decoding_internal
