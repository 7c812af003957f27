// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// The published files of EPIC-Kitchens-100: EPIC_100_train.csv, EPIC_100_validation.csv and
/// EPIC_100_verb_classes.csv. A clip is a narration, and its label is the verb. The multi-label
/// test set consists of the validation clips in an SPMV file, which lists all verbs that people
/// agreed on; the verb of the narration is the original label.

struct Epic100Import {
  std::filesystem::path annotations;  ///< the folder of these files
  std::filesystem::path spmv;    ///< columns narration_id and verb_labels ("[3, 17]"), or empty
  std::filesystem::path videos;  ///< the folder of `<video_id>.MP4`; empty if there is none
  std::optional<double> fps;     ///< converts frame numbers to seconds if timestamps are empty
  std::filesystem::path out;
};

struct Epic100Imported {
  Dataset dataset;
  int without_times = 0;  ///< clips without timestamps, and without frame numbers or fps
};

/// Writes the data set and returns it: first the training clips, then the validation clips as val,
/// or as test if they are in the SPMV file. Throws Error with file and line for a duplicate clip,
/// an invalid verb or time, and SPMV lines without a validation clip.
Epic100Imported import_epic100(const Epic100Import& settings);

/// The seconds of a timestamp: 3723.5 for "01:02:03.50", nothing for "1:2" or "00:61:00".
std::optional<double> timestamp_seconds(std::string_view text);

}  // namespace manyverbs
