// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "manyverbs/decoding/image.h"

namespace manyverbs {

struct VideoFormat {
  PictureSize size = {};          ///< even numbers
  int frame_rate = 25;            ///< frames a second
  std::string codec = "libx264";  ///< FFmpeg's name; mpeg4 and mjpeg are others
  int key_frames = 12;            ///< every so many frames, one that can be decoded by itself
  bool fast_start = false;        ///< of MP4: plays before it is loaded whole
};

/// Writes a video file, its kind by the ending of its name: .mp4, .avi, .mkv.
///
///   VideoWriter video("carrot.mp4", {.size = {160, 120}});
///   for (const Image& frame : frames) video.write(frame);
///   video.commit();
class VideoWriter {
 public:
  /// Throws Error when the file cannot be written or the codec does not suit.
  VideoWriter(const std::filesystem::path& path, const VideoFormat& format);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// A frame in colours of the size announced, shown `frames_later` after the one before it: more
  /// than 1 holds the picture before it for longer.
  void write(const Image& frame, int frames_later = 1);
  /// Without it the file is removed.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyverbs
