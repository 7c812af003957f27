// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "manyverbs/decoding/internal/video_writer.h"
#include "manyverbs/server/internal/preparation.h"

namespace manyverbs {
namespace {

constexpr int kShortSide = 720;
constexpr double kMaximumFrameRate = 30.5;  // per second; 29.97 and 30 are kept
constexpr int kFolderFrameRate = 25;        // per second: a folder of images has no frame rate

int even(int length) { return std::max(2, length / 2 * 2); }

PictureSize browser_size(const ClipFrames& clip) {
  PictureSize size = {clip.width, clip.height};
  if (std::min(size.width, size.height) > kShortSide) {
    size = size_with_short_side(size, kShortSide);
  }
  return {even(size.width), even(size.height)};
}

}  // namespace

void write_browser_clip(const ClipFrames& clip, const std::filesystem::path& path) {
  const double rate = clip.frame_rate > 0 ? clip.frame_rate : kFolderFrameRate;
  const int every = static_cast<int>(std::ceil(rate / kMaximumFrameRate));
  VideoFormat format;
  format.size = browser_size(clip);
  format.frame_rate = std::max(1, static_cast<int>(std::lround(rate / every)));
  format.key_frames = format.frame_rate;
  format.fast_start = true;
  const std::filesystem::path part =
      path.parent_path() / (path.stem().string() + ".part" + path.extension().string());
  VideoWriter video(part, format);
  for_each_frame(clip, {}, [&](int position, const Image& frame) {
    if (position % every != 0) return;
    const bool fits = frame.width == format.size.width && frame.height == format.size.height;
    video.write(fits ? frame : resized(frame, format.size));
  });
  video.commit();
  std::filesystem::rename(part, path);
}

}  // namespace manyverbs
