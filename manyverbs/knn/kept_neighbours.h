// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/knn/neighbours.h"

namespace manyverbs {

/// The neighbours of every clip of a data set, kept in its folder so that they are searched for
/// once:
///
///   const Neighbours near = find_neighbours(dataset, feature_space(dataset), Metric::Cosine, 15);

/// Where clips are compared.
struct Space {
  std::string kind;     ///< "features", or "learned" from them
  std::string name;     ///< in names of files: "features", "features-rgb+flow", "learned"
  std::string content;  ///< a hash of all that it is made from
  std::function<FeatureTable()> open;  ///< one row per clip; a space may be made only then
};
/// The features as they are, of the named streams or of all. Throws Error when one is not there.
/// The data set must outlive the space.
Space feature_space(const Dataset& dataset, const std::vector<std::string>& streams = {});
/// "features-rgb+flow" for the kind "features" and these two streams.
std::string space_name(const std::string& kind, const std::vector<std::string>& streams);

/// The name under DATASET/neighbours: "features-euclidean", "learned-rgb-cosine".
std::string neighbours_name(const std::string& space_name, Metric metric);

/// The k nearest training clips of every clip, row i for clip i, as rows of clips.csv. Kept under
/// DATASET/neighbours while the space's content is the same; fewer neighbours than are kept need no
/// search. Where they cannot be kept, a remark says so, or Error is thrown when they must. Two
/// processes that need the same neighbours make them once: the second waits, says so, and uses
/// them.
enum class Keep { IfPossible, Must };
Neighbours find_neighbours(const Dataset& dataset, const Space& space, Metric metric, int k,
                           Keep keep = Keep::IfPossible);

}  // namespace manyverbs
