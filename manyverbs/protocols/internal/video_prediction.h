// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/decoding/frame_index.h"
#include "manyverbs/protocols/trained_model.h"

namespace manyverbs {

struct VideoProbabilities {
  std::vector<std::filesystem::path> videos;  ///< those that could be read, as they were given
  Matrix<float> probabilities;                ///< one row for each of them
  std::vector<std::string> problems;          ///< "lost.mp4: there is no such file"
};

/// What a model says of video files, or folders of frames, decoded once each and seen the way the
/// clips were that it learnt from: to the bit the probabilities that they would get as clips of a
/// data set. Nothing is written. With OnError::Stop the first problem is thrown as Error. Throws
/// Error when the features that the model reads came from elsewhere.
VideoProbabilities video_probabilities(const TrainedModel& model,
                                       const std::vector<std::filesystem::path>& videos,
                                       OnError on_error);

}  // namespace manyverbs
