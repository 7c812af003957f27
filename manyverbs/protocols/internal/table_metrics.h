// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "manyverbs/metrics/evaluation.h"

namespace manyverbs {

/// What is measured of each run, in the order of tables.
struct TableMetric {
  std::string_view key;    ///< as in JSON: "top_set"
  std::string_view title;  ///< as in tables: "Top-set"
  bool percent;            ///< a fraction, shown in percent; more is better
};
inline constexpr std::array<TableMetric, 11> kTableMetrics = {{
    {"top_set", "Top-set", true},
    {"top1", "Top-1", true},
    {"iou", "IOU", true},
    {"f1", "F1", true},
    {"map", "mAP", true},
    {"map_interpolated", "mAP interp.", true},
    {"predicted_labels", "Labels", false},
    {"expected_iou", "IOU at expected", true},
    {"expected_f1", "F1 at expected", true},
    {"best_iou", "IOU at best", true},
    {"best_f1", "F1 at best", true},
}};
/// The position of a metric in kTableMetrics; throws Error with the nearest spelling.
std::size_t table_metric(std::string_view key);
/// One value for each of kTableMetrics.
using TableValues = std::array<double, kTableMetrics.size()>;
TableValues table_values(const Evaluation& evaluation);

}  // namespace manyverbs
