// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

#include "manyverbs/metrics/internal/metric_table.h"

namespace manyverbs {

/// With the paper's protocol and no val split, each metric at its own best epoch on test, as the
/// paper reports for HMDB; nothing elsewhere. So are the upper bounds best_iou and best_f1, hence
/// no IOU or F1 exceeds its bound; the number of labels is that of the epoch with the best F1. Two
/// epochs with F1 0.2 and 0.4, best_f1 0.5 and 0.45: F1 0.4 and best_f1 0.5. Throws Error when
/// log.csv lacks a metric.
std::optional<TableValues> best_per_metric(const std::filesystem::path& run_folder);

}  // namespace manyverbs
