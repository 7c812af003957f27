// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The charts of instance-level pseudo-labels, PseudoLabels of web/src/report/data.ts: settings,
/// quality, and the votes and neighbours of `count` example clips. Nothing for pseudo-labels
/// without votes. Neighbours are left out if the stored ones are not those that voted. Throws Error
/// if the file is damaged or older than the labels.
std::optional<Json> pseudo_label_charts(const Dataset& dataset, const std::filesystem::path& csv,
                                        int count, const std::filesystem::path& page_folder);

}  // namespace manyverbs
