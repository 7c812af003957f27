// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/knn/kept_neighbours.h"
#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// From a data set to its pseudo-labels, each step kept in the data-set folder:
///
///   space -> neighbours -> pseudo-labels
///
/// Space and neighbours are used again while the content that they depend on is the same; the
/// votes, which take no time, are counted anew. Two processes that need the same one make it once:
/// the second waits, says so, and uses it.

/// Cross-entropy on the single labels, at settings that suit most features.
RunSettings learned_space_training();

/// Where clips are compared.
struct SpaceSettings {
  std::string space = "features";    ///< "features" as they are, or "learned"
  std::vector<std::string> streams;  ///< of the features; all when empty
  /// How the learned space is trained: its last hidden layer is the space.
  RunSettings learned = learned_space_training();
};

/// What a space is called in names of files: "features", "learned", and with streams or another
/// seed "features-rgb", "learned-rgb+flow-seed3".
std::string space_name(const SpaceSettings& settings);

/// One row for each clip. The learned space is trained first, as the run DATASET/spaces/NAME, and
/// kept there as space.npy.
FeatureTable open_space(const Dataset& dataset, const SpaceSettings& settings);

struct NeighbourSettings {
  SpaceSettings space;
  Metric metric = Metric::Euclidean;
  int k = 15;
};
/// The neighbours of every clip, kept under DATASET/neighbours, as knn/kept_neighbours.h has it.
Neighbours find_neighbours(const Dataset& dataset, const NeighbourSettings& settings,
                           Keep keep = Keep::IfPossible);

struct PseudoLabelSettings {
  PseudoLabelMethod method = PseudoLabelMethod::Instance;
  NeighbourSettings neighbours;  ///< for the instance-level method
  double tau = 0.1;
  Recipe recipe = Recipe::Paper;
  std::string name = "default";
};
struct PseudoLabels {
  std::filesystem::path file;
  Suggestions suggestions;  ///< one for each training clip
  SuggestionQuality quality;
};
/// Makes pseudo-labels for the training clips and keeps them under DATASET/pseudo_labels. The
/// class-level method counts co-occurrence in the label sets of test clips, as the paper does.
/// Throws Error when the method needs a truth or test clips that are not there.
PseudoLabels make_pseudo_labels(const Dataset& dataset, const PseudoLabelSettings& settings);

}  // namespace manyverbs
