// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/options.h"
#include "manyverbs/dataset/synthetic.h"
#include "manyverbs/protocols/experiment.h"
#include "manyverbs/reports/report.h"
#include "manyverbs/reports/tables.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/parallel.h"

namespace manyverbs::cli {
namespace {

// Says what came out, whichever way: the best loss, and the best of the other kind.
void print_verdict(const std::vector<TableRow>& table, std::string_view metric) {
  const std::size_t column = table_metric(metric);
  const TableRow* best[2] = {nullptr, nullptr};  // of the baselines, of the paper's own
  for (const TableRow& row : table) {
    const TableRow*& so_far = best[row.row.ours ? 1 : 0];
    if (so_far == nullptr || row.cells[column].mean > so_far->cells[column].mean) so_far = &row;
  }
  const bool ours_wins = best[1]->cells[column].mean > best[0]->cells[column].mean;
  const TableRow& first = *best[ours_wins ? 1 : 0];
  const TableRow& other = *best[ours_wins ? 0 : 1];
  fmt::print("{}: {} is best with {}; {} is {} with {}, AN has {}.\n", kTableMetrics[column].title,
             first.row.title, percent(first.cells[column].mean),
             ours_wins ? "the best that ignores neighbours" : "the best that asks neighbours",
             other.row.title, percent(other.cells[column].mean),
             percent(table[0].cells[column].mean));
}

// The data set at a place, made if need be. One that other settings made is no base to go on from.
Dataset make_or_reuse(const std::filesystem::path& folder, const SyntheticSettings& settings,
                      bool may_reuse) {
  const SyntheticDataset made = make_synthetic(settings);
  if (!may_reuse || !std::filesystem::exists(folder)) write_synthetic(folder, made);
  Dataset dataset = read_dataset(folder);
  const bool same = std::equal(
      dataset.clips.begin(), dataset.clips.end(), made.dataset.clips.begin(),
      made.dataset.clips.end(),
      [](const Clip& a, const Clip& b) { return a.split == b.split && a.labels == b.labels; });
  if (!same) {
    throw Error("{}: holds other data than these options make; choose another --out or remove it",
                folder.string());
  }
  return dataset;
}

void print_dataset(const Dataset& dataset) {
  const auto test = static_cast<std::int64_t>(dataset.clips_of(Split::Test).size());
  fmt::print("{}: {} with one label each and {} with all of theirs, {}\n", dataset.folder.string(),
             counted(static_cast<std::int64_t>(dataset.clips.size()) - test, "clip", "clips"),
             counted(test, "test clip", "test clips"),
             counted(dataset.classes.size(), "verb", "verbs"));
}

// Every loss of the paper's table, at settings that suit so few clips.
Experiment demo_plan(const Dataset& dataset, int seeds) {
  ExperimentSettings settings;
  settings.datasets = {dataset.folder};
  settings.seeds = seeds;
  TrainingSettings& training = settings.run.training;
  training.hidden = {512, 512};
  training.learning_rate = 2e-4;
  training.epochs = 60;
  training.patience = 8;
  return plan_compare(settings, binary_loss_names());
}

}  // namespace

void demo_command(const Arguments& arguments) {
  CommandLine line("demo",
                   "manyverbs demo --out demo\n"
                   "manyverbs demo --only-data --train 400 --val 50 --test 150 --out kitchen");
  std::string out = "demo";
  int seeds = 3;
  bool only_data = false;
  SyntheticSettings settings;
  line.app.add_option("--out", out,
                      "Folder for data and runs; one that is there goes on where it stopped");
  line.app.add_option("--seeds", seeds, "Runs of each loss, with another seed each")
      ->check(from_to(1, 100));
  line.app.add_flag("--only-data", only_data, "Make OUT a data set and stop");
  line.app.add_option("--train", settings.train, "Training clips")->check(from_to(20, 1 << 24));
  line.app.add_option("--val", settings.val, "Validation clips")->check(from_to(0, 1 << 24));
  line.app.add_option("--test", settings.test, "Test clips")->check(from_to(1, 1 << 24));
  line.app.add_option("--seed", settings.seed, "Seed of the data")->check(from_up(0));
  if (!line.parse(arguments)) return;

  const std::filesystem::path folder =
      only_data ? std::filesystem::path(out) : std::filesystem::path(out) / "kitchen";
  const Dataset dataset = make_or_reuse(folder, settings, !only_data);
  print_dataset(dataset);
  if (only_data) {
    suggest(fmt::format("manyverbs inspect {}", shell_word(out)));
    return;
  }
  const std::filesystem::path place = out;
  const Experiment plan = demo_plan(dataset, seeds);
  const Results results = run_experiment(plan, place / "compare", num_threads());
  const PseudoLabels pseudo = make_pseudo_labels(dataset, *plan.runs.back().pseudo_labels);
  fmt::print("pseudo-labels from {} neighbours: precision {}, recall {} of the hidden labels\n\n",
             pseudo.record.votes->k, percent(pseudo.record.quality.precision),
             percent(pseudo.record.quality.recall));
  write_tables(results);
  fmt::print("{}\n", table_text(results));
  print_verdict(table_of(results), "iou");
  print_verdict(table_of(results), "f1");
  write_report({place / "compare"}, place / "report.html", {.title = "A made-up kitchen"});
  fmt::print("\nThe report: {}\n", (place / "report.html").string());
  suggest(fmt::format("manyverbs evaluate {} --classes",
                      shell_word(place / "compare" / "runs" / "p+s-1")));
}

}  // namespace manyverbs::cli
