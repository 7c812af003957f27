// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "manyverbs/protocols/internal/published.h"
#include "manyverbs/reports/internal/table_cells.h"
#include "manyverbs/reports/internal/tables.h"
#include "manyverbs/support/internal/display.h"

namespace manyverbs {
namespace {

constexpr int kWidest = 110;
constexpr int kLongestTitle = 40;
constexpr int kShortestTitle = 10;

struct GridCell {
  std::string text;
  int rank = 0;
  int gap = 3;  ///< spaces before the column
};
struct GridRow {
  std::string title;
  std::vector<GridCell> cells;
  bool rule_above = false;
};

std::string emphasised(const std::string& text, int rank, Emphasis emphasis) {
  if (emphasis == Emphasis::None || rank < 1 || rank > 2) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", rank == 1 ? 1 : 4, text);
}

// Titles are left-aligned, all other cells right-aligned.
std::string rendered(const std::vector<GridRow>& rows, Emphasis emphasis) {
  std::vector<int> widths(rows.front().cells.size());
  int all = 0;
  for (std::size_t j = 0; j < widths.size(); ++j) {
    for (const GridRow& row : rows) {
      widths[j] = std::max(widths[j], display_width(row.cells[j].text));
    }
    all += widths[j] + rows.front().cells[j].gap;
  }
  const int most = std::clamp(kWidest - all, kShortestTitle, kLongestTitle);
  int title_width = 0;
  for (const GridRow& row : rows) {
    title_width = std::max(title_width, display_width(shortened(row.title, most)));
  }
  std::string text;
  for (const GridRow& row : rows) {
    if (row.rule_above)
      text += std::string(static_cast<std::size_t>(title_width + all), '-') + '\n';
    std::string line = left_aligned(shortened(row.title, most), title_width);
    for (std::size_t j = 0; j < widths.size(); ++j) {
      const GridCell& cell = row.cells[j];
      line += std::string(static_cast<std::size_t>(cell.gap + widths[j] - display_width(cell.text)),
                          ' ');
      line += emphasised(cell.text, cell.rank, emphasis);
    }
    text += line + '\n';
  }
  return text;
}

GridCell metric_cell(const TableRow& row, std::size_t metric, std::string_view plus_minus,
                     int gap) {
  const Cell& cell = row.cells[metric];
  return {cell_text(cell.mean, cell.deviation, kTableMetrics[metric].unit == MetricUnit::Fraction,
                    plus_minus),
          row.rank[metric], gap};
}

GridCell published_cell(const Results& results, const TableRow& row, std::string_view metric) {
  const auto value = published_value(results.published, row.row.key, metric);
  return {value ? cell_text(value->mean, value->deviation, true, "±") : "-", 0, 1};
}

std::string paper_block(const Results& results, const std::vector<TableRow>& rows,
                        Emphasis emphasis) {
  const bool beside = !results.published.empty();
  std::vector<GridRow> grid(1);
  for (const std::string_view key : paper_metrics(results)) {
    grid[0].cells.push_back(
        {std::string(kTableMetrics[table_metric(key)].title), 0, beside ? 2 : 3});
    if (beside) grid[0].cells.push_back({"paper", 0, 1});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    GridRow line{rows[i].row.title, {}, starts_own(rows, i)};
    for (const std::string_view key : paper_metrics(results)) {
      line.cells.push_back(
          metric_cell(rows[i], table_metric(key), beside ? "±" : " ± ", beside ? 2 : 3));
      if (beside) line.cells.push_back(published_cell(results, rows[i], key));
    }
    grid.push_back(std::move(line));
  }
  return rendered(grid, emphasis);
}

std::string beyond_block(const Results& results, const std::vector<TableRow>& rows,
                         Emphasis emphasis) {
  const std::string labels = std::isnan(results.true_labels)
                                 ? "Labels"
                                 : fmt::format("Labels (true {:.2f})", results.true_labels);
  const std::vector<std::pair<std::string_view, std::string>> columns = {
      {"expected_iou", "IOU at expected"},
      {"expected_f1", "F1 at expected"},
      {"best_f1", "F1 at best*"},
      {"predicted_labels", labels}};
  std::vector<GridRow> grid(1);
  grid[0].title = "Not in the paper";
  for (const auto& [key, title] : columns) grid[0].cells.push_back({title});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    GridRow line{rows[i].row.title, {}, starts_own(rows, i)};
    for (const auto& [key, title] : columns) {
      line.cells.push_back(metric_cell(rows[i], table_metric(key), " ± ", 3));
    }
    grid.push_back(std::move(line));
  }
  return rendered(grid, emphasis) +
         "expected: the threshold that gives the expected number of labels on the clips that "
         "select "
         "the epoch\n"
         "(--expected-labels; default: the ground-truth mean of the test clips)\n"
         "* upper bound: the best threshold on the test clips\n";
}

// "mean ± standard deviation over 5 runs", "one run each".
std::string runs_text(const Results& results, const std::vector<TableRow>& rows) {
  std::vector<int> counts;
  counts.reserve(rows.size());
  for (const TableRow& row : rows) counts.push_back(finished_runs(results, row.row.key));
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  if (counts.empty() || *most == 0) return "no run is finished yet";
  if (*most == 1) return *least == 1 ? "one run each" : "at most one run each";
  return *least == *most
             ? fmt::format("mean ± standard deviation over {} runs", *most)
             : fmt::format("mean ± standard deviation over {} to {} runs", *least, *most);
}

std::string sweep_block(const SweepGrid& sweep, Emphasis emphasis) {
  std::vector<GridRow> grid(1);
  grid[0].title = "tau \\ K";
  for (const int k : sweep.ks) grid[0].cells.push_back({std::to_string(k)});
  for (std::size_t i = 0; i < sweep.taus.size(); ++i) {
    GridRow line{fmt::format("{}", sweep.taus[i]), {}, false};
    for (std::size_t j = 0; j < sweep.ks.size(); ++j) {
      const Cell& cell = sweep.f1[i][j];
      line.cells.push_back({cell_text(cell.mean, cell.deviation, true, "±"), sweep.rank[i][j]});
    }
    grid.push_back(std::move(line));
  }
  return fmt::format("{}, F1\n{}\n", shortened(sweep.title, kLongestTitle),
                     rendered(grid, emphasis));
}

std::string failures(const Results& results) {
  std::string lines;
  int failed = 0;
  for (const RunResult& run : results.runs) {
    if (run.problem.empty()) continue;
    ++failed;
    const std::string name = shortened(run.name, kLongestTitle);
    lines += fmt::format("  {}: {}\n", name,
                         shortened(run.problem, 2 * kWidest - 4 - display_width(name)));
  }
  if (failed == 0) return "";
  return fmt::format("\n{} of {} runs failed:\n{}", failed, results.planned, lines);
}

std::string left_to_do(const Results& results) {
  if (results.runs.size() >= results.planned) return "";
  return fmt::format("\n{} of {} runs are finished\n", finished_runs(results), results.planned);
}

}  // namespace

std::string table_text(const Results& results, Emphasis emphasis) {
  const std::vector<TableRow> rows = table_of(results);
  std::string text;
  if (results.kind == ExperimentKind::Sweep) {
    for (const SweepGrid& grid : sweep_grids(rows)) text += sweep_block(grid, emphasis);
    text += fmt::format("in percent, {}\n", runs_text(results, rows));
  } else if (!rows.empty()) {
    text = paper_block(results, rows, emphasis) +
           fmt::format("in percent, {}\n", runs_text(results, rows));
    if (results.chosen_on_test) {
      text +=
          "each metric at its best epoch on test, as in the paper for HMDB (optimistic); "
          "labels at the epoch of F1\n";
    }
    if (!results.published.empty()) {
      text += fmt::format("paper: {}; its mAP is interpolated, so the measured mAP is too\n",
                          published_source(results.published));
    }
    text += '\n';
    text += beyond_block(results, rows, emphasis);
  }
  return text + failures(results) + left_to_do(results);
}

}  // namespace manyverbs
