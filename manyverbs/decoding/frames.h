// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/decoding/image.h"

namespace manyverbs {

/// The frames of a clip, whatever it is stored as: a video file, a part of one, or a folder of
/// numbered pictures (img_00001.jpg, frame_0000000001.jpg, … from 0 or 1 up without a gap).
///
///   const ClipFrames clip = find_frames("carrot.mp4", 2.0, 5.5);
///   const std::vector<Image> four = read_frames(clip, std::vector{0, 9, 9, 40}, {.short_side =
///   256});
///
/// Frames are counted as they are shown, from 0 at the clip's start. Any number of threads may read
/// at once, each with a decoder of one thread. Memory does not grow with the length of a video.

/// Where a clip's frames are. Counted by decoding: what containers announce is not believed.
struct ClipFrames {
  std::filesystem::path path;  ///< a video file or a folder of pictures
  int first = 0;               ///< frames of the video before the clip
  int count = 0;               ///< frames of the clip, at least 1
  double first_time = 0;       ///< seconds into the video at which the clip's first frame is shown
  int width = 0;
  int height = 0;
  double frame_rate = 0;  ///< frames per second; 0 for a folder, which does not say
  std::string content;    ///< content_hash() of the video, where a frame index found the clip

  bool operator==(const ClipFrames&) const = default;
};

/// The frames shown in [start, stop) seconds; without times, all. At 10 frames a second, 0.5 to 1.0
/// are the frames 5 to 9. Throws Error with file and reason when it is missing, empty, damaged or
/// no video, when a tenth or more of what is announced cannot be decoded, when it ends before the
/// clip does, and for a folder that has a gap in its numbers or no pictures, or times for a folder.
ClipFrames find_frames(const std::filesystem::path& path, std::optional<double> start = {},
                       std::optional<double> stop = {});

/// The same for several clips of one video in a single pass. Throws only when the video itself
/// cannot be read; else one entry a part, with a reason where a part is not there.
struct VideoPart {
  std::optional<double> start;
  std::optional<double> stop;
};
struct FoundPart {
  std::optional<ClipFrames> frames;
  std::string problem;  ///< without the name of the file; empty when the frames were found
};
std::vector<FoundPart> find_parts(const std::filesystem::path& path,
                                  std::span<const VideoPart> parts);

struct FrameFormat {
  Colour colour = Colour::Rgb;
  int short_side = 0;  ///< the shorter side in pixels, the other in proportion; 0: as stored
};

/// The frames at the given positions of the clip, in the order asked for; a position may come
/// twice. One pass forward, which keeps only these. Throws Error when the file no longer has them.
std::vector<Image> read_frames(const ClipFrames& clip, std::span<const int> positions,
                               const FrameFormat& format = {});

/// Calls `use` with every frame of the clip in turn; the picture is good until `use` returns.
void for_each_frame(const ClipFrames& clip, const FrameFormat& format,
                    const std::function<void(int position, const Image& frame)>& use);

}  // namespace manyverbs
