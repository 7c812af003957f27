// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The epochs of a run from its log.csv: epoch, train_loss, validation_loss, selection_metric and
/// score, see Run of web/src/report/data.ts; null without a log. If there are more than `most`
/// epochs, about `most` are taken evenly, including the first, the last and the best.
Json training_curve(const std::filesystem::path& run_folder, int best_epoch, std::size_t most);

}  // namespace manyverbs
