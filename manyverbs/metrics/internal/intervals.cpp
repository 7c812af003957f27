// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/intervals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "manyverbs/metrics/internal/distributions.h"
#include "manyverbs/metrics/internal/undefined.h"

namespace manyverbs {
namespace {

using metrics_internal::kUndefined;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// An estimated variance of a mean and its degrees of freedom.
struct Variance {
  double value = 0;
  double freedom = 0;  ///< 0: not estimated

  void operator+=(const Variance& other) {
    value += other.value;
    freedom += other.freedom;
  }
};

// The variance of the mean of independent values.
Variance variance_of_mean(std::span<const double> values) {
  if (values.size() < 2) return {};
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto count = static_cast<double>(values.size());
  return {squares / (count - 1) / count, count - 1};
}

double half_width(std::span<const Variance> parts) {
  double sum = 0;
  double weighted = 0;
  bool estimated = false;
  for (const Variance& part : parts) {
    estimated = estimated || part.freedom > 0;
    if (part.value == 0) continue;
    sum += part.value;
    weighted += part.value * student_t_quantile(0.975, part.freedom);
  }
  if (!estimated) return kUndefined;
  return sum == 0 ? 0 : weighted / std::sqrt(sum);
}

// The variances a, b and c of a data set.
struct Variances {
  Variance runs;
  Variance clips;
  Variance rest;
};

Variances variances_of(const Matrix<double>& values) {
  const std::size_t runs = values.rows();
  const std::size_t clips = values.columns();
  std::vector<double> run_means(runs);
  std::vector<double> clip_means(clips, 0.0);
  for (std::size_t s = 0; s < runs; ++s) {
    run_means[s] = mean_of(values.row(s));
    for (std::size_t i = 0; i < clips; ++i) {
      clip_means[i] += values(s, i) / static_cast<double>(runs);
    }
  }
  Variances variances{variance_of_mean(run_means), variance_of_mean(clip_means), {}};
  if (runs < 2 || clips < 2) return variances;
  const double mean = mean_of(run_means);
  double squares = 0;
  for (std::size_t s = 0; s < runs; ++s) {
    for (std::size_t i = 0; i < clips; ++i) {
      const double rest = values(s, i) - run_means[s] - clip_means[i] + mean;
      squares += rest * rest;
    }
  }
  const auto freedom = static_cast<double>((runs - 1) * (clips - 1));
  variances.rest = {squares / freedom / static_cast<double>(runs * clips), freedom};
  return variances;
}

}  // namespace

Interval mean_interval(std::span<const double> values) {
  if (values.empty()) return {kUndefined, kUndefined};
  return {mean_of(values), half_width(std::array{variance_of_mean(values)})};
}

Interval crossed_interval(std::span<const Matrix<double>> datasets) {
  double mean = 0;
  Variances sum;
  for (const Matrix<double>& values : datasets) {
    mean += mean_of(values.values());
    const Variances variances = variances_of(values);
    sum.runs += variances.runs;
    sum.clips += variances.clips;
    sum.rest += variances.rest;
  }
  const double rest = sum.rest.value;
  sum.clips.value = std::max(0.0, sum.clips.value - rest);
  sum.rest.value = std::max(0.0, rest - sum.runs.value);
  const auto count = static_cast<double>(datasets.size());
  return {mean / count, half_width(std::array{sum.runs, sum.clips, sum.rest}) / count};
}

}  // namespace manyverbs
