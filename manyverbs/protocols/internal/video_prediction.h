// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/decoding/frame_index.h"
#include "manyverbs/protocols/trained_model.h"

namespace manyverbs {

/// Video files, or folders of frames, as a model sees them: a data set in a temporary folder that
/// goes away with this, with whatever the model reads of its clips, made the way it was made for
/// the clips that the model learnt from.
class VideoSet {
 public:
  /// Looks at every video; with OnError::Skip those that cannot be used are left out.
  VideoSet(const std::vector<std::string>& videos, OnError on_error);
  ~VideoSet();
  VideoSet(const VideoSet&) = delete;
  VideoSet& operator=(const VideoSet&) = delete;

  /// The videos that can be used, as they were given.
  const std::vector<std::string>& videos() const { return videos_; }
  /// "lost.mp4: is not there"
  const std::vector<std::string>& problems() const { return problems_; }

  /// Probabilities, a row for each of videos(). Where the model reads features, its data set must
  /// still be there to say how they were made. Throws Error when they came from elsewhere.
  Matrix<float> probabilities(const TrainedModel& model) const;

 private:
  VideoSet();

  Dataset dataset_;  // clips are named by number: a path may be long, or given twice
  std::vector<std::string> videos_;
  std::vector<std::string> problems_;
};

}  // namespace manyverbs
