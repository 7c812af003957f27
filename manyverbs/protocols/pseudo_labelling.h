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

/// Makes the pseudo-labels of a data set. Each step is stored in the data set:
///
///   space -> neighbours -> pseudo-labels
///
/// Space and neighbours are reused if the content of their inputs is the same; votes are always
/// counted again, which takes no time. If two processes need the same data, the second waits for
/// the first, with a remark, and reuses its result.

/// The training of the learned space: cross-entropy on the single labels.
RunSettings learned_space_training();

/// The space in which clips are compared.
struct SpaceSettings {
  std::string space = "features";    ///< "features" or "learned"
  std::vector<std::string> streams;  ///< of the features; empty: all
  /// The training of the learned space, which is the last hidden layer.
  RunSettings learned = learned_space_training();
};

/// The name of a space in file names: "features", "learned", and with streams or another
/// seed "features-rgb", "learned-rgb+flow-seed3".
std::string space_name(const SpaceSettings& settings);

/// One row per clip. The learned space is trained first, as the run DATASET/spaces/NAME, and stored
/// there as space.npy.
FeatureTable open_space(const Dataset& dataset, const SpaceSettings& settings);

struct NeighbourSettings {
  SpaceSettings space;
  Metric metric = Metric::Euclidean;
  int k = 15;
};
/// The neighbours of every clip, stored in DATASET/neighbours; see knn/kept_neighbours.h.
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
/// Makes pseudo-labels for the training clips and stores them in DATASET/pseudo_labels. The
/// class-level method counts co-occurrence in the label sets of test clips, as in the paper. Throws
/// Error if the ground truth or test clips that the method needs are missing.
PseudoLabels make_pseudo_labels(const Dataset& dataset, const PseudoLabelSettings& settings);

}  // namespace manyverbs
