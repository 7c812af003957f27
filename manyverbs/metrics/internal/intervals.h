// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// A mean with its 95 % confidence interval, from mean - half_width to mean + half_width.
struct Interval {
  double mean;        ///< NaN without values
  double half_width;  ///< NaN if the values do not show their variation

  double low() const { return mean - half_width; }
  double high() const { return mean + half_width; }
};

/// The interval of Student: mean ± t s / sqrt(n), where s is the sample deviation and t the 0.975
/// quantile with n - 1 degrees of freedom. Values {1, 2, 3}: 2 ± 4.303 / sqrt(3). Undefined for
/// fewer than two values.
Interval mean_interval(std::span<const double> values);

/// The interval of the mean over runs and clips, which are both random samples: values(s, i)
/// belongs to run s and clip i of one data set. With
///
///   a = var(run means) / S
///   b = var(clip means) / N
///   c = var(what remains without run and clip means) / (S N)
///
/// where c is expected in both a and b, the variance of the mean is max(a, c) + max(b - c, 0). The
/// half width is its square root times t. This is the mean of the 0.975 quantiles with S - 1, N - 1
/// and (S - 1) (N - 1) degrees of freedom, weighted by a, max(b - c, 0) and max(c - a, 0) (Cochran
/// and Cox 1957). With one run, a and c are 0, and this is the interval of Student over clips.
/// Values {{1, 2, 6}, {1, 4, 4}}: a = 0, b = 4/3, c = 1/3, so 3 ± 4.303 sqrt(4/3).
///
/// Several data sets are splits of one: means are averaged; a, b, c and degrees of freedom add.
Interval crossed_interval(std::span<const Matrix<double>> datasets);

}  // namespace manyverbs
