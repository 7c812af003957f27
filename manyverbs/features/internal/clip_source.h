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

/// The frames or flow fields that the network sees in testing, as indices in [0, pictures), in the
/// order of clip_tensor().
std::vector<int> test_pictures(int pictures, const ClipSettings& settings);

/// The clips of a data set as network inputs, decoded on demand: RGB from the videos, flow from the
/// images that `manyverbs flow` wrote. Thread-safe.
class ClipSource {
 public:
  /// Finds the frames of every clip. With OnError::Stop, throws the first problem as Error.
  ClipSource(const Dataset& dataset, ClipSettings settings, OnError on_error);

  const ClipSettings& settings() const { return settings_; }
  /// Unreadable clips, in the order of clips.csv.
  const std::vector<ClipProblem>& problems() const { return problems_; }
  /// Whether a clip is readable.
  bool has(ClipRow clip) const { return usable_[index(clip)]; }

  /// The content hash of the videos of these clips; for flow, only of the number, the size and the
  /// first of its images.
  std::string content(std::span<const ClipRow> clips) const;

  /// segments x channels x size x size: fixed frames, centre crop. Throws Error if the clip cannot
  /// be read.
  at::Tensor test_clip(ClipRow clip) const;
  /// A random frame of each segment, with the same random view for all.
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

/// Writes the network inputs of the first `count` readable clips as one image each: segments from
/// left to right, flow in colours. Returns the files.
std::vector<std::filesystem::path> peek_at_clips(const Dataset& dataset, const ClipSource& source,
                                                 int count, const std::filesystem::path& folder);

}  // namespace manyverbs
