// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "manyverbs/protocols/learn.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The settings that learn_run() tries: a grid with one axis per setting. First those of the
/// networks of folds, with the loss ce; then those of the final network, with a cross-fitted loss,
/// whose dropout and members are those of the folds.

/// A setting with the values to try, in ascending order.
struct Axis {
  std::string_view title;  ///< "learning rate"
  std::string_view key;    ///< as in run.json: "learning_rate"
  std::span<const double> values;
  double (*get)(const RunSettings& settings);
  void (*set)(RunSettings& settings, double value);
};
/// Learning rate, epochs, dropout and members; for a cross-fitted loss the first two.
std::span<const Axis> search_axes(std::string_view loss);

/// A trial with its values on the axes, as in learn.json: {"loss": "ce", "learning_rate": 0.0008,
/// …, "label_rank": 2.3, "seconds": 12}.
Json trial_json(const Trial& trial);

/// Where the search starts: good for 1,000 to 30,000 clips of real videos. Small data sets get
/// smaller batches and more epochs, so that there are enough steps. The values are on the axes.
RunSettings first_settings(std::size_t training_clips, const std::vector<int>& hidden);

/// Where the search of the final network starts: cross-fit with the settings of the networks of
/// folds. Cross-mask with a learning rate of 0.0128 and twice their epochs, rounded up to a value
/// of the axis: sigmoids start at 0.5 and have further to go than a softmax.
RunSettings first_final_settings(std::string_view loss, const RunSettings& folds, int rounds);

/// The settings that differ from the given ones by one step on one axis. Members that do not divide
/// the hidden sizes are left out.
std::vector<RunSettings> next_to(const RunSettings& settings);

/// Whether settings have the same loss and the same values on all axes.
bool are_at_one_place(const RunSettings& one, const RunSettings& other);

/// The rounds of cross-fitting for which there is time, at most 4: more make no difference.
/// 100 seconds for folds of 10 seconds, of which 2 run in parallel: 4 rounds of 5 folds.
int affordable_rounds(double seconds, double fold_seconds, int folds, int threads);

}  // namespace manyverbs
