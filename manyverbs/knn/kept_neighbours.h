// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/knn/neighbours.h"

namespace manyverbs {

/// The neighbours of every clip of a data set, stored in its folder, so that they are searched only
/// once:
///
///   const Neighbours near = find_neighbours(dataset, feature_space(dataset), Metric::Cosine, 15);

/// The space in which clips are compared.
struct Space {
  std::string kind;     ///< "features" or "learned"
  std::string name;     ///< in file names: "features", "features-rgb+flow", "learned"
  std::string content;  ///< hash of its inputs
  std::function<FeatureTable()> open;  ///< one row per clip; may compute the space
};
/// The features of the given streams, or of all. Throws Error for a missing stream. The data set
/// must outlive the space.
Space feature_space(const Dataset& dataset, const std::vector<std::string>& streams = {});
/// "features-rgb+flow" for the kind "features" and these two streams.
std::string space_name(const std::string& kind, const std::vector<std::string>& streams);

/// The file name in DATASET/neighbours: "features-euclidean", "learned-rgb-cosine".
std::string neighbours_name(const std::string& space_name, Metric metric);

/// The k nearest training clips of every clip: row i is for clip i, values are rows of clips.csv.
/// Stored in DATASET/neighbours and reused if the content of the space is the same and k is not
/// larger. If they cannot be stored, prints a remark or, with Keep::Must, throws Error. If two
/// processes need the same neighbours, the second waits, with a remark, and reuses them.
enum class Keep { IfPossible, Must };
Neighbours find_neighbours(const Dataset& dataset, const Space& space, Metric metric, int k,
                           Keep keep = Keep::IfPossible);

}  // namespace manyverbs
