// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "manyverbs/knn/kept_neighbours.h"

namespace manyverbs::cli {

/// Which neighbours to find.
struct SpaceOptions {
  std::string space = "features";
  std::string metric;  ///< empty: the one that suits the space
  std::vector<std::string> streams;
  int k = 15;
  std::uint64_t seed = 1;
};
/// --space and --metric.
void add_space_options(CommandLine& line, SpaceOptions* options);
/// These and --k, --features and --seed: all that neighbours depend on.
void add_neighbour_options(CommandLine& line, SpaceOptions* options);
/// The seed of the learned space, under the name that the command has for it.
void add_space_seed(CommandLine& line, const std::string& name, SpaceOptions* options);
/// The given one, or the one that suits the space.
Metric chosen_metric(const SpaceOptions& options);

/// The command `neighbours`, whichever program it is in: `find` finds them.
struct FoundNeighbours {
  std::string name;  ///< under DATASET/neighbours
  Neighbours neighbours;
};
using NeighbourFinder =
    std::function<FoundNeighbours(const Dataset& dataset, const SpaceOptions& options, Keep keep)>;
void run_neighbours(const Arguments& arguments, const NeighbourFinder& find);

}  // namespace manyverbs::cli
