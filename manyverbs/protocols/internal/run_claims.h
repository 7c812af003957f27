// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/learning/internal/clip_choice.h"
#include "manyverbs/learning/internal/trainer.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// Creates the run folder, or checks that the run in it has these settings, without training. With
/// it, errors in any of many runs are found before the first one starts.
void claim_run(const Dataset& dataset, const RunSettings& settings,
               const std::filesystem::path& folder, const Suggestions* pseudo_labels = nullptr);

/// The training data of a run on features; `suggestions`, one entry per training clip, get the
/// target `suggested`. Refers to the table, which must outlive it.
TrainingData training_data(const Dataset& dataset, const FeatureTable& features,
                           const ClipChoice& choice, const Suggestions& suggestions,
                           Label suggested);

/// Whether a folder contains a run, finished or not, with these settings and the current content of
/// the data set.
bool is_run_of(const Dataset& dataset, const RunSettings& settings,
               const std::filesystem::path& folder);

}  // namespace manyverbs
