// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/sparse_adam.h"

#include <cmath>

namespace manyverbs {
namespace {

// The sum of the factors of m / sqrt(v) in the steps after `last` and before `next`, with the
// moments m and v of `last`.
double skipped_movement(double last, double next, const AdamSettings& settings) {
  constexpr double kNegligible = 1e-9;
  double power1 = std::pow(settings.beta1, last);
  double power2 = std::pow(settings.beta2, last);
  const double ratio = settings.beta1 / std::sqrt(settings.beta2);
  double decay = 1;
  double sum = 0;
  for (double step = last + 1; step < next && decay > kNegligible; ++step) {
    power1 *= settings.beta1;
    power2 *= settings.beta2;
    decay *= ratio;
    sum += decay * std::sqrt(1 - power2) / (1 - power1);
  }
  return sum;
}

}  // namespace

SparseAdam::SparseAdam(Matrix<float>* table, double learning_rate)
    : first_moments(table->rows(), table->columns()),
      second_moments(table->rows(), table->columns()),
      last_steps(1, table->rows() + 1),
      table_(table),
      settings_{.learning_rate = learning_rate} {}

void SparseAdam::begin_step(std::span<const int> rows) {
  const double next = steps() + 1;
  for (const int row : rows) {
    const double last = last_steps(0, row);
    if (last == 0 || last + 1 == next) continue;
    const auto movement =
        static_cast<float>(settings_.learning_rate * skipped_movement(last, next, settings_));
    const auto decay1 = static_cast<float>(std::pow(settings_.beta1, next - 1 - last));
    const auto decay2 = static_cast<float>(std::pow(settings_.beta2, next - 1 - last));
    const auto epsilon = static_cast<float>(settings_.epsilon);
    const auto values = table_->row(row);
    const auto first = first_moments.row(row);
    const auto second = second_moments.row(row);
    for (std::size_t c = 0; c < values.size(); ++c) {
      values[c] -= movement * first[c] / (std::sqrt(second[c]) + epsilon);
      first[c] *= decay1;
      second[c] *= decay2;
    }
    last_steps(0, row) = static_cast<float>(next - 1);
  }
}

void SparseAdam::step(std::span<const int> rows, const Matrix<float>& gradient) {
  const double now = steps() + 1;
  const auto beta1 = static_cast<float>(settings_.beta1);
  const auto beta2 = static_cast<float>(settings_.beta2);
  const auto rest1 = static_cast<float>(1 - settings_.beta1);
  const auto rest2 = static_cast<float>(1 - settings_.beta2);
  const auto rate =
      static_cast<float>(settings_.learning_rate / (1 - std::pow(settings_.beta1, now)));
  const auto root_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(settings_.beta2, now)));
  const auto epsilon = static_cast<float>(settings_.epsilon);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto values = table_->row(rows[i]);
    const auto first = first_moments.row(rows[i]);
    const auto second = second_moments.row(rows[i]);
    const auto slope = gradient.row(i);
    for (std::size_t c = 0; c < values.size(); ++c) {
      first[c] = beta1 * first[c] + rest1 * slope[c];
      second[c] = beta2 * second[c] + rest2 * slope[c] * slope[c];
      values[c] -= rate * first[c] / (std::sqrt(second[c]) * root_scale + epsilon);
    }
    last_steps(0, rows[i]) = static_cast<float>(now);
  }
  last_steps.data()[last_steps.columns() - 1] = static_cast<float>(now);
}

}  // namespace manyverbs
