// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "manyverbs/knn/kept_neighbours.h"

namespace manyverbs::cli {

/// The options that neighbours depend on.
struct SpaceOptions {
  std::string space = "features";
  std::string metric;  ///< empty: the default of the space
  std::vector<std::string> streams;
  int k = 15;
  std::uint64_t seed = 1;
};
/// --space and --metric.
void add_space_options(CommandLine& line, SpaceOptions* options);
/// These and --k, --features and --seed.
void add_neighbour_options(CommandLine& line, SpaceOptions* options);
/// The seed of the learned space; the name of the option depends on the command.
void add_space_seed(CommandLine& line, const std::string& name, SpaceOptions* options);
/// The given metric, or the default of the space.
Metric chosen_metric(const SpaceOptions& options);

/// The command `neighbours`, which exists in two programs with different implementations of `find`.
struct FoundNeighbours {
  std::string name;  ///< file name in DATASET/neighbours
  Neighbours neighbours;
};
using NeighbourFinder =
    std::function<FoundNeighbours(const Dataset& dataset, const SpaceOptions& options, Keep keep)>;
void run_neighbours(const Arguments& arguments, const NeighbourFinder& find);

}  // namespace manyverbs::cli
