// SPDX-License-Identifier: MIT
#include "cli/command.h"
#include "cli/experiment_options.h"

namespace manyverbs::cli {

namespace {

void ablate_command(const Arguments& arguments) {
  CommandLine line("ablate",
                   "manyverbs ablate kitchen --seeds 3 --out tables/ablation\n"
                   "manyverbs ablate kitchen --losses p+s --space learned --out tables/learned");
  ExperimentOptions options;
  options.losses = {"mask", "p+s"};
  add_experiment_options(line, &options);
  add_reference_option(line, &options);
  add_vote_options(line, &options);
  if (!parse_experiment(line, arguments, ExperimentKind::Ablate, &options)) return;
  const Experiment plan = plan_ablate(experiment_settings(options), options.losses);
  for (const std::string& text : plan.remarks) remark(text);
  run_and_print(plan, options, arguments);
}

const Registration kAblate("ablate", ablate_command);

}  // namespace
}  // namespace manyverbs::cli
