// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/learning/history.h"
#include "manyverbs/learning/internal/event_file.h"
#include "manyverbs/learning/settings.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Measures the probabilities of the validation clips after an epoch. The first value chooses the
/// best epoch, higher is better; all are logged.
struct Judge {
  std::vector<std::string> names;
  std::function<std::vector<double>(const Matrix<float>& probabilities)> measure;
};

/// Whether a training should end: the paper's rule is that the first value of the judge got no
/// better for `patience` epochs; the released code also waits for the validation loss, and an equal
/// value counts as better.
bool should_stop(const std::vector<EpochRecord>& epochs, int patience, Recipe recipe);

/// An epoch that is under way.
struct PartialEpoch {
  std::int64_t steps = 0;                   ///< taken so far
  double loss_sum = 0;                      ///< over the clips of these steps
  std::vector<std::uint32_t> random_state;  ///< of what the steps draw from, where they draw
};

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// The course of a training, epoch by epoch, and its files in a folder: checkpoint.safetensors,
/// model.safetensors (the best epoch), log.csv and a file for TensorBoard. Killed at any moment, a
/// training resumes from its last checkpoint; interrupted, from the step it stopped at.
class Course {
 public:
  Course(std::filesystem::path folder, Judge judge, RunSettings settings);

  const TrainingHistory& history() const { return history_; }
  int next_epoch() const { return static_cast<int>(history_.epochs.size()) + 1; }
  /// How far the next epoch is; the caller counts its steps here, and add() starts anew.
  PartialEpoch& partial() { return partial_; }
  /// The last epoch as far as can be known: should no epoch be better than the best so far.
  int expected_epochs() const;

  /// Goes on from the checkpoint, if there is one: copies its tensors into `state` and returns the
  /// steps taken until then, else 0. Throws Error when it is damaged.
  std::int64_t resume(const NamedTensors& state);
  /// Adds the next epoch, with the probabilities of the validation clips for the judge; true when
  /// it is the best so far. Throws Error when a loss is not a number.
  bool add(double train_loss, double validation_loss, const Matrix<float>& probabilities);
  /// Remembers the numbers of the best epoch, with what the file should say about them.
  void keep_best(const NamedTensors& model, std::map<std::string, std::string> metadata);
  /// Whether it is time for a checkpoint.
  bool is_save_due() const;
  /// Writes everything: the state after so many steps, from which resume() goes on.
  void save(const NamedTensors& state, std::int64_t steps);
  /// Saves because of a signal, and throws Interrupted that says so.
  [[noreturn]] void save_interrupted(const NamedTensors& state, std::int64_t steps);

  /// "epoch 3, top1 0.5100, best 0.5200"
  std::string note() const;

 private:
  std::filesystem::path checkpoint_path() const { return folder_ / "checkpoint.safetensors"; }

  std::filesystem::path folder_;
  Judge judge_;
  RunSettings settings_;
  EventFile events_;
  TrainingHistory history_;
  PartialEpoch partial_;
  NamedTensors best_;
  std::map<std::string, std::string> best_metadata_;
  bool best_is_written_ = true;
  std::chrono::steady_clock::time_point last_save_;
};

}  // namespace manyverbs
