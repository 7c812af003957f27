// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// Creates the run folder, or checks that the run in it has these settings, without training. With
/// it, errors in any of many runs are found before the first one starts.
void claim_run(const Dataset& dataset, const RunSettings& settings,
               const std::filesystem::path& folder, const Suggestions* pseudo_labels = nullptr);

/// Whether a folder contains a run, finished or not, with these settings and the current content of
/// the data set.
bool is_run_of(const Dataset& dataset, const RunSettings& settings,
               const std::filesystem::path& folder);

}  // namespace manyverbs
