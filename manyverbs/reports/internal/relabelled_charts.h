// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The charts of test clips that had one label before they got all: Relabelled of
/// web/src/report/data.ts. Counts are over the test clips whose original label is known; at most
/// `samples` of them are shown, those with the most added labels first. null if no test clip has
/// the column `original`.
Json relabelled_charts(const Dataset& dataset, int samples,
                       const std::filesystem::path& page_folder);

}  // namespace manyverbs
