// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/learning/history.h"
#include "manyverbs/learning/settings.h"
#include "manyverbs/metrics/metric_table.h"

namespace manyverbs {

/// From a data set and settings to a run, and from a run to its metrics:
///
///   data set, pseudo-labels --train_run--> run folder --Model--> probabilities, Evaluation

/// Trains in a run folder, which is made if need be, or resumes what it holds; a run that had fewer
/// epochs continues. `pseudo_labels`, one entry for each training clip, are used instead of those
/// that the settings name. Throws Error when the folder holds a run of other settings, and when
/// labels, features or pseudo-labels have changed since.
TrainingHistory train_run(const Dataset& dataset, const RunSettings& settings,
                          const std::filesystem::path& folder,
                          const Suggestions* pseudo_labels = nullptr);
/// Makes the run folder, or makes sure that what it holds is a run of these settings; trains
/// nothing. What is wrong with one of many runs comes out before the first of them starts.
void claim_run(const Dataset& dataset, const RunSettings& settings,
               const std::filesystem::path& folder, const Suggestions* pseudo_labels = nullptr);

/// Whether a folder holds a run of these settings on what the data set holds now, be it finished or
/// not.
bool is_run_of(const Dataset& dataset, const RunSettings& settings,
               const std::filesystem::path& folder);

/// With the paper's protocol and no val split, each metric at its own best epoch on test, as the
/// paper reports for HMDB; nothing elsewhere. So are the upper bounds best_iou and best_f1, hence
/// no IOU or F1 exceeds its bound; the number of labels is that of the epoch with the best F1. Two
/// epochs with F1 0.2 and 0.4, best_f1 0.5 and 0.45: F1 0.4 and best_f1 0.5. Throws Error when
/// log.csv lacks a metric.
std::optional<TableValues> best_per_metric(const std::filesystem::path& run_folder);

}  // namespace manyverbs
