// SPDX-License-Identifier: MIT
#include "cli/imported_videos.h"

#include <climits>
#include <optional>

#include <fmt/format.h>

#include "cli/dataset_text.h"
#include "manyverbs/support/internal/remark.h"

namespace manyverbs::cli {
namespace {

// Of a ClipFrames or a PictureSize.
std::int64_t pixels(const auto& picture) { return std::int64_t{picture.width} * picture.height; }

}  // namespace

void note_resumed(int videos) {
  if (videos == 0) return;
  remark(fmt::format("resumed: {} counted by an earlier call",
                     counted(videos, "video was", "videos were")));
}

void print_frames(const FrameIndex& index) {
  std::int64_t frames = 0;
  PictureSize smallest = {INT_MAX, INT_MAX};
  PictureSize largest;
  for (const std::optional<ClipFrames>& clip : index.clips) {
    frames += clip->count;
    if (pixels(*clip) < pixels(smallest)) smallest = {clip->width, clip->height};
    if (pixels(*clip) > pixels(largest)) largest = {clip->width, clip->height};
  }
  fmt::print("  {} of {} x {}", counted(frames, "frame", "frames"), smallest.width,
             smallest.height);
  if (smallest != largest) fmt::print(" to {} x {}", largest.width, largest.height);
  fmt::print("\n");
}

void print_skipped(const std::vector<std::string>& skipped, std::size_t most) {
  if (skipped.empty()) return;
  fmt::print("skipped {}:\n", counted(std::ssize(skipped), "clip", "clips"));
  const std::size_t shown = most == 0 ? skipped.size() : std::min(most, skipped.size());
  for (std::size_t i = 0; i < shown; ++i) fmt::print("  {}\n", skipped[i]);
  if (shown < skipped.size()) {
    fmt::print("  and {} more\n", grouped(static_cast<std::int64_t>(skipped.size() - shown)));
  }
}

}  // namespace manyverbs::cli
