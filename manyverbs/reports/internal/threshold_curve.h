// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/labels/targets.h"
#include "manyverbs/metrics/metrics.h"

namespace manyverbs {

/// 61 thresholds from 0 to 1, closer together towards both ends, where the scores of many losses
/// lie; the middle one is 0.5.
std::vector<double> curve_thresholds();

/// IOU, F1 and labels a clip against the threshold, from scores that come in pieces. One pass over
/// the scores does for all thresholds; each point equals at_threshold() of all pieces together.
///
///   ThresholdCurve curve(curve_thresholds());
///   for (...) curve.add(scores, truth);
///   curve.points();
class ThresholdCurve {
 public:
  /// Thresholds must rise.
  explicit ThresholdCurve(std::vector<double> thresholds);

  /// Some clips more: scores and truth of the same shape.
  void add(const Matrix<float>& scores, const LabelMatrix& truth);
  /// One for each threshold; NaN where at_threshold() has it.
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
  std::vector<int> predicted_;  ///< of the clip at hand, by how many thresholds the score exceeds
  std::vector<int> both_;
  double clips_ = 0;
  double clips_with_truth_ = 0;
};

}  // namespace manyverbs
