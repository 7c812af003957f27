// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/dataset/feature_table.h"
#include "manyverbs/labels/targets.h"
#include "manyverbs/learning/internal/training_loop.h"

namespace manyverbs {

/// Trains the MLP: shuffled batches, Adam, validation after each epoch, selection of the best
/// epoch, early stopping.
///
/// The same seed, number of threads and data give bit-identical results. An interrupted run
/// (interruption.h) resumes at the step where it stopped, a killed run at its last checkpoint; the
/// result is bit-identical to that without interruption.

/// The training clips, and the validation clips that select the epoch, as rows of the table.
struct TrainingData {
  const FeatureTable* features;
  std::vector<ClipRow> clips;
  LabelMatrix targets;  ///< one row for each of `clips`
  /// The target distributions of a cross-fitted loss (cross_fit.h), one row for each of `clips`;
  /// otherwise empty.
  Matrix<float> shares;
  std::vector<ClipRow> validation_clips;
  LabelMatrix validation_targets;
};

/// Trains in an existing folder and writes the files of run_training(); resumes from a checkpoint.
/// Returns immediately if the training is finished. Throws Error if the loss becomes NaN.
TrainingHistory train(const TrainingData& data, const RunSettings& settings,
                      const EpochScorer& scorer, const std::filesystem::path& folder);

}  // namespace manyverbs
