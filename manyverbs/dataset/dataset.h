// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/dataset/clip.h"
#include "manyverbs/dataset/feature_table.h"
#include "manyverbs/dataset/vocabulary.h"

namespace manyverbs {

/// A data set is a folder:
///
///   dataset.json   {"format": 1, "name": "kitchen"[, "created_as": "/data/kitchen"][, "shared":
///   …]} classes.csv    id,name clips.csv clip,split,labels[,original][,truth][,video][,start,stop]
///   …, see clip.h features/      rgb.npy flow.npy …: one row per clip, in the order of clips.csv
struct Dataset {
  std::filesystem::path folder;
  std::string name;
  Vocabulary classes;
  std::vector<Clip> clips;
  /// The folder it was created as. A relative path of a video that leads nowhere from the current
  /// folder is tried from there, so a data set can be moved with its videos or without them.
  std::filesystem::path created_as = {};
  /// Relative path of the folder of what it shares with other data sets; empty if nothing is
  /// shared. See internal/shared_data.h.
  std::string shared = {};

  const Clip& clip(ClipRow row) const { return clips[index(row)]; }
  /// The clips of a split, in order.
  std::vector<ClipRow> clips_of(Split split) const;
  /// The first label of each given clip; train and val clips have only one.
  std::vector<ClassId> labels_of(const std::vector<ClipRow>& clips) const;
  /// All labels of each given clip.
  std::vector<std::vector<ClassId>> label_sets_of(const std::vector<ClipRow>& clips) const;
  /// The ground truth of each given clip; empty if not known.
  std::vector<std::vector<ClassId>> truth_of(const std::vector<ClipRow>& clips) const;
};

/// Throws Error if the folder does not exist or contains an invalid file.
Dataset read_dataset(const std::filesystem::path& folder);
/// Writes dataset.json, classes.csv and clips.csv into an existing folder.
void write_dataset(const std::filesystem::path& folder, const Dataset& dataset);

/// The streams in features/, sorted by name; empty if there are none.
std::vector<std::string> feature_streams(const Dataset& dataset);
/// The file of a stream.
std::filesystem::path stream_path(const Dataset& dataset, const std::string& stream);
/// The given streams, or all if none is given. Throws Error if one does not exist.
std::vector<std::string> chosen_streams(const Dataset& dataset,
                                        const std::vector<std::string>& streams);
/// The features of the given streams, or of all if none is given. Throws Error if there are no
/// streams, or if a file does not have one row per clip of clips.csv.
FeatureTable open_features(const Dataset& dataset, const std::vector<std::string>& streams = {});

/// The file or folder of the video of a clip. A relative path is relative to the folder of the data
/// set, or, if nothing is there, to the folder it was created as. Throws Error if clips.csv names
/// no video.
std::filesystem::path video_path(const Dataset& dataset, const Clip& clip);
/// The same for the given flow of its video; empty if there is none.
std::filesystem::path flow_path(const Dataset& dataset, const Clip& clip);

}  // namespace manyverbs
