// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "manyverbs/learning/internal/adam.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Adam for a large table of which a step uses few rows. The other rows have gradients of 0, with
/// which Adam still moves them by their moments; here a row catches up with all these steps at once
/// when it is used again. Rows that are in use are equal to those of Adam, but for epsilon, which
/// is assumed small beside the gradients.
class SparseAdam {
 public:
  /// Steps change the table in place; it must exist as long as this object.
  SparseAdam(Matrix<float>* table, double learning_rate);

  /// Call before using the rows of the next step.
  void begin_step(std::span<const int> rows);
  /// Updates the rows of begin_step(); `gradient` has one row for each.
  void step(std::span<const int> rows, const Matrix<float>& gradient);

  /// The state to store for resuming.
  Matrix<float> first_moments;
  Matrix<float> second_moments;
  /// For each row, the step that used it last, and in the last entry the number of steps. Exact up
  /// to 16,777,216 steps.
  Matrix<float> last_steps;

 private:
  double steps() const { return last_steps.values().back(); }

  Matrix<float>* table_;
  AdamSettings settings_;
};

}  // namespace manyverbs
