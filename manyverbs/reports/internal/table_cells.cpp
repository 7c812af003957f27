// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/table_cells.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "manyverbs/learning/losses.h"
#include "manyverbs/protocols/internal/published.h"

namespace manyverbs {
namespace {

std::string loss_title(const std::string& name) {
  for (const Loss& loss : all_losses()) {
    if (loss.name == name) return std::string(loss.title);
  }
  return name;
}

// Of the rows of a loss. Equal scores: the first, which has the fewest neighbours.
std::optional<ExperimentRow> chosen_on_validation(const Results& results,
                                                  const std::vector<TableRow>& rows,
                                                  const std::string& loss) {
  std::optional<ExperimentRow> chosen;
  double best = -INFINITY;
  std::size_t scored = 0;
  for (const TableRow& row : rows) {
    if (row.row.loss != loss || !row.row.k || !row.row.tau) continue;
    std::vector<double> scores;
    for (const RunResult& run : results.runs) {
      if (run.row == row.row.key) scores.push_back(run.validation_score);
    }
    const double mean = summarise(scores).mean;
    if (std::isnan(mean)) continue;
    ++scored;
    if (mean > best) chosen = row.row;
    best = std::max(best, mean);
  }
  return scored > 1 ? chosen : std::nullopt;
}

SweepGrid grid_of(const Results& results, const std::vector<TableRow>& rows,
                  const std::string& loss) {
  SweepGrid grid;
  grid.title = loss_title(loss);
  grid.chosen = chosen_on_validation(results, rows, loss);
  std::set<int> ks;
  std::set<double> taus;
  std::vector<std::string> keys;
  for (const TableRow& row : rows) {
    if (row.row.loss != loss || !row.row.k || !row.row.tau) continue;
    keys.push_back(row.row.key);
    ks.insert(*row.row.k);
    taus.insert(*row.row.tau);
  }
  grid.ks.assign(ks.begin(), ks.end());
  grid.taus.assign(taus.begin(), taus.end());
  grid.f1.assign(taus.size(), std::vector<Cell>(ks.size(), Cell{NAN, NAN, 0}));
  grid.best.assign(taus.size(), std::vector<bool>(ks.size(), false));
  if (!results.published.empty()) {
    grid.published.assign(taus.size(), std::vector<double>(ks.size(), NAN));
  }
  const std::size_t f1 = table_metric("f1");
  const std::vector<bool> best = best_rows(results, keys, f1);
  std::size_t place = 0;
  for (const TableRow& row : rows) {
    if (row.row.loss != loss || !row.row.k || !row.row.tau) continue;
    const auto i = std::distance(taus.begin(), taus.find(*row.row.tau));
    const auto j = std::distance(ks.begin(), ks.find(*row.row.k));
    grid.f1[i][j] = row.cells[f1];
    grid.best[i][j] = best[place++];
    if (results.published.empty()) continue;
    const auto value = published_value(results.published, row.row.key, "f1");
    if (value) grid.published[i][j] = value->mean;
  }
  return grid;
}

}  // namespace

std::array<std::string_view, 5> paper_metrics(const Results& results) {
  const bool interpolated = !results.published.empty() || results.recipe == Recipe::Released;
  return {"top_set", "top1", "iou", "f1", interpolated ? "map_interpolated" : "map"};
}

std::string cell_text(double mean, double deviation, bool percent, std::string_view plus_minus) {
  if (std::isnan(mean)) return "-";
  const auto number = [percent](double value) {
    return percent ? fmt::format("{:.1f}", 100 * value) : fmt::format("{:.2f}", value);
  };
  if (std::isnan(deviation)) return number(mean);
  return fmt::format("{}{}{}", number(mean), plus_minus, number(deviation));
}

int finished_runs(const Results& results) {
  return static_cast<int>(std::count_if(results.runs.begin(), results.runs.end(),
                                        [](const RunResult& run) { return run.problem.empty(); }));
}

int finished_runs(const Results& results, const std::string& row) {
  return static_cast<int>(
      std::count_if(results.runs.begin(), results.runs.end(),
                    [&](const RunResult& run) { return run.row == row && run.problem.empty(); }));
}

bool starts_own(const std::vector<TableRow>& rows, std::size_t i) {
  return i > 0 && rows[i].row.pseudo_labelled && !rows[i - 1].row.pseudo_labelled;
}

std::vector<SweepGrid> sweep_grids(const Results& results, const std::vector<TableRow>& rows) {
  std::vector<SweepGrid> grids;
  std::set<std::string> seen;
  for (const TableRow& row : rows) {
    if (row.row.k && row.row.tau && seen.insert(row.row.loss).second) {
      grids.push_back(grid_of(results, rows, row.row.loss));
    }
  }
  return grids;
}

}  // namespace manyverbs
