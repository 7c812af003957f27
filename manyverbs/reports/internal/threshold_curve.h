// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/labels/targets.h"
#include "manyverbs/metrics/metrics.h"

namespace manyverbs {

/// 61 thresholds from 0 to 1, denser towards both ends, where the scores of many losses are; the
/// middle one is 0.5.
std::vector<double> curve_thresholds();

/// IOU, F1 and labels per clip against the threshold, computed from batches of scores in one pass.
/// Each point equals at_threshold() of all batches together.
///
///   ThresholdCurve curve(curve_thresholds());
///   for (...) curve.add(scores, truth);
///   curve.points();
class ThresholdCurve {
 public:
  /// Thresholds must be ascending.
  explicit ThresholdCurve(std::vector<double> thresholds);

  /// Adds clips: scores and truth of the same shape.
  void add(const Matrix<float>& scores, const LabelMatrix& truth);
  /// One entry per threshold; NaN where at_threshold() is NaN.
  std::vector<ThresholdMetrics> points() const;

 private:
  void add_clip(std::span<const float> scores, std::span<const Label> truth);

  struct Sums {
    double iou = 0;
    double f1 = 0;
    double labels = 0;
  };
  std::vector<double> thresholds_;
  std::vector<Sums> sums_;
  std::vector<int>
      predicted_;  ///< of the current clip, by the number of thresholds below the score
  std::vector<int> both_;
  double clips_ = 0;
  double clips_with_truth_ = 0;
};

}  // namespace manyverbs
