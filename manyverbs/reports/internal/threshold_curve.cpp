// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/threshold_curve.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace manyverbs {

std::vector<double> curve_thresholds() {
  constexpr int kSteps = 60;
  std::vector<double> thresholds;
  for (int i = 0; i <= kSteps; ++i) {
    const double exact = (1 - std::cos(std::numbers::pi * i / kSteps)) / 2;
    thresholds.push_back(std::round(1e5 * exact) / 1e5);  // as printed
  }
  return thresholds;
}

ThresholdCurve::ThresholdCurve(std::vector<double> thresholds)
    : thresholds_(std::move(thresholds)),
      sums_(thresholds_.size()),
      predicted_(thresholds_.size() + 1),
      both_(thresholds_.size() + 1) {}

void ThresholdCurve::add(const Matrix<float>& scores, const LabelMatrix& truth) {
  assert(scores.rows() == truth.rows() && scores.columns() == truth.columns());
  for (std::size_t i = 0; i < scores.rows(); ++i) add_clip(scores.row(i), truth.row(i));
}

void ThresholdCurve::add_clip(std::span<const float> scores, std::span<const Label> truth) {
  std::fill(predicted_.begin(), predicted_.end(), 0);
  std::fill(both_.begin(), both_.end(), 0);
  int num_true = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    // The score is above all thresholds before the first one that is not less.
    const auto exceeded =
        std::lower_bound(thresholds_.begin(), thresholds_.end(), static_cast<double>(scores[j])) -
        thresholds_.begin();
    ++predicted_[exceeded];
    if (truth[j] != Label::Present) continue;
    ++both_[exceeded];
    ++num_true;
  }
  ++clips_;
  if (num_true > 0) ++clips_with_truth_;
  int predicted = 0;
  int both = 0;
  for (std::size_t t = thresholds_.size(); t-- > 0;) {
    predicted += predicted_[t + 1];
    both += both_[t + 1];
    sums_[t].labels += predicted;
    if (num_true == 0) continue;
    sums_[t].iou += static_cast<double>(both) / (num_true + predicted - both);
    sums_[t].f1 += 2.0 * both / (num_true + predicted);
  }
}

std::vector<ThresholdMetrics> ThresholdCurve::points() const {
  const auto mean = [](double sum, double count) {
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<ThresholdMetrics> points;
  for (std::size_t t = 0; t < thresholds_.size(); ++t) {
    points.push_back({thresholds_[t], mean(sums_[t].iou, clips_with_truth_),
                      mean(sums_[t].f1, clips_with_truth_), mean(sums_[t].labels, clips_)});
  }
  return points;
}

}  // namespace manyverbs
