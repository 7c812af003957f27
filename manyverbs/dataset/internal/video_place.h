// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace manyverbs {

/// Converts the video path of a table in the folder `base` to a path for clips.csv of a data set at
/// `folder`: absolute paths are unchanged, relative paths become relative to `folder`. "cut.mp4" in
/// /a, seen from /a/kitchen, is "../cut.mp4"; "" stays "".
inline std::string video_seen_from(const std::filesystem::path& folder,
                                   const std::filesystem::path& base, const std::string& video) {
  if (video.empty() || std::filesystem::path(video).is_absolute()) return video;
  return std::filesystem::relative(std::filesystem::absolute(base / video), folder).string();
}

}  // namespace manyverbs
