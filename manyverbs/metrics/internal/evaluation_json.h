// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/metrics/evaluation.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Fractions; undefined values are null. Keys: clips, true_labels, threshold, top_set, top1, iou,
/// f1, map, map_interpolated, map_classes, predicted_labels; at_expected with expected_labels,
/// threshold, iou, f1, predicted_labels; best with threshold, f1, predicted_labels, iou,
/// iou_threshold; if measured, coverage with requested, covered, labels_per_set, validation_clips,
/// clips_with_several, and calibration with before and after, each with error and brier; classes, a
/// list of name, positives, precision, recall, ap, ap_interpolated.
Json to_json(const Evaluation& evaluation, const Vocabulary& classes);

}  // namespace manyverbs
