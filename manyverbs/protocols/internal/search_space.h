// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// The settings that learn_run() tries: a grid with one axis per setting.

/// A setting with the values to try, in ascending order.
struct Axis {
  std::string_view title;  ///< "learning rate"
  std::string_view key;    ///< as in run.json: "learning_rate"
  std::span<const double> values;
  double (*get)(const RunSettings& settings);
  void (*set)(RunSettings& settings, double value);
};
/// Learning rate, epochs, dropout and members.
std::span<const Axis> search_axes();

/// Where the search starts: good for 1,000 to 30,000 clips of real videos. Small data sets get
/// smaller batches and more epochs, so that there are enough steps. The values are on the axes.
RunSettings first_settings(std::size_t training_clips, const std::vector<int>& hidden);

/// The settings that differ from the given ones by one step on one axis. Members that do not divide
/// the hidden sizes are left out.
std::vector<RunSettings> next_to(const RunSettings& settings);

/// Whether settings have the same values on all axes.
bool are_at_one_place(const RunSettings& one, const RunSettings& other);

/// The rounds of cross-fitting for which there is time, at most 4: more make no difference.
/// 100 seconds for folds of 10 seconds, of which 2 run in parallel: 4 rounds of 5 folds.
int affordable_rounds(double seconds, double fold_seconds, int folds, int threads);

}  // namespace manyverbs
