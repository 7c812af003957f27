// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/labels/targets.h"
#include "manyverbs/learning/history.h"
#include "manyverbs/learning/settings.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Every training is the same loop: shuffled batches, one optimiser step for each, then a look at
/// the validation clips; the best epoch is kept, and it ends when it gets no better. What a step
/// is, a Learner knows: trainer.cpp has one for features, finetuner.cpp one for clips.
///
/// The same seed, threads and data give the same bits. A run that was interrupted (interruption.h)
/// resumes at the step where it stopped, one that was killed from its last checkpoint; either ends
/// with the bits it would have had.

/// Scores the probabilities of the validation clips after an epoch. The first value chooses the
/// best epoch, higher is better; all are logged.
struct EpochScorer {
  std::vector<std::string> names;
  std::function<std::vector<double>(const Matrix<float>& probabilities)> measure;
};

/// Whether a training should end: the paper's rule is that the first score got no better for
/// `patience` epochs; the released code also waits for the validation loss, and an equal score
/// counts as better.
bool should_stop(const std::vector<EpochRecord>& epochs, int patience, Recipe recipe);

/// The tensor of model.safetensors that holds what the best epoch's model said of the validation
/// clips, one row per clip. Thresholds are found on it.
inline constexpr const char* kValidationProbabilities = "validation.probabilities";

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// An epoch that is under way.
struct PartialEpoch {
  std::int64_t steps = 0;                   ///< taken so far
  std::int64_t clips = 0;                   ///< that these steps learnt from
  double loss_sum = 0;                      ///< over these clips
  std::vector<std::uint32_t> random_state;  ///< of what the steps draw from, where they draw
};

/// A model with its optimiser and the clips it learns from. Clips are numbered from 0.
class Learner {
 public:
  virtual ~Learner() = default;

  /// "training AN"
  virtual std::string title() const = 0;
  /// How many clips an epoch goes through.
  virtual std::size_t num_clips() const = 0;
  /// Called before the first step of an epoch, or of the rest of one. `before` has the epochs so
  /// far.
  virtual void begin_epoch(const std::vector<EpochRecord>& /*before*/,
                           const PartialEpoch& /*partial*/) {}
  struct Step {
    double loss;  ///< the mean over these clips
    std::int64_t clips;
  };
  /// Learns from a batch. `next` is the batch after it, empty at the end of an epoch, to be read
  /// ahead.
  virtual Step step(std::span<const int> batch, std::span<const int> next) = 0;
  /// Of what step() draws from; begin_epoch() gets it back.
  virtual std::vector<std::uint32_t> random_state() const { return {}; }

  /// Raw scores of the validation clips, and what is right for them.
  virtual Matrix<float> validation_scores() = 0;
  virtual const LabelMatrix& validation_targets() const = 0;

  /// What model.safetensors holds.
  virtual NamedTensors model() const = 0;
  virtual std::map<std::string, std::string> model_metadata() const { return {}; }
  /// What checkpoint.safetensors holds: all that steps change.
  virtual NamedTensors state() const = 0;
  /// Called when state() has been read from a checkpoint that was taken after so many steps.
  virtual void resumed(std::int64_t /*steps*/) {}

  /// Clips that could not be read, added by step() and begin_epoch(), which leave them out from
  /// then on. A resumed training has them again.
  std::vector<ClipProblem> skipped;
};

/// Trains in a folder that is there: checkpoint.safetensors, model.safetensors (the best epoch),
/// log.csv and a file for TensorBoard are written into it; with a checkpoint there, resumes from
/// it. Returns at once when the folder holds a finished training. Throws Error when a loss stops
/// being a number or the checkpoint is damaged, Interrupted when everything is saved after a
/// signal.
TrainingHistory run_training(Learner& learner, const RunSettings& settings,
                             const EpochScorer& scorer, const std::filesystem::path& folder);

}  // namespace manyverbs
