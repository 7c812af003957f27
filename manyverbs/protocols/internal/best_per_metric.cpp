// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/best_per_metric.h"

#include <algorithm>
#include <cmath>

#include "manyverbs/learning/internal/log_file.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

std::size_t column_of(const TrainingLog& log, std::string_view metric,
                      const std::filesystem::path& run_folder) {
  const auto found = std::find(log.names.begin(), log.names.end(), metric);
  if (found == log.names.end()) {
    throw Error("{}: has no column '{}'; remove the folder to train the run again",
                (run_folder / "log.csv").string(), metric);
  }
  return found - log.names.begin();
}

// The index of the first epoch with the highest value in a column; NaN is lowest.
std::size_t best_epoch(const TrainingLog& log, std::size_t column) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < log.epochs.size(); ++i) {
    const double highest = log.epochs[best].values[column];
    if (log.epochs[i].values[column] > highest || std::isnan(highest)) best = i;
  }
  return best;
}

}  // namespace

std::optional<TableValues> best_per_metric(const std::filesystem::path& run_folder) {
  const TrainingLog log = read_log(run_folder);
  const bool on_test = std::find(log.names.begin(), log.names.end(), "top_set") != log.names.end();
  if (!on_test) return std::nullopt;
  TableValues best;
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    const std::size_t column = column_of(log, kTableMetrics[m].key, run_folder);
    const std::size_t by =
        kTableMetrics[m].higher_is_better ? column : column_of(log, "f1", run_folder);
    best[m] = log.epochs[best_epoch(log, by)].values[column];
  }
  return best;
}

}  // namespace manyverbs
