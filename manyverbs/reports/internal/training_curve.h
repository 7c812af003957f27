// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The epochs of a run, from its log.csv: epoch, train_loss, validation_loss, judge and score, as
/// Run of web/src/report/data.ts has them; null where there is no log. Of more than `most` epochs
/// about that many, evenly spread, with the first, the last and the best among them.
Json training_curve(const std::filesystem::path& run_folder, int best_epoch, std::size_t most);

}  // namespace manyverbs
