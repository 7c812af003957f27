// SPDX-License-Identifier: MIT
#include "cli/neighbour_options.h"

namespace manyverbs::cli {

void add_space_options(CommandLine& line, SpaceOptions* options) {
  line.app
      .add_option(
          "--space", options->space,
          "Space in which clips are compared: the features, or the hidden layer of a classifier "
          "trained on the single labels")
      ->check(one_of({"features", "learned"}));
  line.app
      .add_option("--metric", options->metric,
                  "Distance between clips; default: euclidean for features, cosine for learned")
      ->check(one_of({"euclidean", "cosine"}));
}

void add_space_seed(CommandLine& line, const std::string& name, SpaceOptions* options) {
  line.app.add_option(name, options->seed, "Seed of the learned space")->check(from_up(0));
  line.counts_if({name}, "without --space learned",
                 [options] { return options->space == "learned"; });
}

void add_neighbour_options(CommandLine& line, SpaceOptions* options) {
  line.app.add_option("--k", options->k, "Neighbours per clip")->check(from_up(1));
  add_space_options(line, options);
  line.app
      .add_option("--features", options->streams, "Streams to use, comma-separated; default: all")
      ->delimiter(',');
  add_space_seed(line, "--seed", options);
}

Metric chosen_metric(const SpaceOptions& options) {
  const std::string preset = options.space == "learned" ? "cosine" : "euclidean";
  return find_metric(options.metric.empty() ? preset : options.metric);
}

}  // namespace manyverbs::cli
