// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "manyverbs/features/internal/extraction.h"
#include "manyverbs/learning/internal/training_loop.h"

namespace manyverbs {

/// Trains a backbone with its classifier, from the frames of clips to scores: with cross-entropy,
/// to get features worth having, or end to end with any other loss. Where the loss asks for
/// pseudo-labels, they come from the features that the network has at that moment, and are made
/// anew every few epochs.
///
/// The same seed, threads and data give the same bits. A run that was interrupted (interruption.h)
/// resumes at the step where it stopped, one that was killed from its last checkpoint; either ends
/// with the bits it would have had.

/// The network of a run on clips, with a classifier for so many classes.
BackboneSettings backbone_settings(const RunSettings& settings, int classes);
/// How a network sees clips: as training and test views of `settings`, with the normalisation that
/// its weights ask for.
ClipSettings clip_settings(const RunSettings& settings, const PreparedBackbone& backbone);
/// The network to start from, with a classifier for so many classes.
PreparedBackbone starting_backbone(const RunSettings& settings, int classes);

/// What to learn from and what to choose the epoch by, as rows of the data set's clips; the source
/// has all of them.
struct FinetuneData {
  const Dataset* dataset;
  const ClipSource* source;
  std::vector<ClipRow> clips;
  std::vector<ClipRow> validation_clips;
  LabelMatrix validation_targets;
  OnError on_error = OnError::Stop;  ///< at a training clip that cannot be read after all
};

/// Trains in a folder that is there; writes what run_training() writes, and the pseudo-labels of
/// each refresh as pseudo_labels/epoch-N.csv, N being the number of epochs before it.
/// model.safetensors is a checkpoint that read_checkpoint knows. Returns at once when the folder
/// holds a finished training. Throws Error when a loss stops being a number, a clip cannot be read
/// and is not to be skipped, or a validation clip cannot be read.
TrainingHistory finetune(const FinetuneData& data, const RunSettings& settings,
                         PreparedBackbone start, const EpochScorer& scorer,
                         const std::filesystem::path& folder);

}  // namespace manyverbs
