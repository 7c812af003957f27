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
#include "manyverbs/support/error.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// The loop of every training: shuffled batches with one optimiser step each, validation after each
/// epoch, selection of the best epoch, early stopping. A Learner implements the steps: trainer.cpp
/// has one for features, finetuner.cpp one for clips.
///
/// The same seed, number of threads and data give bit-identical results. An interrupted run
/// (interruption.h) resumes at the step where it stopped, a killed run at its last checkpoint; the
/// result is bit-identical to that without interruption.

/// Scores the probabilities of the validation clips after an epoch. The first value selects the
/// best epoch, higher is better; all are logged.
struct EpochScorer {
  std::vector<std::string> names;
  std::function<std::vector<double>(const Matrix<float>& probabilities)> measure;
  bool on_test = false;  ///< whether these are test clips, whose labels are not stored
  int last_epoch = 0;    ///< if above 0, training ends after this epoch, which counts as the best
};

/// The loss became NaN: the learning rate is too high.
class Diverged : public Error {
 public:
  using Error::Error;
};

/// Whether to stop early. Paper: the first score has not improved for `patience` epochs. Released
/// code: neither has the validation loss, and an equal score counts as improvement.
bool should_stop(const std::vector<EpochRecord>& epochs, int patience, Recipe recipe);

/// The tensor of model.safetensors with the probabilities of the best epoch for the validation
/// clips, one row per clip. Thresholds are computed from it.
inline constexpr const char* kValidationProbabilities = "validation.probabilities";
/// The tensor of model.safetensors with the number of the label of each of these clips; -1 for a
/// clip with several labels and for test clips.
inline constexpr const char* kValidationLabels = "validation.labels";
/// The tensor with their label sets, 0 or 1 per clip and class, if a validation clip has several.
inline constexpr const char* kValidationLabelSets = "validation.label_sets";

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// What the memory of a loss stores, as tensors that share its numbers, for Learner::state(); none
/// for null.
NamedTensors memory_tensors(LossMemory* memory);

/// The progress of the current epoch.
struct PartialEpoch {
  std::int64_t steps = 0;                   ///< so far
  std::int64_t clips = 0;                   ///< of these steps
  double loss_sum = 0;                      ///< over these clips
  std::vector<std::uint32_t> random_state;  ///< of the generator used by the steps, if any
};

/// A model with its optimiser, loss and training clips, which are numbered from 0.
class Learner {
 public:
  virtual ~Learner() = default;

  /// "training AN"
  virtual std::string title() const = 0;
  /// The number of clips per epoch.
  virtual std::size_t num_clips() const = 0;
  /// Called before the first step of an epoch, or of the rest of a resumed one. `before` has the
  /// previous epochs.
  virtual void begin_epoch(const std::vector<EpochRecord>& /*before*/,
                           const PartialEpoch& /*partial*/) {}
  struct Step {
    double loss;  ///< the mean over these clips
    std::int64_t clips;
  };
  /// Trains on a batch. `next` is the following batch, to be read ahead; empty at the end of an
  /// epoch.
  virtual Step step(std::span<const int> batch, std::span<const int> next) = 0;
  /// The state of the generator used by step(); passed to begin_epoch() when resuming.
  virtual std::vector<std::uint32_t> random_state() const { return {}; }

  /// Raw scores of the validation clips, and their targets.
  virtual Matrix<float> validation_scores() = 0;
  virtual const LabelMatrix& validation_targets() const = 0;

  /// The tensors of model.safetensors.
  virtual NamedTensors model() const = 0;
  virtual std::map<std::string, std::string> model_metadata() const { return {}; }
  /// The tensors of checkpoint.safetensors: everything that steps change.
  virtual NamedTensors state() const = 0;
  /// Called after state() was read from a checkpoint written after this number of steps.
  virtual void resumed(std::int64_t /*steps*/) {}

  /// Unreadable clips, added by step() and begin_epoch(), which ignore them from then on. Restored
  /// when resuming.
  std::vector<ClipProblem> skipped;
};

/// Trains in an existing folder. Writes checkpoint.safetensors, model.safetensors (the best epoch),
/// log.csv and a file for TensorBoard; resumes from a checkpoint. Returns immediately if the
/// training is finished. Throws Diverged if the loss becomes NaN, Error if the checkpoint is
/// damaged, and Interrupted after a signal, when everything is saved.
TrainingHistory run_training(Learner& learner, const RunSettings& settings,
                             const EpochScorer& scorer, const std::filesystem::path& folder);

}  // namespace manyverbs
