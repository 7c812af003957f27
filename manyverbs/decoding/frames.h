// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/decoding/image.h"

namespace manyverbs {

/// The frames of a clip, which is a video file, a folder of numbered images (img_00001.jpg,
/// frame_0000000001.jpg, … from 0 or 1 without gaps), a tar file of such images, which is not
/// unpacked, or a part of one of them.
///
///   const ClipFrames clip = find_frames("carrot.mp4", 2.0, 5.5);
///   const std::vector<Image> four = read_frames(clip, std::vector{0, 9, 9, 40}, {.short_side =
///   256});
///
/// Frames are numbered in display order, from 0 at the start of the clip. Thread-safe; each decoder
/// uses one thread. Memory use does not depend on the length of the video.

class PictureSource;

/// The location of the frames of a clip. Frames are counted by decoding, because container metadata
/// is unreliable.
struct ClipFrames {
  std::filesystem::path path;  ///< a video file, or a folder or a tar file of images
  int first = 0;               ///< number of frames before the clip
  int count = 0;               ///< number of frames, at least 1
  double first_time = 0;       ///< display time of the first frame in seconds
  int width = 0;
  int height = 0;
  double frame_rate = 0;  ///< frames per second; 0 for images, if it is not known
  std::string content;    ///< content hash of the video, if set by a frame index
  /// The images of a folder or a tar file, shared by its clips; not compared.
  std::shared_ptr<const PictureSource> pictures = {};

  bool operator==(const ClipFrames& other) const;
};

/// The frames displayed in [start, stop) seconds; all if there are no times. At 10 frames per
/// second, 0.5 to 1.0 are the frames 5 to 9. Throws Error with file and reason if the file is
/// missing, empty, damaged or not a video, if a tenth or more of the announced frames cannot be
/// decoded, if the video ends before the clip, for a folder or tar file without images or with a
/// gap in the numbers, and for one with times.
ClipFrames find_frames(const std::filesystem::path& path, std::optional<double> start = {},
                       std::optional<double> stop = {});

/// The same for several clips of one video in a single pass. Throws only if the video itself cannot
/// be read; otherwise returns one entry per part, with a reason if the part does not exist.
struct VideoPart {
  std::optional<double> start;  ///< in seconds
  std::optional<double> stop;
  /// Or the first and the last frame, both included: the numbers in the names of images; the first
  /// frame of a video file is 1.
  std::optional<int> start_frame = std::nullopt;
  std::optional<int> stop_frame = std::nullopt;
  double frame_rate = 0;  ///< frames per second of images; 0: unknown, so they have no times
};
struct FoundPart {
  std::optional<ClipFrames> frames;
  std::string problem;  ///< without the file name; empty if the frames were found
};
std::vector<FoundPart> find_parts(const std::filesystem::path& path,
                                  std::span<const VideoPart> parts);

struct FrameFormat {
  Colour colour = Colour::Rgb;
  int short_side = 0;  ///< target length of the shorter side in pixels, keeping the aspect ratio;
                       ///< 0: original size
};

/// The frames at the given positions of the clip, in the given order; positions may repeat. Reads
/// forward once and stores only these frames. Throws Error if the file no longer has them.
std::vector<Image> read_frames(const ClipFrames& clip, std::span<const int> positions,
                               const FrameFormat& format = {});

/// Calls `use` with every frame of the clip; the image is valid until `use` returns.
void for_each_frame(const ClipFrames& clip, const FrameFormat& format,
                    const std::function<void(int position, const Image& frame)>& use);

}  // namespace manyverbs
