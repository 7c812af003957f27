// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "manyverbs/decoding/frames.h"

namespace manyverbs {

/// A video file read frame after frame by FFmpeg, on the caller's thread alone.
///
///   VideoFile video("carrot.mp4");
///   Image image;
///   while (video.next()) {
///     video.picture(format, &image);
///     use(video.time(), image);
///   }
class VideoFile {
 public:
  /// Throws Error when the file is missing, empty, no video, or of a kind that cannot be decoded.
  explicit VideoFile(const std::filesystem::path& path);
  ~VideoFile();
  VideoFile(const VideoFile&) = delete;
  VideoFile& operator=(const VideoFile&) = delete;

  /// Moves to the next frame that can be decoded; false behind the last. Damaged parts are passed
  /// over.
  bool next();
  /// Moves to the frame shown at `time`, a time that time() gave; false when the file has no
  /// reliable times or the frame is not found: then nothing is known of the position.
  bool jump_to(double time);

  /// Of the frame that next() moved to: when it is shown, in seconds from the video's first.
  double time() const;
  /// Writes the frame into *image, turned upright, resized and in the colours of `format`.
  void picture(const FrameFormat& format, Image* image);

  /// As people see it: a video of a telephone held upright is turned.
  PictureSize size() const;
  double frame_rate() const;  ///< 0 where the file does not say
  /// What the file says of itself; 0 where it does not.
  double announced_duration() const;  ///< seconds
  std::int64_t announced_frames() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyverbs
