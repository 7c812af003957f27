// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/learning/history.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// From a data set and settings to a run, and from a run to its metrics:
///
///   data set, pseudo-labels --train_run--> run folder --Model--> probabilities, Evaluation

/// Trains in a run folder, which is made if need be, or resumes what it holds; a run that had fewer
/// epochs continues. `pseudo_labels`, one entry for each training clip, are used instead of those
/// that the settings name. Throws Error when the folder holds a run of other settings, and when
/// labels, features or pseudo-labels have changed since.
TrainingHistory train_run(const Dataset& dataset, const RunSettings& settings,
                          const std::filesystem::path& folder,
                          const Suggestions* pseudo_labels = nullptr);

}  // namespace manyverbs
