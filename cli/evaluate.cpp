// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/options.h"
#include "manyverbs/dataset/internal/clip_selection.h"
#include "manyverbs/metrics/internal/evaluation_json.h"
#include "manyverbs/protocols/internal/best_per_metric.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs::cli {
namespace {

std::string per_metric_text(const TableValues& values) {
  std::string text =
      "Best value per metric over all epochs on test, IOU and F1 at threshold 0.5, as in the paper "
      "for HMDB (optimistic):\n";
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    const TableMetric& metric = kTableMetrics[m];
    text += fmt::format("  {:<18}{}\n", metric.key,
                        metric.unit == MetricUnit::Fraction ? percent(values[m])
                                                            : fmt::format("{:.2f}", values[m]));
  }
  return text;
}

// If the run is not writable, the metrics are still printed.
void keep_evaluation(const std::filesystem::path& file, const Json& json) {
  try {
    write_json(file, json);
  } catch (const Error& problem) {
    remark(fmt::format("the metrics are not stored: {}", problem.what()));
  }
}

// The given data set, or that of the run.
Dataset evaluated_dataset(const Model& model, const std::string& named) {
  if (named.empty()) return model.dataset();
  Dataset dataset = read_dataset(named);
  const std::string changed = model.changed_features(dataset);
  if (!changed.empty()) {
    remark(
        fmt::format("note: {} has changed since {} was trained; the metrics are only valid if "
                    "its features come from the same network",
                    changed, model.folder().string()));
  }
  return dataset;
}

// Says how annotated test clips were chosen, if that biases the metrics of this run.
void note_bias(const std::filesystem::path& run, const ClipSelection& selection) {
  if (!selection.by_runs()) return;
  const std::vector<std::string>& models = selection.models;
  const std::string own = content_hash(run / "model.safetensors");
  if (std::find(models.begin(), models.end(), own) == models.end()) return;
  remark("note: " + selection_text(selection));
}

void evaluate_command(const Arguments& arguments) {
  CommandLine line("evaluate",
                   "manyverbs evaluate runs/p+s\n"
                   "manyverbs evaluate runs/p+s --split test --expected-labels 2.4 --json");
  std::string folder;
  std::string split = "test";
  std::string dataset_folder;
  bool per_class = false;
  bool as_json = false;
  EvaluationSettings settings;
  std::optional<double> threshold;
  std::optional<double> coverage;
  line.app.add_option("RUN", folder, "The run folder or a bundle")->required();
  line.app.add_option("--split", split, "Split to evaluate")
      ->check(one_of({"train", "val", "test"}));
  line.app.add_option("--dataset", dataset_folder,
                      "The data set; default: the one that the run was trained on");
  line.app
      .add_option("--threshold", threshold,
                  "Predict classes with a greater probability; default: the best one for the "
                  "validation clips if these have all labels, or that of the expected number of "
                  "labels of the run, otherwise 0.5")
      ->default_str("")
      ->check(from_to(0.0, 1.0));
  line.app
      .add_option("--expected-labels", settings.expected_labels,
                  "Expected labels per clip, for the second threshold; 0: the ground-truth mean")
      ->check(from_up(0));
  line.app
      .add_option("--coverage", coverage,
                  "Also measure the label sets of 'manyverbs predict --coverage', how many contain "
                  "the label of their clip and their size, and the probabilities of --calibrated")
      ->default_str("");
  line.app.add_flag("--classes", per_class, "Also show one line per class");
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  const Model model = Model::open(folder);
  settings.threshold = threshold.value_or(model.default_threshold());
  const Dataset dataset = evaluated_dataset(model, dataset_folder);
  std::optional<CoverageRule> rule;
  if (coverage) rule = model.coverage_rule(*coverage);
  const Evaluation evaluation = model.evaluate(dataset, find_split(split), settings, rule);
  Json json = {{"run", folder}, {"dataset", dataset.folder.string()}, {"split", split}};
  json.update(to_json(evaluation, dataset.classes));
  const std::optional<ClipSelection> selection = read_selection(dataset.folder);
  if (split == "test" && selection) {
    json["selection"] = selection_text(*selection);
    note_bias(folder, *selection);
  }
  const bool own = model.is_own(dataset);
  if (own && split == "val" && model.was_refitted()) {
    remark(
        "note: the model was also trained on the val clips (--refit), so the values are too high");
  }
  std::optional<TableValues> per_metric;
  if (own && split == "test") per_metric = best_per_metric(folder);
  for (std::size_t m = 0; per_metric && m < kTableMetrics.size(); ++m) {
    json["best_epoch_per_metric"][std::string(kTableMetrics[m].key)] =
        number_or_null((*per_metric)[m]);
  }
  const std::string of = own ? split : folder_name(dataset.folder) + "-" + split;
  keep_evaluation(std::filesystem::path(folder) / fmt::format("evaluation-{}.json", of), json);
  if (as_json) {
    print_json(json);
    return;
  }
  fmt::print("{}", table(evaluation));
  if (per_metric) fmt::print("\n{}", per_metric_text(*per_metric));
  if (per_class) fmt::print("\n{}", class_table(evaluation, dataset.classes));
}

const Registration kEvaluate("evaluate", evaluate_command);

}  // namespace
}  // namespace manyverbs::cli
