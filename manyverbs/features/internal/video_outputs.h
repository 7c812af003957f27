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

/// What networks compute from whole videos, to the bit what they compute from the clips of a data
/// set, but in memory: nothing is written, and each video is decoded once for all networks.

struct VideoNetwork {
  enum class Output { Features, Scores };

  FoldedTsm network;
  ClipSettings clips;
  FlowSettings flow;  ///< looked at for the stream flow only
  Output output = Output::Features;
  bool halves = false;  ///< round the output to float16, as a feature file of that type does
};

struct VideoOutputs {
  std::vector<std::size_t> videos;  ///< those that could be read, as positions in what was given
  Matrix<float> rows;               ///< one row for each: the outputs of all networks side by side
  std::vector<std::string> problems;  ///< "lost.mp4: the file does not exist", of the others
};

/// Video files, or folders of frames; one video per core at a time. With OnError::Stop the first
/// problem is thrown as Error.
VideoOutputs video_outputs(std::span<const std::filesystem::path> videos,
                           std::span<const VideoNetwork> networks, OnError on_error);

}  // namespace manyverbs
