// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/ranking_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "manyverbs/reports/internal/table_cells.h"
#include "manyverbs/reports/internal/text_grid.h"
#include "manyverbs/support/internal/display.h"

namespace manyverbs {
namespace {

std::string p_text(double p) {
  if (std::isnan(p)) return "-";
  return p < 0.0005 ? "<0.001" : fmt::format("{:.3f}", p);
}

Json values_json(const TableValues& values) {
  Json json = Json::object();
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    if (!kTableMetrics[m].higher_is_better) continue;
    json[std::string(kTableMetrics[m].key)] = number_or_null(values[m]);
  }
  return json;
}

}  // namespace

std::string ranking_text(const Ranking& ranking, Emphasis emphasis) {
  std::vector<GridRow> grid(1);
  GridRow last{"p", {}, true};
  for (const Ranking::Row& row : ranking.rows) grid.push_back({row.row.title, {}, false});
  for (const std::string_view key : paper_metrics({})) {
    const std::size_t metric = table_metric(key);
    grid[0].cells.push_back({std::string(kTableMetrics[metric].title)});
    double best = NAN;
    for (const Ranking::Row& row : ranking.rows) best = std::fmin(best, row.mean_ranks[metric]);
    for (std::size_t i = 0; i < ranking.rows.size(); ++i) {
      const double rank = ranking.rows[i].mean_ranks[metric];
      grid[i + 1].cells.push_back(
          {cell_text(rank, NAN, false, ""), rank - best <= ranking.critical_difference});
    }
    last.cells.push_back({p_text(ranking.p[metric])});
  }
  grid.push_back(std::move(last));
  std::string text = text_grid(grid, emphasis);
  text += fmt::format("mean rank over {} data sets, 1 is best\n", ranking.datasets);
  text += "p: probability of such ranks if all rows are equal (Friedman, Iman and Davenport)\n";
  text += fmt::format("critical difference: {:.2f} (Nemenyi, 5 %)\n", ranking.critical_difference);
  if (emphasis == Emphasis::Ansi) text += "bold: at most the critical difference from the best\n";
  for (const std::string& title : ranking.left_out) {
    text += fmt::format("left out: {}, which has no run in some experiment\n",
                        shortened(title, kLongestTitle));
  }
  return text;
}

Json ranking_json(const Ranking& ranking) {
  Json json = {{"datasets", ranking.datasets},
               {"rows", Json::array()},
               {"p", values_json(ranking.p)},
               {"critical_difference", ranking.critical_difference},
               {"left_out", ranking.left_out}};
  for (const Ranking::Row& row : ranking.rows) {
    json["rows"].push_back({{"key", row.row.key},
                            {"title", row.row.title},
                            {"mean_ranks", values_json(row.mean_ranks)}});
  }
  return json;
}

}  // namespace manyverbs
