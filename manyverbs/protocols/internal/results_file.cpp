// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/results_file.h"

#include <algorithm>
#include <cmath>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/internal/dataset_place.h"
#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

constexpr int kFormat = 2;

Json to_json(const ExperimentRow& row) {
  Json json = {{"key", row.key},
               {"title", row.title},
               {"loss", row.loss},
               {"pseudo_labels", row.pseudo_labelled}};
  if (row.k) json["k"] = *row.k;
  if (row.tau) json["tau"] = *row.tau;
  return json;
}

ExperimentRow row_of(const Json& json, const std::filesystem::path& path) {
  ExperimentRow row;
  row.key = json_value<std::string>(json, "key", path);
  row.title = json_value<std::string>(json, "title", path);
  row.loss = json_value<std::string>(json, "loss", path);
  row.pseudo_labelled = json_value<bool>(json, "pseudo_labels", path);
  if (json.contains("k")) row.k = json_value<int>(json, "k", path);
  if (json.contains("tau")) row.tau = json_value<double>(json, "tau", path);
  return row;
}

Json to_json(const RunResult& run) {
  Json json = {{"name", run.name}, {"row", run.row}, {"dataset", run.dataset}, {"seed", run.seed}};
  if (!run.problem.empty()) {
    json["problem"] = run.problem;
    return json;
  }
  json["seconds"] = run.seconds;
  json["epochs"] = run.epochs;
  json["best_epoch"] = run.best_epoch;
  json["validation_score"] = number_or_null(run.validation_score);
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    json["metrics"][std::string(kTableMetrics[m].key)] = number_or_null(run.values[m]);
  }
  return json;
}

RunResult run_of(const Json& json, const std::filesystem::path& path) {
  RunResult run;
  run.name = json_value<std::string>(json, "name", path);
  run.row = json_value<std::string>(json, "row", path);
  run.dataset = json_value<std::size_t>(json, "dataset", path);
  run.seed = json_value<std::uint64_t>(json, "seed", path);
  run.values.fill(NAN);
  if (json.contains("problem")) {
    run.problem = json_value<std::string>(json, "problem", path);
    return run;
  }
  run.seconds = json_value<double>(json, "seconds", path);
  run.epochs = json_value<int>(json, "epochs", path);
  run.best_epoch = json_value<int>(json, "best_epoch", path);
  if (json.contains("validation_score") && !json["validation_score"].is_null()) {
    run.validation_score = json_value<double>(json, "validation_score", path);
  }
  const Json metrics = json_value<Json>(json, "metrics", path);
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    const std::string key(kTableMetrics[m].key);
    const Json value = json_value<Json>(metrics, key, path);
    run.values[m] = value.is_null() ? NAN : json_value<double>(metrics, key, path);
  }
  return run;
}

Matrix<float> read_clips(const std::filesystem::path& run_folder) {
  const std::filesystem::path file = clip_metrics_file(run_folder);
  if (!std::filesystem::exists(file)) return {};
  Matrix<float> clips = read_float_array(file);
  return clips.columns() == kTableMetrics.size() ? clips : Matrix<float>();
}

ExperimentKind find_kind(const std::string& name, const std::filesystem::path& path) {
  for (const auto kind : {ExperimentKind::Compare, ExperimentKind::Ablate, ExperimentKind::Sweep}) {
    if (kind_name(kind) == name) return kind;
  }
  throw Error("{}: expected the kind compare, ablate or sweep, found '{}'", path.string(), name);
}

// Every run must belong to an existing row and data set, and the reference must be a row.
void require_whole(const Results& results, const std::filesystem::path& path) {
  const auto has_row = [&](const std::string& key) {
    return std::any_of(results.rows.begin(), results.rows.end(),
                       [&](const ExperimentRow& row) { return row.key == key; });
  };
  if (!results.reference.empty() && !has_row(results.reference)) {
    throw Error("{}: is damaged: the reference '{}' is not a row", path.string(),
                results.reference);
  }
  for (const RunResult& run : results.runs) {
    if (!has_row(run.row) || run.dataset >= results.datasets.size()) {
      throw Error("{}: is damaged: the run {} is of row '{}' and data set {}, which do not exist",
                  path.string(), run.name, run.row, run.dataset);
    }
  }
}

}  // namespace

bool is_experiment(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / "results.json");
}

std::filesystem::path clip_metrics_file(const std::filesystem::path& run_folder) {
  return run_folder / "clip_metrics.npy";
}

void write_results(const Results& results) {
  Json json = {{"format", kFormat},
               {"kind", kind_name(results.kind)},
               {"from", run_kind_name(results.from)},
               {"recipe", recipe_name(results.recipe)},
               {"command", results.command},
               {"published", results.published},
               {"reference", results.reference},
               {"datasets", Json::array()},
               {"true_labels", number_or_null(results.true_labels)},
               {"chosen_on_test", results.chosen_on_test},
               {"planned", results.planned},
               {"rows", Json::array()},
               {"runs", Json::array()}};
  for (const auto& dataset : results.datasets) {
    json["datasets"].push_back(place_json(dataset, results.folder));
  }
  for (const ExperimentRow& row : results.rows) json["rows"].push_back(to_json(row));
  for (const RunResult& run : results.runs) json["runs"].push_back(to_json(run));
  write_json(results.folder / "results.json", json);
}

Results read_results(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "results.json";
  if (!is_experiment(folder)) {
    throw Error(
        "{}: is not an experiment: it has no results.json; 'manyverbs compare', 'ablate' and "
        "'sweep' "
        "create one",
        folder.string());
  }
  const Json json = read_json(path);
  const int format = json_value<int>(json, "format", path);
  if (format != kFormat) {
    throw Error("{}: has format {}, this program requires {}", path.string(), format, kFormat);
  }
  Results results;
  results.folder = folder;
  results.kind = find_kind(json_value<std::string>(json, "kind", path), path);
  if (json.contains("from")) {  // experiments of older versions are all on features
    results.from = find_run_kind(json_value<std::string>(json, "from", path), path);
  }
  if (json.contains("recipe")) {
    results.recipe = find_recipe(json_value<std::string>(json, "recipe", path));
  }
  results.command = json_value<std::string>(json, "command", path);
  results.published = json_value<std::string>(json, "published", path);
  if (json.contains("reference")) {
    results.reference = json_value<std::string>(json, "reference", path);
  }
  for (const Json& place : json_value<Json>(json, "datasets", path)) {
    results.datasets.push_back(find_place(place, path, [](const auto&) { return true; }));
  }
  results.true_labels = json_value<double>(json, "true_labels", path);
  results.chosen_on_test = json_value<bool>(json, "chosen_on_test", path);
  results.planned = json_value<std::size_t>(json, "planned", path);
  for (const Json& row : json_value<Json>(json, "rows", path)) {
    results.rows.push_back(row_of(row, path));
  }
  for (const Json& run : json_value<Json>(json, "runs", path)) {
    results.runs.push_back(run_of(run, path));
    results.runs.back().clips = read_clips(folder / "runs" / results.runs.back().name);
  }
  if (results.datasets.empty()) throw Error("{}: has no data sets", path.string());
  require_whole(results, path);
  return results;
}

}  // namespace manyverbs
