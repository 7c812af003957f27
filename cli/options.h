// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/neighbour_options.h"
#include "manyverbs/protocols/pseudo_labelling.h"
#include "manyverbs/protocols/runs.h"

namespace manyverbs::cli {

/// Options of several commands, and functions that convert them to settings.

NeighbourSettings neighbour_settings(const SpaceOptions& options);

/// Adds an option for every setting of a run of settings->kind, except for the keys in `without`.
/// `trains` is called after parsing and returns whether a loss is trained; settings that only
/// concern other losses have no effect, which is a UsageError.
void add_run_settings(CommandLine& line, RunSettings* settings,
                      const std::function<bool(std::string_view loss)>& trains,
                      const std::set<std::string_view>& without = {});

/// The keys of the settings whose options are given, for apply_recipe().
std::set<std::string> given_settings(const CommandLine& line, RunKind kind);

/// Prints a remark with a higher learning rate if the weights hardly changed: the best epoch was
/// very early, or the number of steps until then times the learning rate is very small.
void note_slow_rate(const RunSettings& settings, int best_epoch, std::size_t clips);

/// The best epoch of a run and the values that selected it: "epoch 7 of 20 is best: label rank 1.63
/// (geometric mean), top-1 accuracy 69.0 % on the validation clips".
std::string best_epoch_text(const TrainingHistory& history, const std::filesystem::path& run);
/// "  then trained for 16 epochs on 8,000 training clips and 1,000 validation clips together\n", or
/// "" without --refit.
std::string refit_text(const Dataset& dataset, const RunSettings& settings,
                       const TrainingHistory& history);

/// The values of --loss.
std::vector<std::string> loss_names();
/// The losses that are compared by default: those in the tables of the paper, and cross-entropy.
std::vector<std::string> compared_loss_names();
/// Whether a row of a comparison uses instance-level pseudo-labels: "mask", not "mask-ideal".
bool uses_instance_level_labels(std::string_view row);

}  // namespace manyverbs::cli
