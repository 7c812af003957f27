// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/decoding/frames.h"

namespace manyverbs {

/// The frame index of a data set: the location of the frames of every clip. Each video is decoded
/// once to count its frames. DATASET/frames.csv stores the result until the content of the video or
/// the times of the clip change. frames.partial.csv stores intermediate results, so that a killed
/// call resumes.
///
///   const FrameIndex index = index_frames(dataset, OnError::Skip);
///   for (const ClipRow row : dataset.clips_of(Split::Train))
///     if (index.of(row)) read_frames(*index.of(row), …);

struct FrameIndex {
  std::vector<std::optional<ClipFrames>>
      clips;                          ///< in the order of clips.csv; empty if there is a problem
  std::vector<std::string> states;    ///< file_state() of the video of each clip before it was read
  std::vector<ClipProblem> problems;  ///< in the order of clips.csv
  int videos_known = 0;               ///< from an earlier call; the others were decoded by this one

  const std::optional<ClipFrames>& of(ClipRow row) const { return clips[manyverbs::index(row)]; }
};

/// Runs in parallel. Videos in frames.csv, also in that of data sets that share it
/// (shared_data.h), are not decoded again. If the data set is not writable,
/// the result is not stored and a remark is printed. With OnError::Stop, throws the first problem
/// in the order of clips.csv as Error.
FrameIndex index_frames(const Dataset& dataset, OnError on_error);

/// Writes frames.csv for the clips of the data set.
void write_frame_index(const Dataset& dataset, const FrameIndex& index);

/// A list for users, one line per problem: "  carrot_7: videos/carrot.mp4: is empty"; "" if there
/// are none.
std::string problem_lines(const Dataset& dataset, const std::vector<ClipProblem>& problems);

}  // namespace manyverbs
