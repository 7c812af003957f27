// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "manyverbs/protocols/internal/differences.h"
#include "manyverbs/protocols/internal/experiment.h"

namespace manyverbs {

/// The table of an experiment, before it is formatted.

/// Mean and standard deviation over the runs of a row.
struct Cell {
  double mean;       ///< NaN without a run
  double deviation;  ///< sample standard deviation; NaN for fewer than two runs
  int runs;
};
/// Values {1, 2, 4}: mean 7/3, deviation sqrt(7/3). NaN values are ignored.
Cell summarise(const std::vector<double>& values);

struct TableRow {
  ExperimentRow row;
  std::array<Cell, kTableMetrics.size()> cells;
  std::array<int, kTableMetrics.size()> rank;   ///< 1 is best; 0 if undefined
  std::array<bool, kTableMetrics.size()> best;  ///< see best_rows()
  /// To the reference of the metric; nothing for the reference itself and undefined values.
  std::array<std::optional<Difference>, kTableMetrics.size()> differences;
};
/// One entry per row of the experiment, in its order, over the finished runs.
std::vector<TableRow> table_of(const Results& results);

}  // namespace manyverbs
