// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/decoding/internal/flow_folders.h"
#include "manyverbs/features/internal/clip_source.h"
#include "manyverbs/features/internal/folded_tsm.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// The outputs of networks for whole videos, bit-identical to those for clips of a data set, but
/// without writing files. Each video is decoded once for all networks.

struct VideoNetwork {
  enum class Output { Features, Scores };

  FoldedTsm network;
  ClipSettings clips;
  FlowSettings flow;  ///< only used for the stream flow
  Output output = Output::Features;
  bool float16 = false;  ///< round the output to float16, like feature files of that type
};

struct VideoOutputs {
  std::vector<std::size_t> videos;  ///< indices of the readable videos
  Matrix<float> rows;               ///< one row for each: the outputs of all networks, concatenated
  std::vector<std::string> problems;  ///< of the other videos: "lost.mp4: the file does not exist"
};

/// Accepts video files and folders of frames. Each core processes one video at a time. With
/// OnError::Stop, throws the first problem as Error.
VideoOutputs video_outputs(std::span<const std::filesystem::path> videos,
                           std::span<const VideoNetwork> networks, OnError on_error);

}  // namespace manyverbs
