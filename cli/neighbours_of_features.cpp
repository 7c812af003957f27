// SPDX-License-Identifier: MIT
//
// The command `neighbours` without LibTorch. The learned space must be trained, which another
// program does.
#include "cli/neighbour_options.h"

namespace manyverbs::cli {
namespace {

void neighbours_of_features(const Arguments& arguments) {
  const auto find = [&](const Dataset& dataset, const SpaceOptions& options, Keep keep) {
    if (options.space == "learned") continue_in(Program::Learning, "neighbours", arguments);
    const Space space = feature_space(dataset, options.streams);
    const Metric metric = chosen_metric(options);
    return FoundNeighbours{neighbours_name(space.name, metric),
                           find_neighbours(dataset, space, metric, options.k, keep)};
  };
  run_neighbours(arguments, find);
}

const Registration kNeighbours("neighbours", neighbours_of_features);

}  // namespace
}  // namespace manyverbs::cli
