// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cli/command.h"
#include "cli/experiment_options.h"

namespace manyverbs::cli {
namespace {

const std::vector<std::string> kVoteOptions = {"--k", "--tau", "--space", "--metric",
                                               "--space-seed"};
const std::vector<std::string> kRefreshOptions = {"--refresh", "--warm-up", "--k", "--tau",
                                                  "--metric"};

// What to train on, which determines the other options.
RunKind requested_kind(const Arguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_next = arguments[i] == "--from" && i + 1 < arguments.size();
    const std::string word =
        CLI::detail::to_lower(is_next ? "--from=" + arguments[i + 1] : arguments[i]);
    if (word == "--from=clips") return RunKind::Clips;
  }
  return RunKind::Features;
}

// The losses of the paper's table, and cross-entropy.
std::vector<std::string> default_losses(RunKind kind) {
  if (kind == RunKind::Features) return compared_loss_names();
  return {"an", "wan", "ls", "n-ls", "em", "ce", "mask", "p+s"};
}

void add_from_option(CommandLine& line, std::string* from) {
  line.app
      .add_option("--from", *from,
                  "features: train an MLP; clips: train a backbone end to end, "
                  "'manyverbs compare --from clips --help' lists the options")
      ->default_str("features")
      ->check(one_of({"features", "clips"}));
}

void compare_command(const Arguments& arguments) {
  CommandLine line(
      "compare",
      "manyverbs compare kitchen --losses an,wan,mask,p+s --seeds 3 --out tables/first\n"
      "manyverbs compare confusing --paper hmdb --out tables/hmdb\n"
      "manyverbs compare kitchen --from clips --losses ce,an,mask,mask-ideal --weights "
      "resnet50.pth "
      "--out tables/end-to-end");
  ExperimentOptions options;
  const RunKind kind = requested_kind(arguments);
  const bool from_clips = kind == RunKind::Clips;
  options.run = default_settings(kind);
  options.losses = default_losses(kind);
  if (from_clips) options.seeds = 1;
  std::string from(run_kind_name(kind));
  std::string pseudo_labels;
  add_from_option(line, &from);
  add_experiment_options(line, &options, comparable_losses());
  add_reference_option(line, &options);
  if (!from_clips) add_vote_options(line, &options);
  line.app.add_option("--pseudo-labels", pseudo_labels,
                      from_clips
                          ? "For losses with pseudo-labels: a name in DATASET/pseudo_labels, "
                            "or a CSV file; default: made during the training"
                          : "For losses with pseudo-labels: a name in DATASET/pseudo_labels, "
                            "or a CSV file; default: made with --k, --tau, --space and "
                            "--metric");
  const std::vector<std::string>& of_votes = from_clips ? kRefreshOptions : kVoteOptions;
  line.counts_if(of_votes, "with --pseudo-labels", [&] { return pseudo_labels.empty(); });
  const auto some_take = [&] {
    return std::any_of(options.losses.begin(), options.losses.end(), uses_instance_level_labels);
  };
  line.counts_if(of_votes, "without a loss that uses pseudo-labels", some_take);
  line.counts_if({"--pseudo-labels"}, "without a loss that uses pseudo-labels", some_take);
  if (from_clips) {
    line.counts_if({"--gpus"}, "without --recipe released, and with --lr", [&] {
      return options.run.recipe == Recipe::Released && line.app.count("--lr") == 0;
    });
  }
  if (!parse_experiment(line, arguments, ExperimentKind::Compare, &options)) return;
  ExperimentSettings settings = experiment_settings(options);
  settings.given_pseudo_labels = pseudo_labels;
  if (from_clips && line.app.count("--losses") == 0 && have_truth(settings.datasets)) {
    options.losses.insert(options.losses.end(), {"mask-ideal", "p+s-ideal"});
  }
  if (from_clips && settings.run.clips.weights.empty()) {
    remark("without --weights the training starts from random weights");
  }
  run_and_print(plan_compare(settings, options.losses), options, arguments);
}

const Registration kCompare("compare", compare_command);

}  // namespace
}  // namespace manyverbs::cli
