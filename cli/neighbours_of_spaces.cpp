// SPDX-License-Identifier: MIT
//
// The command `neighbours` with LibTorch.
#include "cli/options.h"

namespace manyverbs::cli {
namespace {

void neighbours_of_spaces(const Arguments& arguments) {
  run_neighbours(arguments, [](const Dataset& dataset, const SpaceOptions& options, Keep keep) {
    const NeighbourSettings settings = neighbour_settings(options);
    return FoundNeighbours{neighbours_name(space_name(settings.space), settings.metric),
                           find_neighbours(dataset, settings, keep)};
  });
}

const Registration kNeighbours("neighbours", neighbours_of_spaces);

}  // namespace
}  // namespace manyverbs::cli
