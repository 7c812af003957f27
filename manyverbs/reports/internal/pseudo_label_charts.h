// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Instance-level pseudo-labels as a report shows them, PseudoLabels of web/src/report/data.ts: how
/// they were made, how good they are, and of `count` training clips the votes and the neighbours
/// that cast them. Nothing for pseudo-labels that nobody voted on. Neighbours are left out where
/// those that are kept with the data set are not the ones that voted. Throws Error when the file is
/// damaged or older than the labels.
std::optional<Json> pseudo_label_charts(const Dataset& dataset, const std::filesystem::path& csv,
                                        int count, const std::filesystem::path& page_folder);

}  // namespace manyverbs
