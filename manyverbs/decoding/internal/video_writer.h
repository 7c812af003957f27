// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "manyverbs/decoding/image.h"

namespace manyverbs {

struct VideoFormat {
  PictureSize size = {};          ///< even numbers
  int frame_rate = 25;            ///< frames per second
  std::string codec = "libx264";  ///< encoder name in FFmpeg, such as mpeg4 or mjpeg
  int key_frames = 12;            ///< key frame interval in frames
  bool fast_start = false;        ///< MP4: can be played while loading
};

/// Writes a video file; the format depends on the extension: .mp4, .avi, .mkv.
///
///   VideoWriter video("carrot.mp4", {.size = {160, 120}});
///   for (const Image& frame : frames) video.write(frame);
///   video.commit();
class VideoWriter {
 public:
  /// Throws Error if the file cannot be written or the codec does not support the format.
  VideoWriter(const std::filesystem::path& path, const VideoFormat& format);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// Appends a colour frame of the given size, `frames_later` frame intervals after the previous
  /// one; more than 1 shows the previous frame longer.
  void write(const Image& frame, int frames_later = 1);
  /// Completes the file; without it, the file is removed.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyverbs
