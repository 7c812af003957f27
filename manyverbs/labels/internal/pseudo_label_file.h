// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/internal/dataset_content.h"
#include "manyverbs/labels/pseudo_labels.h"

namespace manyverbs {

/// Pseudo-labels on disk: a table that people can read, and beside it how it was made.
///
///   k15.csv   clip,class,votes,share,suggested   the classes that a clip's neighbours voted for,
///             P01_7,cut,9,0.6000,1               most votes first; here peel is the clip's own
///             P01_7,peel,5,0.3333,0              label, and one vote of 15 does not exceed tau.
///             P01_7,remove,1,0.0667,0            Votes and share are empty for other methods.
///   k15.json  the method, its settings and how good the suggestions are

enum class PseudoLabelMethod { Instance, Class, Ideal };
/// "instance", "class" or "ideal".
std::string_view method_name(PseudoLabelMethod method);
/// Throws Error with the nearest spelling.
PseudoLabelMethod find_method(std::string_view name);

/// What the votes behind instance-level suggestions were counted with.
struct VoteSettings {
  int k = 15;
  double tau = 0.1;
  std::string space;   ///< where clips were compared, in the word of --space
  std::string metric;  ///< how, in the word of --metric
  /// The name under DATASET/neighbours of those who voted; empty where they were not kept.
  std::string neighbours;

  bool operator==(const VoteSettings&) const = default;
};

/// What NAME.json says.
struct PseudoLabelRecord {
  PseudoLabelMethod method = PseudoLabelMethod::Instance;
  std::optional<VoteSettings> votes;  ///< of the instance-level method only
  DatasetContent made_from;
  SuggestionQuality quality;
};

/// Writes NAME.csv and NAME.json into a folder, which is made if need be; returns the path of the
/// CSV file. `votes` has a row for each training clip, or no row where nobody voted.
std::filesystem::path write_pseudo_labels(const std::filesystem::path& folder,
                                          const std::string& name, const Dataset& dataset,
                                          const Matrix<int>& votes, const Suggestions& suggestions,
                                          const PseudoLabelRecord& record);

/// The suggestions for dataset.clips_of(Split::Train), in that order; none for a clip that the file
/// does not name. Needs the columns clip and class only: without `suggested` every row is a
/// suggestion, and a clip's own label is passed over. Throws Error with file and line for an
/// unknown clip or class, a clip of another split, a repeated row, or `suggested` other than 0
/// or 1.
Suggestions read_pseudo_labels(const std::filesystem::path& csv, const Dataset& dataset);

/// The record beside a CSV file; nothing where there is none, as for a file made elsewhere.
std::optional<PseudoLabelRecord> read_pseudo_label_record(const std::filesystem::path& csv);

}  // namespace manyverbs
