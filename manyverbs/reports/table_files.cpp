// SPDX-License-Identifier: MIT
#include <cmath>

#include <fmt/format.h>

#include "manyverbs/protocols/internal/published.h"
#include "manyverbs/reports/internal/table_cells.h"
#include "manyverbs/reports/internal/tables.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

std::string field(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

// Published values have three digits; dividing by 100 adds rounding noise.
std::string published_field(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.6g}", value);
}

std::vector<std::string> table_header(const Results& results) {
  std::vector<std::string> header = {"row", "title", "loss"};
  if (results.kind == ExperimentKind::Sweep) header.insert(header.end(), {"k", "tau"});
  header.emplace_back("runs");
  for (const TableMetric& metric : kTableMetrics) {
    header.emplace_back(metric.key);
    header.push_back(fmt::format("{}_deviation", metric.key));
    header.push_back(fmt::format("{}_best", metric.key));
  }
  if (results.published.empty()) return header;
  for (const std::string_view key : paper_metrics(results)) {
    header.push_back(fmt::format("published_{}", key));
    header.push_back(fmt::format("published_{}_deviation", key));
  }
  return header;
}

std::vector<std::string> table_fields(const Results& results, const TableRow& row) {
  std::vector<std::string> fields = {row.row.key, row.row.title, row.row.loss};
  if (results.kind == ExperimentKind::Sweep) {
    fields.push_back(row.row.k ? std::to_string(*row.row.k) : "");
    fields.push_back(row.row.tau ? field(*row.row.tau) : "");
  }
  fields.push_back(std::to_string(finished_runs(results, row.row.key)));
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    fields.push_back(field(row.cells[m].mean));
    fields.push_back(field(row.cells[m].deviation));
    fields.emplace_back(row.best[m] ? "1" : "0");
  }
  if (results.published.empty()) return fields;
  for (const std::string_view key : paper_metrics(results)) {
    const auto value = published_value(results.published, row.row.key, key);
    fields.push_back(value ? published_field(value->mean) : "");
    fields.push_back(value ? published_field(value->deviation) : "");
  }
  return fields;
}

Json difference_json(const std::optional<Difference>& difference) {
  if (!difference) return nullptr;
  return {{"reference", difference->reference},
          {"mean", number_or_null(difference->interval.mean)},
          {"low", number_or_null(difference->interval.low())},
          {"high", number_or_null(difference->interval.high())},
          {"pairs", difference->pairs},
          {"over_runs", difference->over_runs},
          {"over_clips", difference->over_clips}};
}

Json metrics_json(const TableRow& row) {
  Json metrics = Json::object();
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    const Cell& cell = row.cells[m];
    metrics[std::string(kTableMetrics[m].key)] = {
        {"mean", number_or_null(cell.mean)},
        {"deviation", number_or_null(cell.deviation)},
        {"runs", cell.runs},
        {"rank", row.rank[m] > 0 ? Json(row.rank[m]) : Json(nullptr)},
        {"best", row.best[m]},
        {"difference", difference_json(row.differences[m])}};
  }
  return metrics;
}

Json published_json(const Results& results, const TableRow& row) {
  Json published = Json::object();
  if (results.published.empty()) return published;
  for (const TableMetric& metric : kTableMetrics) {
    const auto value = published_value(results.published, row.row.key, metric.key);
    if (!value) continue;
    published[std::string(metric.key)] = {{"mean", value->mean},
                                          {"deviation", number_or_null(value->deviation)}};
  }
  return published;
}

}  // namespace

std::string table_csv(const Results& results) {
  std::string text = csv_line(table_header(results));
  for (const TableRow& row : table_of(results)) text += csv_line(table_fields(results, row));
  return text;
}

std::string differences_csv(const Results& results) {
  std::string text = csv_line({"row", "reference", "metric", "pairs", "difference", "low", "high",
                               "over_runs", "over_clips"});
  for (const TableRow& row : table_of(results)) {
    for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
      if (!row.differences[m]) continue;
      const Difference& difference = *row.differences[m];
      text += csv_line({row.row.key, difference.reference, std::string(kTableMetrics[m].key),
                        std::to_string(difference.pairs), field(difference.interval.mean),
                        field(difference.interval.low()), field(difference.interval.high()),
                        difference.over_runs ? "1" : "0", difference.over_clips ? "1" : "0"});
    }
  }
  return text;
}

std::string runs_csv(const Results& results) {
  std::vector<std::string> header = {"run",     "row",    "dataset",    "seed",
                                     "seconds", "epochs", "best_epoch", "validation_score",
                                     "problem"};
  for (const TableMetric& metric : kTableMetrics) header.emplace_back(metric.key);
  std::string text = csv_line(header);
  for (const RunResult& run : results.runs) {
    const bool done = run.problem.empty();
    const auto when_done = [done](std::string value) { return done ? std::move(value) : ""; };
    std::vector<std::string> fields = {
        run.name,
        run.row,
        run.dataset < results.datasets.size() ? results.datasets[run.dataset].string() : "",
        std::to_string(run.seed),
        when_done(field(run.seconds)),
        when_done(std::to_string(run.epochs)),
        when_done(std::to_string(run.best_epoch)),
        when_done(field(run.validation_score)),
        run.problem};
    for (const double value : run.values) fields.push_back(when_done(field(value)));
    text += csv_line(fields);
  }
  return text;
}

Json table_json(const Results& results) {
  Json json = {{"kind", kind_name(results.kind)},
               {"from", run_kind_name(results.from)},
               {"folder", results.folder.string()},
               {"command", results.command},
               {"planned", results.planned},
               {"done", finished_runs(results)},
               {"true_labels", number_or_null(results.true_labels)},
               {"chosen_on_test", results.chosen_on_test},
               {"published", results.published.empty() ? Json(nullptr) : Json(results.published)},
               {"rows", Json::array()},
               {"failed", Json::array()}};
  for (const TableRow& row : table_of(results)) {
    Json line = {{"key", row.row.key}, {"title", row.row.title}, {"loss", row.row.loss}};
    if (row.row.k) line["k"] = *row.row.k;
    if (row.row.tau) line["tau"] = *row.row.tau;
    line["metrics"] = metrics_json(row);
    line["published"] = published_json(results, row);
    json["rows"].push_back(std::move(line));
  }
  if (results.kind == ExperimentKind::Sweep) {
    json["chosen"] = Json::array();
    for (const SweepGrid& grid : sweep_grids(results, table_of(results))) {
      if (grid.chosen) json["chosen"].push_back(grid.chosen->key);
    }
  }
  for (const RunResult& run : results.runs) {
    if (run.problem.empty()) continue;
    json["failed"].push_back(
        {{"run", run.name}, {"row", run.row}, {"seed", run.seed}, {"problem", run.problem}});
  }
  return json;
}

void write_tables(const Results& results) {
  write_file(results.folder / "table.csv", table_csv(results));
  write_file(results.folder / "differences.csv", differences_csv(results));
  write_file(results.folder / "runs.csv", runs_csv(results));
  write_file(results.folder / "table.tex", table_latex(results));
}

}  // namespace manyverbs
