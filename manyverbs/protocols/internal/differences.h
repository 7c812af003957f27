// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "manyverbs/metrics/internal/intervals.h"
#include "manyverbs/protocols/internal/experiment.h"

namespace manyverbs {

/// Differences between the rows of an experiment, with 95 % intervals.
///
/// Runs of two rows with the same data set and seed are a pair: they share the initial weights, the
/// order of the training clips, and the test clips. A metric that is a mean over clips gets
/// crossed_interval() of the differences of each pair and clip, so it covers new seeds and new test
/// clips; with one seed per data set only new test clips. Other metrics (mAP), and all metrics if
/// the values of clips are unknown, get mean_interval() of the differences of pairs.

/// How much better one row is than another.
struct Difference {
  std::string reference;    ///< key of the other row
  Interval interval;        ///< of the mean difference; higher is better
  int pairs = 0;            ///< finished runs of both rows with the same data set and seed
  bool over_runs = false;   ///< the interval covers the variation between runs
  bool over_clips = false;  ///< the interval covers the variation between test clips
};
/// The difference of row `row` to row `reference`, by their keys. Runs {0.5, 0.7} and {0.3, 0.4}:
/// 0.25 ± 12.706 * 0.05. Without pairs, mean and half width are NaN.
Difference paired_difference(const Results& results, const std::string& row,
                             const std::string& reference, std::size_t metric);

/// Whether each of the rows is as good as the best: its mean is the highest, or the interval of its
/// difference to that row reaches 0. Rows without such an interval are not, and if no row has one,
/// nor is the highest: one value is not known to be better than another.
std::vector<bool> best_rows(const Results& results, const std::vector<std::string>& rows,
                            std::size_t metric);

/// The row that differences refer to, for each metric: results.reference or, if it is empty, the
/// row with the highest mean among rows without pseudo-labels (among all rows if all or none use
/// pseudo-labels). "" if there is no other row, or if the metric is undefined or not ranked.
std::array<std::string, kTableMetrics.size()> references_of(const Results& results);

}  // namespace manyverbs
