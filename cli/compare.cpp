// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cli/command.h"
#include "cli/experiment_options.h"

namespace manyverbs::cli {
namespace {

void compare_command(const Arguments& arguments) {
  CommandLine line(
      "compare",
      "manyverbs compare kitchen --losses an,wan,mask,p+s --seeds 3 --out tables/first\n"
      "manyverbs compare confusing/split1 confusing/split2 confusing/split3 --seeds 1 "
      "--protocol paper --published hmdb --out tables/hmdb");
  ExperimentOptions options;
  options.losses = compared_loss_names();
  std::string pseudo_labels;
  add_experiment_options(line, &options);
  add_reference_option(line, &options);
  add_vote_options(line, &options);
  line.app.add_option(
      "--pseudo-labels", pseudo_labels,
      "For losses with pseudo-labels: a name in DATASET/pseudo_labels, or a CSV file; default: "
      "made with --k, --tau, --space and --metric");
  const std::vector<std::string> of_votes = {"--k", "--tau", "--space", "--metric", "--space-seed"};
  line.counts_if(of_votes, "with --pseudo-labels", [&] { return pseudo_labels.empty(); });
  const auto some_take = [&] {
    return std::any_of(options.losses.begin(), options.losses.end(), uses_pseudo_labels);
  };
  line.counts_if(of_votes, "without a loss that uses pseudo-labels", some_take);
  line.counts_if({"--pseudo-labels"}, "without a loss that uses pseudo-labels", some_take);
  if (!line.parse(arguments)) return;
  ExperimentSettings settings = experiment_settings(options);
  settings.given_pseudo_labels = pseudo_labels;
  run_and_print(plan_compare(settings, options.losses), options, arguments);
}

const Registration kCompare("compare", compare_command);

}  // namespace
}  // namespace manyverbs::cli
