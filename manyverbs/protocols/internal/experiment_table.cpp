// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/experiment_table.h"

#include <algorithm>
#include <cmath>

namespace manyverbs {
namespace {

// Fills in the marks of the best rows and the differences to the references.
void mark_and_compare(const Results& results, std::vector<TableRow>* table) {
  std::vector<std::string> rows;
  for (const TableRow& line : *table) rows.push_back(line.row.key);
  const auto references = references_of(results);
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    const std::vector<bool> best = best_rows(results, rows, m);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      TableRow& line = (*table)[i];
      line.best[m] = best[i];
      if (references[m].empty() || references[m] == rows[i]) continue;
      line.differences[m] = paired_difference(results, rows[i], references[m], m);
    }
  }
}

}  // namespace

Cell summarise(const std::vector<double>& values) {
  double sum = 0;
  int count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  const double mean = count > 0 ? sum / count : NAN;
  double squares = 0;
  for (const double value : values) {
    if (!std::isnan(value)) squares += (value - mean) * (value - mean);
  }
  return {mean, count > 1 ? std::sqrt(squares / (count - 1)) : NAN, count};
}

std::vector<TableRow> table_of(const Results& results) {
  std::vector<TableRow> table;
  for (const ExperimentRow& row : results.rows) {
    TableRow line{row, {}, {}, {}, {}};
    for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
      std::vector<double> values;
      for (const RunResult& run : results.runs) {
        if (run.row == row.key && run.problem.empty()) values.push_back(run.values[m]);
      }
      line.cells[m] = summarise(values);
    }
    table.push_back(std::move(line));
  }
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    if (!kTableMetrics[m].higher_is_better) continue;
    for (TableRow& line : table) {
      if (std::isnan(line.cells[m].mean)) continue;
      line.rank[m] = 1 + static_cast<int>(
                             std::count_if(table.begin(), table.end(), [&](const TableRow& other) {
                               return other.cells[m].mean > line.cells[m].mean;
                             }));
    }
  }
  mark_and_compare(results, &table);
  return table;
}

}  // namespace manyverbs
