// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

#include "manyverbs/metrics/internal/metric_table.h"

namespace manyverbs {

/// With the protocol of the paper and no val split, the best value of each metric over all epochs
/// on test, as in the paper for HMDB; otherwise nothing. This includes the upper bounds best_iou
/// and best_f1, so IOU and F1 never exceed them; the number of labels is from the epoch with the
/// best F1. Two epochs with F1 0.2 and 0.4, best_f1 0.5 and 0.45: F1 0.4 and best_f1 0.5. Throws
/// Error if log.csv lacks a metric.
std::optional<TableValues> best_per_metric(const std::filesystem::path& run_folder);

}  // namespace manyverbs
