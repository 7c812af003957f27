// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/experiment_charts.h"

#include <cmath>
#include <set>

#include "manyverbs/protocols/internal/experiment_table.h"
#include "manyverbs/protocols/internal/published.h"
#include "manyverbs/reports/internal/report_values.h"
#include "manyverbs/reports/internal/training_curve.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

constexpr int kLongestText = 1000;

Json metrics_json() {
  Json metrics = Json::array();
  for (const TableMetric& metric : kTableMetrics) {
    metrics.push_back({{"key", metric.key},
                       {"title", metric.title},
                       {"percent", metric.unit == MetricUnit::Fraction},
                       {"meaning", metric.meaning}});
  }
  return metrics;
}

Json cells_json(const TableRow& row) {
  Json cells = Json::object();
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    const Cell& cell = row.cells[m];
    Json& json = cells[std::string(kTableMetrics[m].key)];
    json = {{"mean", short_number(cell.mean)},
            {"deviation", short_number(cell.deviation)},
            {"runs", cell.runs}};
    if (row.rank[m] == 0) continue;
    json["rank"] = row.rank[m];
    json["best"] = row.best[m];
  }
  return cells;
}

Json published_json(const Results& results, const std::string& row) {
  Json published = Json::object();
  if (results.published.empty()) return published;
  for (const TableMetric& metric : kTableMetrics) {
    const auto value = published_value(results.published, row, metric.key);
    if (!value) continue;
    published[std::string(metric.key)] = {{"mean", short_number(value->mean)},
                                          {"deviation", short_number(value->deviation)}};
  }
  return published;
}

Json rows_json(const Results& results) {
  Json rows = Json::array();
  for (const TableRow& row : table_of(results)) {
    Json json = {{"key", row.row.key},
                 {"title", report_name(row.row.title)},
                 {"loss", row.row.loss},
                 {"pseudo_labelled", row.row.pseudo_labelled}};
    if (row.row.k) json["k"] = *row.row.k;
    if (row.row.tau) json["tau"] = *row.row.tau;
    json["cells"] = cells_json(row);
    json["published"] = published_json(results, row.row.key);
    rows.push_back(std::move(json));
  }
  return rows;
}

Json run_json(const RunResult& run, const std::filesystem::path& folder, std::size_t place,
              std::size_t points) {
  const bool done = run.problem.empty();
  Json values = Json::object();
  for (std::size_t m = 0; done && m < kTableMetrics.size(); ++m) {
    values[std::string(kTableMetrics[m].key)] = short_number(run.values[m]);
  }
  return {{"name", report_name(run.name)},
          {"row", run.row},
          {"dataset", place},
          {"seed", run.seed},
          {"problem", done ? Json(nullptr) : Json(shortened(run.problem, kLongestText))},
          {"seconds", done ? short_number(run.seconds) : Json(nullptr)},
          {"best_epoch", run.best_epoch > 0 ? Json(run.best_epoch) : Json(nullptr)},
          {"values", std::move(values)},
          {"curve", training_curve(folder / "runs" / run.name, run.best_epoch, points)}};
}

Json grid_json(const Results& results) {
  if (results.kind != ExperimentKind::Sweep) return nullptr;
  std::set<int> ks;
  std::set<double> taus;
  for (const ExperimentRow& row : results.rows) {
    if (row.k) ks.insert(*row.k);
    if (row.tau) taus.insert(*row.tau);
  }
  return {{"ks", ks}, {"taus", taus}};
}

}  // namespace

Json experiment_charts(const Results& results, const std::vector<std::size_t>& places,
                       std::size_t points) {
  Json runs = Json::array();
  for (const RunResult& run : results.runs) {
    const std::size_t place = run.dataset < places.size() ? places[run.dataset] : 0;
    runs.push_back(run_json(run, results.folder, place, points));
  }
  return {{"kind", kind_name(results.kind)},
          {"from", run_kind_name(results.from)},
          {"name", report_name(folder_name(results.folder))},
          {"command", shortened(results.command, kLongestText)},
          {"datasets", places},
          {"true_labels", short_number(results.true_labels)},
          {"metrics", metrics_json()},
          {"rows", rows_json(results)},
          {"runs", std::move(runs)},
          {"published_source",
           results.published.empty() ? Json(nullptr) : Json(published_source(results.published))},
          {"chosen_on_test", results.chosen_on_test},
          {"grid", grid_json(results)},
          {"thresholds", Json::array()},
          {"examples", Json::array()}};
}

}  // namespace manyverbs
