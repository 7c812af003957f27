// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/decoding/internal/flow_folders.h"
#include "manyverbs/decoding/internal/frame_index.h"
#include "manyverbs/decoding/internal/sampling.h"
#include "manyverbs/features/internal/clip_tensor.h"

namespace manyverbs {

struct ClipSettings {
  InputSettings input;
  int segments = 8;
  SegmentPoint point = SegmentPoint::Centre;  ///< in testing
};

/// The pictures that a network sees of a clip in testing, as positions among its `pictures` frames
/// or flow fields, in the order of clip_tensor().
std::vector<int> test_pictures(int pictures, const ClipSettings& settings);

/// The clips of a data set as a network sees them, decoded when they are asked for. RGB comes from
/// the videos, flow from the pictures that `manyverbs flow` made. Any number of threads may ask.
class ClipSource {
 public:
  /// Finds the frames of every clip. With OnError::Stop the first problem is thrown as Error.
  ClipSource(const Dataset& dataset, ClipSettings settings, OnError on_error);

  const ClipSettings& settings() const { return settings_; }
  /// Clips that cannot be read, in the order of clips.csv.
  const std::vector<ClipProblem>& problems() const { return problems_; }
  /// Whether a clip is none of those.
  bool has(ClipRow clip) const { return usable_[index(clip)]; }

  /// A hash of the content of the videos that clips are read from; of flow, of the number and the
  /// size of its pictures only.
  std::string content(std::span<const ClipRow> clips) const;

  /// segments x channels x size x size: fixed frames, the middle of the picture. Throws Error when
  /// the clip cannot be read.
  at::Tensor test_clip(ClipRow clip) const;
  /// One frame drawn from each segment, one view for all of them.
  at::Tensor training_clip(ClipRow clip, Random* random) const;

 private:
  int num_pictures(ClipRow clip) const;
  std::vector<Image> read(ClipRow clip, const std::vector<int>& pictures, int short_side) const;

  ClipSettings settings_;
  std::vector<ClipProblem> problems_;
  std::vector<bool> usable_;
  std::vector<std::optional<ClipFrames>> frames_;  // of RGB
  std::vector<std::optional<FlowFrames>> flow_;
};

/// Writes what the network sees of the first `count` usable clips, one picture each: the segments
/// from left to right, flow in colours. Returns the files.
std::vector<std::filesystem::path> peek_at_clips(const Dataset& dataset, const ClipSource& source,
                                                 int count, const std::filesystem::path& folder);

}  // namespace manyverbs
