// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/decoding/frame_index.h"
#include "manyverbs/server/project.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// From a data set and a model to an annotation project: which clips people see, which verbs they
/// choose from, and the clips as small videos that every browser plays.

struct PreparationSettings {
  std::filesystem::path run;  ///< of the model, for the record
  std::filesystem::path out;
  std::string name;              ///< when empty, that of the data set
  Split split = Split::Test;     ///< Test or Val
  std::string choice = "wrong";  ///< "all", "sample" or "wrong"
  int count = 0;                 ///< at most so many clips, at random; 0: all
  int candidates = 11;           ///< verbs per clip: the model's best, the original among them
  int practice = 3;              ///< clips of another split to practise on
  std::uint64_t seed = 1;
  OnError on_error = OnError::Stop;
};

struct PreparationReport {
  AnnotationProject project;
  int eligible = 0;          ///< clips of the split
  int wrong = 0;             ///< of these, clips whose best prediction is not among their labels
  int without_original = 0;  ///< chosen clips with several labels, none known as the original
  int made = 0;              ///< videos written by this call
  int kept = 0;              ///< videos that were there already
  std::vector<std::string> skipped;  ///< "CLIP: reason"
};

/// What the model makes of some clips of the data set: one row per clip, one column per class.
using ClipScores = std::function<Matrix<float>(const std::vector<int>& clips)>;

/// Makes the project, or resumes what a stopped call left: videos that are there are kept. Throws
/// Error when `out` holds a project of other settings or clips or something else; with
/// OnError::Stop also for the first video that cannot be used.
PreparationReport prepare_project(const PreparationSettings& settings, const Dataset& dataset,
                                  const ClipScores& scores);

/// The `count` classes of highest score, best first, of equal ones the lower class. An original
/// that is not among them takes the place of the last, so that the number of verbs never tells
/// where the original is; all classes when there are no more than `count`. Scores {.1, .7, .2},
/// count 2: {1, 2}, and {1, 0} where the original is 0.
std::vector<ClassId> candidate_classes(std::span<const float> scores, int count,
                                       std::optional<ClassId> original);

/// Writes a clip as H.264 in an MP4 that starts to play before it is loaded whole: at most 360
/// pixels on the short side and 30 frames a second, no sound, a key frame every second at least.
/// The file is whole or not there.
void write_browser_clip(const ClipFrames& clip, const std::filesystem::path& path);

}  // namespace manyverbs
