// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "manyverbs/protocols/internal/published.h"
#include "manyverbs/reports/internal/table_cells.h"
#include "manyverbs/reports/internal/tables.h"
#include "manyverbs/reports/internal/text_grid.h"
#include "manyverbs/support/internal/display.h"

namespace manyverbs {
namespace {

GridCell metric_cell(const TableRow& row, std::size_t metric, std::string_view plus_minus,
                     int gap) {
  const Cell& cell = row.cells[metric];
  return {cell_text(cell.mean, cell.deviation, kTableMetrics[metric].unit == MetricUnit::Fraction,
                    plus_minus),
          row.best[metric], gap};
}

GridCell published_cell(const Results& results, const TableRow& row, std::string_view metric) {
  const auto value = published_value(results.published, row.row.key, metric);
  return {value ? cell_text(value->mean, value->deviation, true, "±") : "-", false, 1};
}

std::string paper_block(const Results& results, const std::vector<TableRow>& rows,
                        Emphasis emphasis) {
  const bool beside = !results.published.empty();
  std::vector<GridRow> grid(1);
  for (const std::string_view key : paper_metrics(results)) {
    grid[0].cells.push_back(
        {std::string(kTableMetrics[table_metric(key)].title), false, beside ? 2 : 3});
    if (beside) grid[0].cells.push_back({"paper", false, 1});
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
  return text_grid(grid, emphasis);
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
  return text_grid(grid, emphasis) +
         "expected: the threshold that gives the expected number of labels on the clips that "
         "select "
         "the epoch\n"
         "(--expected-labels; default: the ground-truth mean of the test clips)\n"
         "* upper bound: the best threshold on the test clips\n";
}

// "+3.2 ± 1.1"; "ref" for the reference.
GridCell difference_cell(const TableRow& row, std::size_t metric, const std::string& reference) {
  if (row.row.key == reference) return {"ref"};
  if (!row.differences[metric]) return {"-"};
  const Interval& interval = row.differences[metric]->interval;
  const std::string text = cell_text(interval.mean, interval.half_width, true, " ± ");
  return {interval.mean >= 0 ? "+" + text : text};
}

// The variation that the intervals of a column cover.
std::string covered(const std::vector<TableRow>& rows, std::size_t metric) {
  bool any = false;
  bool runs = true;
  bool clips = true;
  for (const TableRow& row : rows) {
    const std::optional<Difference>& difference = row.differences[metric];
    if (!difference || std::isnan(difference->interval.half_width)) continue;
    any = true;
    runs = runs && difference->over_runs;
    clips = clips && difference->over_clips;
  }
  if (!any) return "no interval (one seed)";
  if (runs) return clips ? "over runs and test clips" : "over runs";
  return "over test clips (one seed)";
}

// "over runs and test clips; mAP: over runs".
std::string covered(const Results& results, const std::vector<TableRow>& rows) {
  std::string text;
  std::string last;
  for (const std::string_view key : paper_metrics(results)) {
    const std::size_t metric = table_metric(key);
    const std::string here = covered(rows, metric);
    if (here == last) continue;
    if (!text.empty()) text += fmt::format("; {}: ", kTableMetrics[metric].title);
    text += here;
    last = here;
  }
  return text;
}

std::string difference_block(const Results& results, const std::vector<TableRow>& rows,
                             Emphasis emphasis) {
  if (rows.size() < 2 || finished_runs(results) == 0) return "";
  std::vector<GridRow> grid(1);
  grid[0].title = "Difference";
  for (const std::string_view key : paper_metrics(results)) {
    grid[0].cells.push_back({std::string(kTableMetrics[table_metric(key)].title)});
  }
  const auto references = references_of(results);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    GridRow line{rows[i].row.title, {}, starts_own(rows, i)};
    for (const std::string_view key : paper_metrics(results)) {
      const std::size_t metric = table_metric(key);
      line.cells.push_back(difference_cell(rows[i], metric, references[metric]));
    }
    grid.push_back(std::move(line));
  }
  const bool has_baseline = std::any_of(
      rows.begin(), rows.end(), [](const TableRow& row) { return !row.row.pseudo_labelled; });
  std::string text =
      text_grid(grid, emphasis) +
      fmt::format("± half of the 95 % interval, paired by seed, {}\n", covered(results, rows));
  if (results.reference.empty()) {
    text += fmt::format("ref: the best row{}; --reference chooses another\n",
                        has_baseline ? " without pseudo-labels" : "");
  }
  return text + '\n';
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

std::string bold_text(Emphasis emphasis) {
  return emphasis == Emphasis::None ? "" : fmt::format("bold: {}\n", kBestMeaning);
}

std::string sweep_block(const SweepGrid& sweep, Emphasis emphasis) {
  std::vector<GridRow> grid(1);
  grid[0].title = "tau \\ K";
  const bool beside = !sweep.published.empty();
  for (const int k : sweep.ks) {
    grid[0].cells.push_back({std::to_string(k)});
    if (beside) grid[0].cells.push_back({"paper", false, 1});
  }
  for (std::size_t i = 0; i < sweep.taus.size(); ++i) {
    GridRow line{fmt::format("{}", sweep.taus[i]), {}, false};
    for (std::size_t j = 0; j < sweep.ks.size(); ++j) {
      const Cell& cell = sweep.f1[i][j];
      line.cells.push_back({cell_text(cell.mean, cell.deviation, true, "±"), sweep.best[i][j]});
      if (!beside) continue;
      line.cells.push_back({cell_text(sweep.published[i][j], NAN, true, ""), false, 1});
    }
    grid.push_back(std::move(line));
  }
  return fmt::format("{}, F1\n{}\n", shortened(sweep.title, kLongestTitle),
                     text_grid(grid, emphasis));
}

// "best on the validation clips: Mask K 15, tau 0.1; P+S K 5, tau 0.1"
std::string chosen_text(const std::vector<SweepGrid>& grids) {
  std::string text;
  for (const SweepGrid& grid : grids) {
    if (!grid.chosen) continue;
    text += fmt::format("{}{} K {}, tau {}", text.empty() ? "best on the validation clips: " : "; ",
                        shortened(grid.title, kLongestTitle), *grid.chosen->k, *grid.chosen->tau);
  }
  return text.empty() ? "" : text + '\n';
}

std::string failures(const Results& results) {
  std::string lines;
  int failed = 0;
  for (const RunResult& run : results.runs) {
    if (run.problem.empty()) continue;
    ++failed;
    const std::string name = shortened(run.name, kLongestTitle);
    lines += fmt::format("  {}: {}\n", name,
                         shortened(run.problem, 2 * kWidestText - 4 - display_width(name)));
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
    const std::vector<SweepGrid> grids = sweep_grids(results, rows);
    for (const SweepGrid& grid : grids) text += sweep_block(grid, emphasis);
    text += fmt::format("in percent, {}\n{}", runs_text(results, rows), bold_text(emphasis));
    text += chosen_text(grids);
    if (!results.published.empty()) {
      text += fmt::format("paper: {}, one run each\n", published_source(results.published));
    }
  } else if (!rows.empty()) {
    text = paper_block(results, rows, emphasis) +
           fmt::format("in percent, {}\n{}", runs_text(results, rows), bold_text(emphasis));
    if (results.recipe == Recipe::Released) text += "recipe: the released code of the paper\n";
    if (results.from == RunKind::Clips)
      text += "end to end: each run trained a backbone on clips\n";
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
    text += difference_block(results, rows, emphasis);
    text += beyond_block(results, rows, emphasis);
  }
  return text + failures(results) + left_to_do(results);
}

}  // namespace manyverbs
