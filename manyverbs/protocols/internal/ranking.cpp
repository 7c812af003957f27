// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/ranking.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "manyverbs/metrics/internal/mean_ranks.h"
#include "manyverbs/protocols/internal/experiment_table.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

void require_different_datasets(const std::vector<Results>& experiments) {
  if (experiments.size() < 3) {
    throw Error("expected experiments on at least 3 data sets, found {}", experiments.size());
  }
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& others = experiments[j].datasets;
      for (const std::filesystem::path& dataset : experiments[i].datasets) {
        if (std::find(others.begin(), others.end(), dataset) == others.end()) continue;
        throw Error("{} and {}: expected different data sets, found {} in both",
                    experiments[j].folder.string(), experiments[i].folder.string(),
                    dataset.string());
      }
    }
  }
}

using Tables = std::vector<std::vector<TableRow>>;

const TableRow* find_row(const std::vector<TableRow>& table, const std::string& key) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const TableRow& line) { return line.row.key == key; });
  return found == table.end() ? nullptr : &*found;
}

bool has_run(const std::vector<TableRow>& table, const std::string& key) {
  const TableRow* line = find_row(table, key);
  return line != nullptr && std::any_of(line->cells.begin(), line->cells.end(),
                                        [](const Cell& cell) { return cell.runs > 0; });
}

void rank_metric(const Tables& tables, std::size_t metric, Ranking* ranking) {
  Matrix<double> values(tables.size(), ranking->rows.size());
  for (std::size_t n = 0; n < values.rows(); ++n) {
    for (std::size_t j = 0; j < values.columns(); ++j) {
      values(n, j) = find_row(tables[n], ranking->rows[j].row.key)->cells[metric].mean;
      if (std::isnan(values(n, j))) return;
    }
  }
  const FriedmanTest test = friedman_test(values);
  ranking->p[metric] = test.p;
  for (std::size_t j = 0; j < values.columns(); ++j) {
    ranking->rows[j].mean_ranks[metric] = test.mean_ranks[j];
  }
}

}  // namespace

Ranking rank_rows(const std::vector<Results>& experiments) {
  require_different_datasets(experiments);
  Ranking ranking;
  Tables tables;
  for (const Results& results : experiments) tables.push_back(table_of(results));
  ranking.datasets = experiments.size();
  std::set<std::string> seen;
  for (const Results& results : experiments) {
    for (const ExperimentRow& row : results.rows) {
      if (!seen.insert(row.key).second) continue;
      if (std::all_of(tables.begin(), tables.end(),
                      [&](const auto& table) { return has_run(table, row.key); })) {
        ranking.rows.push_back({row, {}});
        ranking.rows.back().mean_ranks.fill(NAN);
      } else {
        ranking.left_out.push_back(row.title);
      }
    }
  }
  if (ranking.rows.size() < 2) {
    throw Error("expected at least 2 rows with a finished run in each experiment, found {}",
                ranking.rows.size());
  }
  ranking.p.fill(NAN);
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    if (kTableMetrics[m].higher_is_better) rank_metric(tables, m, &ranking);
  }
  ranking.critical_difference = critical_difference(static_cast<int>(ranking.rows.size()),
                                                    static_cast<int>(experiments.size()));
  return ranking;
}

}  // namespace manyverbs
