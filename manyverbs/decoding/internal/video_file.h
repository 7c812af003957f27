// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "manyverbs/decoding/frames.h"

namespace manyverbs {

/// Reads the frames of a video file with FFmpeg, on the calling thread.
///
///   VideoFile video("carrot.mp4");
///   Image image;
///   while (video.next()) {
///     video.picture(format, &image);
///     use(video.time(), image);
///   }
class VideoFile {
 public:
  /// Throws Error if the file is missing, empty, not a video, or has an unsupported codec.
  explicit VideoFile(const std::filesystem::path& path);
  ~VideoFile();
  VideoFile(const VideoFile&) = delete;
  VideoFile& operator=(const VideoFile&) = delete;

  /// Moves to the next decodable frame; false after the last. Damaged parts are skipped.
  bool next();
  /// Moves to the frame displayed at `time`, a value that time() returned. Returns false if the
  /// file has no reliable times or the frame is not found; then the position is undefined.
  bool jump_to(double time);

  /// The display time of the current frame, in seconds from the first frame of the video.
  double time() const;
  /// Writes the current frame into *image, rotated upright, resized and in the colours of `format`.
  void picture(const FrameFormat& format, Image* image);

  /// The display size, after rotation of videos from a phone.
  PictureSize size() const;
  double frame_rate() const;  ///< 0 if unknown
  /// From the metadata of the file; 0 if unknown.
  double announced_duration() const;  ///< seconds
  std::int64_t announced_frames() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyverbs
