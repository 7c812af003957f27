// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/decoding/frames.h"

namespace manyverbs {

/// Where the frames of every clip of a data set are: each video is decoded once to count them, and
/// DATASET/frames.csv keeps the answer until the video's content or the clip's times change. Until
/// all are counted, frames.partial.csv keeps what is known so far: a call that is killed resumes.
///
///   const FrameIndex index = index_frames(dataset, OnError::Skip);
///   for (int i : dataset.clips_of(Split::Train))
///     if (index.clips[i]) read_frames(*index.clips[i], …);

/// What to do about a clip whose video cannot be used.
enum class OnError { Stop, Skip };
/// Throws Error with the nearest spelling: "no 'skp' among stop and skip, did you mean 'skip'?"
OnError find_on_error(std::string_view name);

struct ClipProblem {
  int clip = 0;      ///< its position in the data set
  std::string what;  ///< file and reason
};

struct FrameIndex {
  std::vector<std::optional<ClipFrames>> clips;  ///< in the order of clips.csv; none: a problem
  std::vector<std::string> states;    ///< file_state() of each clip's video before it was read
  std::vector<ClipProblem> problems;  ///< in the order of clips.csv
  int videos_known = 0;               ///< by an earlier call; the others were decoded now
};

/// All cores; videos that frames.csv knows are not decoded again. Where the data set cannot be
/// written, the answer is not kept, with a remark. With OnError::Stop the first problem in the
/// order of clips.csv is thrown as Error.
FrameIndex index_frames(const Dataset& dataset, OnError on_error);

/// Writes frames.csv: the index is that of the data set's clips where they are now.
void write_frame_index(const Dataset& dataset, const FrameIndex& index);

/// A list for users, one line per clip: "  carrot_7: videos/carrot.mp4: is empty". "" without any.
std::string problem_lines(const Dataset& dataset, const std::vector<ClipProblem>& problems);

}  // namespace manyverbs
