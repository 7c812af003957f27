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

/// Trains the MLP: shuffled batches, Adam, after each epoch a look at the validation clips, the
/// best epoch kept, an end when it gets no better.
///
/// The same seed, threads and data give the same bits. A run that was interrupted (interruption.h)
/// resumes at the step where it stopped, one that was killed from its last checkpoint; either ends
/// with the bits it would have had.

/// What to learn from and what to choose the epoch by. Numbers of clips are rows of the table.
struct TrainingData {
  const FeatureTable* features;
  std::vector<ClipRow> clips;
  LabelMatrix targets;  ///< one row for each of `clips`
  std::vector<ClipRow> validation_clips;
  LabelMatrix validation_targets;
};

/// Trains in a folder that is there: checkpoint.safetensors, model.safetensors (the best epoch),
/// log.csv and a file for TensorBoard are written into it; with a checkpoint there, goes on from
/// it. Returns at once when the folder holds a finished training. Throws Error when a loss stops
/// being a number.
TrainingHistory train(const TrainingData& data, const RunSettings& settings,
                      const EpochScorer& scorer, const std::filesystem::path& folder);

}  // namespace manyverbs
