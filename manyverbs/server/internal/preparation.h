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
#include "manyverbs/decoding/internal/frame_index.h"
#include "manyverbs/server/project.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// From a data set and a model to an annotation project: which clips people see, which verbs they
/// choose from, and the clips as small videos that every browser plays.

struct PreparationSettings {
  std::vector<std::filesystem::path> runs;  ///< of the models, for the record
  std::filesystem::path out;
  std::string name;      ///< empty: the name of the data set
  std::string language;  ///< of annotation_languages(); empty: "en", or that of the project
  std::filesystem::path definitions;  ///< a CSV file, see guide.h; empty: none
  std::filesystem::path gold;         ///< a CSV file, see gold_file.h; empty: none
  Split split = Split::Test;          ///< Test or Val
  std::string choice = "wrong";  ///< "all", "sample", "wrong" or "disagreement", as in the project
  int count = 0;                 ///< maximum number of clips, sampled at random; 0: all
  int candidates = 11;  ///< verbs per clip: the model's top predictions, including the original
  int practice = 3;     ///< clips of another split to practise on
  std::uint64_t seed = 1;
  OnError on_error = OnError::Stop;
};

struct PreparationReport {
  AnnotationProject project;
  int eligible = 0;           ///< clips of the split
  int wrong = 0;              ///< of these, clips whose top prediction is not one of their labels
  int disputed = 0;           ///< of these, clips whose top predictions differ between the models
  int without_original = 0;   ///< selected clips with several labels and no known original
  int gold_without_verb = 0;  ///< gold clips without a label among their candidates
  int made = 0;               ///< videos written by this call
  int kept = 0;               ///< videos that existed already
  std::vector<std::string> skipped;  ///< "CLIP: reason"
};

/// What the model makes of some clips of the data set: one row per clip, one column per class.
using ClipScores = std::function<Matrix<float>(const std::vector<ClipRow>& clips)>;

/// With several models, the verbs come from the mean of their probabilities, whose highest is the
/// top prediction.
///
/// Makes the project, or resumes what a stopped call left: videos that are there are kept. Throws
/// Error when `out` holds a project of other settings or clips or something else; with
/// OnError::Stop also for the first video that cannot be used.
PreparationReport prepare_project(const PreparationSettings& settings, const Dataset& dataset,
                                  const std::vector<ClipScores>& models);

/// The `count` classes with the highest scores, best first; equal scores are ordered by class
/// number. If the original is not among them, it replaces the last one, so that the number of verbs
/// does not reveal whether the model predicted it. Returns all classes if there are at most
/// `count`. Scores {.1, .7, .2}, count 2: {1, 2}; with original 0: {1, 0}.
std::vector<ClassId> candidate_classes(std::span<const float> scores, int count,
                                       std::optional<ClassId> original);

/// Writes a clip as an H.264 MP4 file that can start to play while it is loading: at most 720
/// pixels on the short side, at most 30 frames per second, no sound, a key frame at least every
/// second. The file is written completely or not at all.
void write_browser_clip(const ClipFrames& clip, const std::filesystem::path& path);

}  // namespace manyverbs
