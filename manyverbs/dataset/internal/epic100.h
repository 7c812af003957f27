// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/import_arrays.h"

namespace manyverbs {

/// The published files of EPIC-Kitchens-100: EPIC_100_train.csv, EPIC_100_validation.csv and
/// EPIC_100_verb_classes.csv. A clip is a narration, and its label is the verb. The multi-label
/// test set consists of the validation clips in an SPMV file, which lists all verbs that people
/// agreed on; the verb of the narration is the original label.

struct Epic100Import {
  std::filesystem::path annotations;  ///< the folder of these files
  std::filesystem::path spmv;    ///< columns narration_id and verb_labels ("[3, 17]"), or empty
  std::filesystem::path videos;  ///< the folder of the videos, see epic_folders.h; may be empty
  std::optional<double> fps;     ///< converts frame numbers to seconds if timestamps are empty
  /// The folder of frames instead of videos, as unpacked or as tar files:
  /// P01/rgb_frames/P01_01[.tar] of the official download, rgb/[train/]P01/P01_01[.tar] of
  /// EPIC-Kitchens-55, or P01/P01_01.
  std::filesystem::path frames;
  /// The folder of flow: P01/flow_frames/P01_01[.tar], flow/[train/]P01/P01_01[.tar]. Empty: that
  /// of the frames.
  std::filesystem::path flow;
  std::vector<FeatureSource> features;  ///< in the order of the reference ids
  std::filesystem::path out;
};

struct Epic100Imported {
  Dataset dataset;
  int without_times = 0;  ///< clips without timestamps, and without frame numbers or fps
  std::vector<std::string> missing_videos;  ///< files that do not exist, if there is a folder
  std::vector<ImportedStream> streams;
  /// Of a data set of frames: whether flow was found, for at least one video.
  bool has_flow = false;
};

/// Reads the annotations without writing anything. Videos, frames and flow are relative to the
/// current folder; flow is that of all videos or of none.
Epic100Imported read_epic100(const Epic100Import& settings);

/// The id of each clip in the released code: its position in the training clips, then the
/// validation clips, each sorted by the numbers of participant, video and narration ("P01_109_3" is
/// 1, 109, 3). Throws Error for another name.
std::vector<std::int64_t> epic100_reference_ids(const Dataset& dataset);

/// Writes the data set and returns it: first the training clips, then the validation clips as val,
/// or as test if they are in the SPMV file. Throws Error with file and line for a duplicate clip,
/// an invalid verb or time, and SPMV lines without a validation clip.
Epic100Imported import_epic100(const Epic100Import& settings);

/// The seconds of a timestamp: 3723.5 for "01:02:03.50", nothing for "1:2" or "00:61:00".
std::optional<double> timestamp_seconds(std::string_view text);

}  // namespace manyverbs
