// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "manyverbs/protocols/internal/experiment.h"

namespace manyverbs {

/// The rows of several experiments, each on another data set, compared by their ranks (Demsar
/// 2006). On each data set a row has one value, the mean over its runs, because seeds are not
/// independent data sets.
struct Ranking {
  struct Row {
    ExperimentRow row;
    TableValues mean_ranks;  ///< 1 is best; NaN if the metric is undefined or not ranked
  };
  std::size_t datasets = 0;           ///< one per experiment
  std::vector<Row> rows;              ///< in the order of the first experiment
  TableValues p;                      ///< of friedman_test()
  double critical_difference = 0;     ///< between mean ranks
  std::vector<std::string> left_out;  ///< titles of rows without a run in some experiment
};
/// Throws Error for fewer than three experiments, two on the same data set, and fewer than two rows
/// that all of them have.
Ranking rank_rows(const std::vector<Results>& experiments);

}  // namespace manyverbs
