// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// Makes the run folder, or makes sure that what it holds is a run of these settings; trains
/// nothing. What is wrong with one of many runs comes out before the first of them starts.
void claim_run(const Dataset& dataset, const RunSettings& settings,
               const std::filesystem::path& folder, const Suggestions* pseudo_labels = nullptr);

/// Whether a folder holds a run of these settings on what the data set holds now, be it finished or
/// not.
bool is_run_of(const Dataset& dataset, const RunSettings& settings,
               const std::filesystem::path& folder);

}  // namespace manyverbs
