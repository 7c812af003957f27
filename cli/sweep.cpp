// SPDX-License-Identifier: MIT
#include "cli/command.h"
#include "cli/experiment_options.h"

namespace manyverbs::cli {

namespace {

void sweep_command(const Arguments& arguments) {
  CommandLine line("sweep",
                   "manyverbs sweep kitchen --out tables/sweep\n"
                   "manyverbs sweep kitchen --losses p+s --ks 5,15,45 --taus 0.05,0.1 --seeds 3 "
                   "--out tables/wide");
  ExperimentOptions options;
  options.losses = {"mask", "p+s"};
  options.seeds = 1;
  std::vector<int> ks = {3, 5, 10, 15, 20};
  std::vector<double> taus = {0.1, 0.2, 0.3};
  line.app.add_option("--ks", ks, "Numbers of neighbours per clip, comma-separated")
      ->delimiter(',')
      ->check(from_up(1));
  line.app.add_option("--taus", taus, "Vote thresholds, comma-separated")
      ->delimiter(',')
      ->check(from_to(0.0, 1.0));
  add_experiment_options(line, &options);
  if (!parse_experiment(line, arguments, ExperimentKind::Sweep, &options)) return;
  run_and_print(plan_sweep(experiment_settings(options), options.losses, ks, taus), options,
                arguments);
}

const Registration kSweep("sweep", sweep_command);

}  // namespace
}  // namespace manyverbs::cli
