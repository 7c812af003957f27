// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace manyverbs {

/// A video that a table in the folder `base` names, as clips.csv of a data set at `folder` must
/// name it: an absolute path stays, a relative one counts from there. "cut.mp4" of a table in /a,
/// seen from /a/kitchen, is "../cut.mp4"; "" stays "".
inline std::string video_seen_from(const std::filesystem::path& folder,
                                   const std::filesystem::path& base, const std::string& video) {
  if (video.empty() || std::filesystem::path(video).is_absolute()) return video;
  return std::filesystem::relative(std::filesystem::absolute(base / video), folder).string();
}

}  // namespace manyverbs
