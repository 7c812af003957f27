// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "manyverbs/protocols/internal/experiment.h"

namespace manyverbs::cli {

/// The common options of compare, ablate and sweep.
struct ExperimentOptions {
  std::vector<std::string> datasets;
  std::string out;
  std::vector<std::string> losses;
  int seeds = 5;
  int jobs = 1;       ///< of runs on clips
  std::string paper;  ///< "epic", "hmdb" or ""
  std::string published;
  std::string reference;
  bool as_json = false;
  double tau = 0.1;
  EvaluationSettings evaluation;
  SpaceOptions space;
  RunSettings run;
};
/// All except --reference, and --k and --tau of runs on features, which are lists in sweep. Those
/// of options->run.kind; `losses` are the valid values of --losses.
void add_experiment_options(CommandLine& line, ExperimentOptions* options,
                            const std::vector<std::string>& losses = loss_names());
/// Parses the arguments; then a folder of splits becomes its splits, --paper sets all options that
/// are not given, and the recipe its defaults. Returns false if help was printed.
bool parse_experiment(CommandLine& line, const Arguments& arguments, ExperimentKind kind,
                      ExperimentOptions* options);
void add_reference_option(CommandLine& line, ExperimentOptions* options);
/// --k and --tau.
void add_vote_options(CommandLine& line, ExperimentOptions* options);
ExperimentSettings experiment_settings(const ExperimentOptions& options);

/// Throws Error if a run failed.
void require_all_runs(const Results& results);

/// Trains the runs, writes the tables to the same folder and prints the table. At the end, throws
/// Error if a run failed.
void run_and_print(Experiment experiment, const ExperimentOptions& options,
                   const Arguments& arguments);

}  // namespace manyverbs::cli
