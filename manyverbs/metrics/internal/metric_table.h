// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "manyverbs/metrics/evaluation.h"

namespace manyverbs {

/// What is measured of each run, in the order of tables. Files, tables and pages know a metric by
/// its key and look up the rest here: a new metric is a row.

enum class MetricUnit {
  Fraction,       ///< from 0 to 1, shown in percent
  LabelsPerClip,  ///< a mean number
};

struct TableMetric {
  std::string_view key;    ///< in files: "top_set"
  std::string_view title;  ///< in tables: "Top-set"
  MetricUnit unit;
  bool higher_is_better;     ///< otherwise it is not ranked
  std::string_view meaning;  ///< one line, no full stop
  double (*value)(const Evaluation& evaluation);
  /// Of one clip, if the value is a mean over clips; otherwise null.
  double ClipEvaluation::*of_clip;
};
inline constexpr std::array kTableMetrics = std::to_array<TableMetric>({
    {"top_set", "Top-set", MetricUnit::Fraction, true,
     "Share of a clip's labels among as many of its highest scores",
     [](const Evaluation& e) { return e.top_set; }, &ClipEvaluation::top_set},
    {"top1", "Top-1", MetricUnit::Fraction, true,
     "Clips whose highest score is one of their labels", [](const Evaluation& e) { return e.top1; },
     &ClipEvaluation::top1},
    {"iou", "IOU", MetricUnit::Fraction, true,
     "Labels both predicted and true, of those predicted or true",
     [](const Evaluation& e) { return e.fixed.iou; }, &ClipEvaluation::iou},
    {"f1", "F1", MetricUnit::Fraction, true, "Harmonic mean of precision and recall per clip",
     [](const Evaluation& e) { return e.fixed.f1; }, &ClipEvaluation::f1},
    {"map", "mAP", MetricUnit::Fraction, true, "Average precision, mean over classes",
     [](const Evaluation& e) { return e.map; }, nullptr},
    {"map_interpolated", "mAP interp.", MetricUnit::Fraction, true,
     "Interpolated average precision, mean over classes, as the released code has it",
     [](const Evaluation& e) { return e.map_interpolated; }, nullptr},
    {"predicted_labels", "Labels", MetricUnit::LabelsPerClip, false,
     "Predicted labels per clip; good when close to the number of true ones",
     [](const Evaluation& e) { return e.fixed.predicted_labels; }, nullptr},
    {"expected_iou", "IOU at expected", MetricUnit::Fraction, true,
     "IOU at the threshold that gives the expected number of labels",
     [](const Evaluation& e) { return e.expected.iou; }, &ClipEvaluation::expected_iou},
    {"expected_f1", "F1 at expected", MetricUnit::Fraction, true,
     "F1 at the threshold that gives the expected number of labels",
     [](const Evaluation& e) { return e.expected.f1; }, &ClipEvaluation::expected_f1},
    {"best_iou", "IOU at best", MetricUnit::Fraction, true,
     "IOU at the best threshold for these very clips: an upper bound",
     [](const Evaluation& e) { return e.best.iou.iou; }, &ClipEvaluation::best_iou},
    {"best_f1", "F1 at best", MetricUnit::Fraction, true,
     "F1 at the best threshold for these very clips: an upper bound",
     [](const Evaluation& e) { return e.best.f1.f1; }, &ClipEvaluation::best_f1},
});

/// The position of a metric in kTableMetrics; throws Error with the nearest spelling.
std::size_t table_metric(std::string_view key);

/// One value for each of kTableMetrics.
using TableValues = std::array<double, kTableMetrics.size()>;
TableValues table_values(const Evaluation& evaluation);

/// The values of each clip: clips x kTableMetrics, NaN where undefined.
Matrix<float> clip_table_values(const Evaluation& evaluation);

}  // namespace manyverbs
