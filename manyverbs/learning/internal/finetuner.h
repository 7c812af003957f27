// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "manyverbs/features/internal/extraction.h"
#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/learning/internal/training_loop.h"

namespace manyverbs {

/// Trains a backbone and its classifier on the frames of clips: with cross-entropy to extract
/// features, or end to end with another loss. If the loss uses pseudo-labels, they are given, or
/// made from the current features and renewed every few epochs.
///
/// The same seed, number of threads and data give bit-identical results. An interrupted run
/// (interruption.h) resumes at the step where it stopped, a killed run at its last checkpoint; the
/// result is bit-identical to that without interruption.

/// The network of a run on clips, with a classifier for this number of classes.
BackboneSettings backbone_settings(const RunSettings& settings, int classes);
/// The network input: training and test views of `settings`, with the normalisation of the weights.
ClipSettings clip_settings(const RunSettings& settings, const PreparedBackbone& backbone);
/// The initial network, with a classifier for this number of classes.
PreparedBackbone starting_backbone(const RunSettings& settings, int classes);

/// The training clips, and the validation clips that select the epoch, as rows of clips.csv; all
/// are in the source.
struct FinetuneData {
  const Dataset* dataset;
  const ClipSource* source;
  std::vector<ClipRow> clips;
  std::vector<ClipRow> validation_clips;
  LabelMatrix validation_targets;
  OnError on_error = OnError::Stop;  ///< if a training clip becomes unreadable
  /// One entry for each of `clips`; nothing: they are made from the current features.
  std::optional<Suggestions> pseudo_labels = std::nullopt;
};

/// The space in the record of pseudo-labels made during the training.
inline constexpr std::string_view kBackboneSpace = "backbone";

/// Trains in an existing folder. Writes the files of run_training(), and the pseudo-labels made
/// after N epochs as pseudo_labels/epoch-N.csv. model.safetensors can be read by read_checkpoint().
/// Returns immediately if the training is finished. Throws Error if the loss becomes NaN, if a
/// validation clip cannot be read or, with OnError::Stop, if a training clip cannot be read.
TrainingHistory finetune(const FinetuneData& data, const RunSettings& settings,
                         PreparedBackbone start, const EpochScorer& scorer,
                         const std::filesystem::path& folder);

}  // namespace manyverbs
