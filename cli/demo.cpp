// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/options.h"
#include "manyverbs/dataset/synthetic.h"
#include "manyverbs/support/error.h"

namespace manyverbs::cli {
namespace {

// The metrics that the table shows, of one run or the mean of several.
struct Row {
  std::string title;
  std::vector<std::vector<double>> runs;  // one list of values for each seed
};

constexpr std::array<std::string_view, 7> kColumns = {"Top-set", "Top-1",       "IOU",   "F1",
                                                      "mAP",     "F1 expected", "labels"};

std::vector<double> values_of(const Evaluation& e) {
  return {100 * e.top_set, 100 * e.top1,        100 * e.fixed.iou,       100 * e.fixed.f1,
          100 * e.map,     100 * e.expected.f1, e.fixed.predicted_labels};
}

double mean(const std::vector<std::vector<double>>& runs, std::size_t column) {
  double sum = 0;
  for (const auto& run : runs) sum += run[column];
  return sum / static_cast<double>(runs.size());
}

double deviation(const std::vector<std::vector<double>>& runs, std::size_t column) {
  const double centre = mean(runs, column);
  double sum = 0;
  for (const auto& run : runs) sum += (run[column] - centre) * (run[column] - centre);
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, runs.size() - 1)));
}

void print_table(const std::vector<Row>& rows, double true_labels) {
  fmt::print("\n{:<8}", "Loss");
  for (const std::string_view column : kColumns) fmt::print("{:>13}", column);
  fmt::print("\n");
  for (const Row& row : rows) {
    fmt::print("{:<8}", row.title);
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      fmt::print("{:>13}", row.runs.size() < 2 ? fmt::format("{:.1f}", mean(row.runs, c))
                                               : fmt::format("{:.1f} ± {:.1f}", mean(row.runs, c),
                                                             deviation(row.runs, c)));
    }
    fmt::print("\n");
  }
  fmt::print("\nIn percent{}; labels: predicted a clip above 0.5, {:.1f} are true.\n",
             rows[0].runs.size() < 2 ? "" : ", mean ± standard deviation over seeds", true_labels);
}

// Says what came out, whichever way.
void print_verdict(const std::vector<Row>& rows, std::size_t column) {
  const Row* best = &rows[0];
  const Row* baseline = nullptr;
  for (const Row& row : rows) {
    if (mean(row.runs, column) > mean(best->runs, column)) best = &row;
    const bool ours = row.title == "Mask" || row.title == "P+S";
    if (!ours && (baseline == nullptr || mean(row.runs, column) > mean(baseline->runs, column))) {
      baseline = &row;
    }
  }
  fmt::print(
      "{}: {} is best with {:.1f}; the best that ignores neighbours is {} with {:.1f}, AN has "
      "{:.1f}.\n",
      kColumns[column], best->title, mean(best->runs, column), baseline->title,
      mean(baseline->runs, column), mean(rows[0].runs, column));
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

RunSettings demo_run(std::string_view loss, int seed) {
  RunSettings settings;
  settings.training.loss = loss;
  settings.training.hidden = {512, 512};
  settings.training.learning_rate = 2e-4;
  settings.training.epochs = 60;
  settings.training.patience = 8;
  settings.training.seed = static_cast<std::uint64_t>(seed);
  return settings;
}

std::vector<Row> train_all(const Dataset& dataset, const std::filesystem::path& out, int seeds) {
  std::vector<Row> rows;
  for (const Loss& loss : all_losses()) {
    // The paper's table has binary losses only.
    if (loss.activation == Activation::Softmax) continue;
    Row row{std::string(loss.title), {}};
    for (int seed = 1; seed <= seeds; ++seed) {
      const std::filesystem::path run = out / "runs" / fmt::format("{}-{}", loss.name, seed);
      train_run(dataset, demo_run(loss.name, seed), run);
      row.runs.push_back(values_of(TrainedRun(run).evaluate(dataset, Split::Test, {})));
    }
    remark(fmt::format("trained {:<6} F1 {:.1f} %", loss.title, mean(row.runs, 3)));
    rows.push_back(std::move(row));
  }
  return rows;
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
  PseudoLabelSettings pseudo;
  const PseudoLabels made = make_pseudo_labels(dataset, pseudo);
  fmt::print("pseudo-labels from {} neighbours: precision {}, recall {} of the hidden labels\n",
             pseudo.neighbours.k, percent(made.record.quality.precision),
             percent(made.record.quality.recall));
  double true_labels = 0;
  const std::vector<int> test = dataset.clips_of(Split::Test);
  for (const int i : test) true_labels += static_cast<double>(dataset.clips[i].labels.size());
  const std::vector<Row> rows = train_all(dataset, out, seeds);
  print_table(rows, true_labels / static_cast<double>(test.size()));
  print_verdict(rows, 2);
  print_verdict(rows, 3);
  suggest(fmt::format("manyverbs evaluate {} --classes",
                      shell_word(std::filesystem::path(out) / "runs" / "p+s-1")));
}

}  // namespace manyverbs::cli
