// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/learning/history.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// Trains runs on features:
///
///   data set, pseudo-labels --train_run--> run folder --Model--> probabilities, Evaluation

/// Trains in a run folder, which is created if necessary, or resumes the run in it; if the maximum
/// number of epochs was raised, training continues. `pseudo_labels`, one entry per training clip,
/// replace those of the settings. Throws Error if the folder contains a run with other settings, or
/// if labels, features or pseudo-labels have changed since, and for settings of a run on clips.
TrainingHistory train_run(const Dataset& dataset, const RunSettings& settings,
                          const std::filesystem::path& folder,
                          const Suggestions* pseudo_labels = nullptr);

}  // namespace manyverbs
