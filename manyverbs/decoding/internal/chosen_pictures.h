// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "manyverbs/decoding/frames.h"

namespace manyverbs {

/// Pictures of a whole video, chosen by rules that depend on its number of frames. That number is
/// known for sure only after the last frame was decoded, yet the video is decoded only once.

struct PictureChoice {
  FrameFormat format;
  /// The positions wanted of a video of so many frames, in any order.
  std::function<std::vector<int>(int frames)> positions;
};

struct ChosenPictures {
  int frames = 0;                              ///< of the video
  std::vector<std::map<int, Image>> pictures;  ///< by position, one map for each choice
};

/// Keeps what would be wanted if the number of frames that the file announces were right or wrong
/// by up to two. Only where it is wrong by more, the video is decoded a second time. Throws Error
/// where find_frames() does.
ChosenPictures read_chosen_pictures(const std::filesystem::path& path,
                                    std::span<const PictureChoice> choices);

}  // namespace manyverbs
