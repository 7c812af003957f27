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

/// Options that several commands take. Words are checked when the command line is parsed and turned
/// into settings by the functions below.

NeighbourSettings neighbour_settings(const SpaceOptions& options);

/// An option for every setting of a run of settings->kind but those whose keys are in `without`.
/// `trains` says, when all options are known, whether a loss is among those that are trained: the
/// settings of the others have no effect.
void add_run_settings(CommandLine& line, RunSettings* settings,
                      const std::function<bool(std::string_view loss)>& trains,
                      const std::set<std::string_view>& without = {});

/// Remarks that --protocol paper has no effect where there are val clips.
void note_idle_protocol(const Dataset& dataset, Protocol protocol);

/// A remark with a better learning rate for a training that hardly moved: its best epoch, of so
/// many steps each, came very early or Adam took its weights nowhere until then.
void note_slow_rate(const RunSettings& settings, int best_epoch, std::size_t clips);

/// What chose the best epoch of a run: "top-1 accuracy on the validation clips".
std::string chosen_by(const std::filesystem::path& run, Recipe recipe);

/// The words that --loss may take.
std::vector<std::string> loss_names();
/// Those of the paper's tables: all but cross-entropy.
std::vector<std::string> binary_loss_names();
/// Whether a loss learns from pseudo-labels.
bool takes_pseudo_labels(std::string_view loss);

}  // namespace manyverbs::cli
