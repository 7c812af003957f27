// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/internal/dataset_content.h"
#include "manyverbs/labels/pseudo_labels.h"

namespace manyverbs {

/// Pseudo-labels on disk: a readable table, and a record of how it was made.
///
///   k15.csv   clip,class,votes,share,suggested   the classes with votes of the neighbours,
///             P01_7,cut,9,0.6000,1               most votes first; here peel is the own label of
///             P01_7,peel,5,0.3333,0              the clip, and one vote of 15 does not exceed tau.
///             P01_7,remove,1,0.0667,0            Votes and share are empty for other methods.
///   k15.json  the method, its settings and the quality of the suggestions

/// The settings of the votes of instance-level suggestions.
struct VoteSettings {
  int k = 15;
  double tau = 0.1;
  std::string space;   ///< value of --space
  std::string metric;  ///< value of --metric
  /// The name of the voting neighbours in DATASET/neighbours; empty if they were not stored.
  std::string neighbours;

  bool operator==(const VoteSettings&) const = default;
};

/// The content of NAME.json.
struct PseudoLabelRecord {
  PseudoLabelMethod method = PseudoLabelMethod::Instance;
  std::optional<VoteSettings> votes;  ///< only for the instance-level method
  DatasetContent made_from;
  SuggestionQuality quality;
};

/// Writes NAME.csv and NAME.json into a folder, which is created if necessary; returns the path of
/// the CSV file. `votes` has one row per training clip, or no rows if there are no votes.
std::filesystem::path write_pseudo_labels(const std::filesystem::path& folder,
                                          const std::string& name, const Dataset& dataset,
                                          const Matrix<int>& votes, const Suggestions& suggestions,
                                          const PseudoLabelRecord& record);

/// The suggestions for dataset.clips_of(Split::Train), in that order; none for a clip that is not
/// in the file. Only the columns clip and class are required: without `suggested` every row is a
/// suggestion, and the own label of a clip is ignored. Throws Error with file and line for an
/// unknown clip or class, a clip of another split, a duplicate row, or a value of `suggested` other
/// than 0 or 1.
Suggestions read_pseudo_labels(const std::filesystem::path& csv, const Dataset& dataset);

/// The record of a CSV file; nothing if there is none, for example for a file made by another
/// program.
std::optional<PseudoLabelRecord> read_pseudo_label_record(const std::filesystem::path& csv);

}  // namespace manyverbs
