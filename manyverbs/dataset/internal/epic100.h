// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// EPIC-Kitchens-100 as it is published: EPIC_100_train.csv, EPIC_100_validation.csv and
/// EPIC_100_verb_classes.csv. A clip is a narration and its label the verb. The multi-label test
/// set is made of validation clips for which an SPMV file lists every verb that people agreed on;
/// the verb of the narration is their original label.

struct Epic100Import {
  std::filesystem::path annotations;  ///< the folder of the three files
  std::filesystem::path spmv;    ///< columns narration_id and verb_labels ("[3, 17]"), or empty
  std::filesystem::path videos;  ///< where `<video_id>.MP4` lie; empty when there are none
  std::optional<double> fps;     ///< turns frame numbers into seconds where timestamps are empty
  std::filesystem::path out;
};

struct Epic100Imported {
  Dataset dataset;
  int without_times = 0;  ///< clips with neither timestamps nor, for want of fps, frame numbers
};

/// Writes the data set and returns it: the training clips, then the validation clips as val, or as
/// test where the SPMV file names them. Throws Error with file and line for a clip named twice, a
/// verb that is none, a time that is none, and SPMV lines that fit no validation clip.
Epic100Imported import_epic100(const Epic100Import& settings);

/// Seconds of a timestamp: 3723.5 of "01:02:03.50", nothing of "1:2" or "00:61:00".
std::optional<double> timestamp_seconds(std::string_view text);

}  // namespace manyverbs
