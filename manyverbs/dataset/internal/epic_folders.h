// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace manyverbs {

/// Finds the frames ("rgb") or the flow ("flow") of the videos of EPIC-Kitchens, as folders or as
/// tar files, where people keep them under a root folder:
///
///   P01/rgb_frames/P01_01        the official download
///   rgb/train/P01/P01_01         EPIC-Kitchens-55, also with test
///   rgb/P01/P01_01, rgb/P01_01
///   P01/P01_01, P01_01           only frames
class EpicFolders {
 public:
  EpicFolders(std::filesystem::path root, std::string kind);

  /// The path of a folder, or of a tar file; empty if there is none. The pattern of the video
  /// before is tried first.
  std::string find(const std::string& video);
  /// Where the official download puts it.
  std::string expected(const std::string& video) const;

 private:
  std::filesystem::path root_;
  std::string kind_;
  std::size_t last_ = 0;
};

/// Frames per second of the official frames: 60 for the videos of EPIC-Kitchens-55 (P01_01), 50 for
/// those of the extension (P01_101), whatever the rate of the video files is.
double epic_frame_rate(const std::string& video);

/// The file of a video under a root folder: P01_01.MP4, P01/videos/P01_01.MP4 of the official
/// download, P01/P01_01.MP4 or videos/train/P01/P01_01.MP4. The first if none exists.
std::string epic_video(const std::filesystem::path& root, const std::string& video);

}  // namespace manyverbs
