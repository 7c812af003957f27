// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "manyverbs/decoding/frames.h"

namespace manyverbs {

/// Frames of a whole video, selected by rules that depend on the number of frames. This number is
/// known only after the last frame has been decoded, yet the video is decoded only once.

struct PictureChoice {
  FrameFormat format;
  /// The selected positions in a video with this number of frames, in any order.
  std::function<std::vector<int>(int frames)> positions;
};

struct ChosenPictures {
  int frames = 0;                              ///< of the video
  std::vector<std::map<int, Image>> pictures;  ///< by position, one map for each choice
};

/// Keeps the frames that would be selected if the number of frames in the header of the file were
/// wrong by up to two. If it is wrong by more, the video is decoded a second time. Throws Error
/// like find_frames().
ChosenPictures read_chosen_pictures(const std::filesystem::path& path,
                                    std::span<const PictureChoice> choices);

}  // namespace manyverbs
