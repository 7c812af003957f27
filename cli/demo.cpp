// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/experiment_options.h"
#include "cli/options.h"
#include "manyverbs/decoding/internal/flow_folders.h"
#include "manyverbs/demo/internal/kitchen_clips.h"
#include "manyverbs/demo/internal/synthetic.h"
#include "manyverbs/features/internal/extraction.h"
#include "manyverbs/protocols/internal/clip_runs.h"
#include "manyverbs/protocols/internal/experiment.h"
#include "manyverbs/protocols/learn.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/reports/internal/tables.h"
#include "manyverbs/reports/report.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs::cli {
namespace {

constexpr int kSize = 48;  // input size of the networks in pixels
constexpr std::array kStreams = {Stream::Rgb, Stream::Flow};

struct DemoOptions {
  std::filesystem::path out = "demo";
  int seeds = 3;
  int epochs = 12;           // epochs of the backbones
  double learn_minutes = 3;  // time for learn_run()
  KitchenSettings clips;
};

// Smaller settings that take two minutes.
void make_quick(DemoOptions* options) {
  options->seeds = 1;
  options->epochs = 8;
  options->learn_minutes = 0.3;
  options->clips.train = 420;
  options->clips.val = 60;
  options->clips.test = 120;
}

// Prints the best loss, and the best loss of the other kind.
void print_verdict(const std::vector<TableRow>& table, std::string_view metric) {
  const std::size_t column = table_metric(metric);
  const TableRow* best[2] = {nullptr, nullptr};  // of the baselines, of the methods of the paper
  for (const TableRow& row : table) {
    const TableRow*& so_far = best[row.row.pseudo_labelled ? 1 : 0];
    if (so_far == nullptr || row.cells[column].mean > so_far->cells[column].mean) so_far = &row;
  }
  const bool proposed_wins = best[1]->cells[column].mean > best[0]->cells[column].mean;
  const TableRow& first = *best[proposed_wins ? 1 : 0];
  const TableRow& other = *best[proposed_wins ? 0 : 1];
  fmt::print("{}: {} is best with {}; {} is {} with {}, AN has {}.\n", kTableMetrics[column].title,
             first.row.title, percent(first.cells[column].mean),
             proposed_wins ? "the best without pseudo-labels" : "the best with pseudo-labels",
             other.row.title, percent(other.cells[column].mean),
             percent(table[0].cells[column].mean));
}

void print_dataset(const Dataset& dataset) {
  const auto test = static_cast<std::int64_t>(dataset.clips_of(Split::Test).size());
  fmt::print("{}: {} with a single label, {} with all labels, {}\n", dataset.folder.string(),
             counted(static_cast<std::int64_t>(dataset.clips.size()) - test, "clip", "clips"),
             counted(test, "test clip", "test clips"),
             counted(dataset.classes.size(), "verb", "verbs"));
}

// Opens the clips, or creates them. Throws if they were made with other settings.
Dataset make_or_reuse_clips(const std::filesystem::path& folder, const KitchenSettings& settings) {
  if (!std::filesystem::exists(folder)) write_kitchen_clips(folder, settings);
  Dataset dataset = read_dataset(folder);
  if (dataset.clips != choose_kitchen_clips(settings).dataset.clips) {
    throw Error("{}: contains data of other options; choose another --out or remove it",
                folder.string());
  }
  print_dataset(dataset);
  return dataset;
}

void make_flow(const Dataset& dataset) {
  const FlowReport flow =
      compute_flow(dataset, {.method = FlowMethod::Dis, .short_side = 0}, OnError::Stop);
  fmt::print("flow: {}, DIS\n", counted(flow.computed + flow.kept, "clip", "clips"));
}

// A small network per stream, trained with cross-entropy on the single labels.
RunSettings backbone_run(Stream stream, int epochs) {
  RunSettings settings = default_settings(RunKind::Clips);
  settings.clips.stream = stream;
  settings.clips.backbone = "resnet10";
  settings.clips.width = 32;
  settings.clips.size = kSize;
  settings.dropout = 0.2;
  settings.schedule = Schedule::Cosine;
  settings.learning_rate = 0.02;
  settings.epochs = epochs;
  settings.patience = epochs;
  return settings;
}

std::filesystem::path backbone_folder(const DemoOptions& options, Stream stream) {
  return options.out / "backbones" / stream_name(stream);
}

// In parallel: two networks with one core each are faster than one network with two cores.
void train_backbones(const Dataset& dataset, const DemoOptions& options) {
  std::array<TrainingHistory, kStreams.size()> histories;
  Progress progress("backbones", kStreams.size());
  side_by_side(kStreams.size(), num_threads(), [&](std::size_t i) {
    const Progress::Step step(&progress);
    histories[i] = finetune_run(dataset, backbone_run(kStreams[i], options.epochs),
                                backbone_folder(options, kStreams[i]))
                       .history;
  });
  for (std::size_t i = 0; i < kStreams.size(); ++i) {
    fmt::print("backbone for {}: {}\n", stream_name(kStreams[i]),
               best_epoch_text(histories[i], backbone_folder(options, kStreams[i])));
  }
}

void make_features(const Dataset& dataset, const DemoOptions& options) {
  int columns = 0;
  for (const Stream stream : kStreams) {
    ExtractionSettings settings;
    settings.backbone.stream = stream;
    settings.backbone.weights = backbone_folder(options, stream) / "model.safetensors";
    settings.size = kSize;
    columns += extract_features(dataset, prepare_backbone(settings.backbone), settings).columns;
  }
  fmt::print("features: {} per clip\n", columns);
}

// All losses of the paper, with settings for few clips.
Experiment demo_plan(const Dataset& dataset, int seeds) {
  ExperimentSettings settings;
  settings.datasets = {dataset.folder};
  settings.seeds = seeds;
  settings.run.features.hidden = {256, 256};
  settings.run.batch = 16;
  settings.run.learning_rate = 1e-3;
  settings.run.epochs = 40;
  settings.run.patience = 15;
  return plan_compare(settings, compared_loss_names());
}

Results compare_losses(const Dataset& dataset, const DemoOptions& options) {
  const std::filesystem::path place = options.out / "compare";
  const Experiment plan = demo_plan(dataset, options.seeds);
  const Results results = run_experiment(plan, place, num_threads());
  const PseudoLabels pseudo = make_pseudo_labels(dataset, *plan.runs.back().pseudo_labels);
  fmt::print("pseudo-labels from {} neighbours: precision {}, recall of the hidden labels {}\n\n",
             plan.runs.back().pseudo_labels->neighbours.k, percent(pseudo.quality.precision),
             percent(pseudo.quality.recall));
  write_tables(results);
  fmt::print("{}\n", table_text(results));
  const auto clips = static_cast<std::int64_t>(dataset.clips_of(Split::Train).size());
  if (clips < KitchenSettings{}.train) {
    fmt::print(
        "This was a smoke test. {} are too few for useful backbones and neighbours, so the\ntable "
        "does not show which loss is better; 'manyverbs demo' uses {}.\n",
        counted(clips, "training clip", "training clips"), grouped(KitchenSettings{}.train));
  } else {
    print_verdict(table_of(results), "iou");
    print_verdict(table_of(results), "f1");
  }
  return results;
}

// Lets the program choose, and prints the result beside the best row of the table.
void learn_best(const Dataset& dataset, const DemoOptions& options, const Results& results) {
  LearnSettings settings;
  settings.minutes = options.learn_minutes;
  const std::filesystem::path run = options.out / "learned";
  const Learned learned = learn_run(dataset, settings, run);
  const Evaluation evaluation = Model::open(run).evaluate(dataset, Split::Test);
  const auto best_of_table = [&](std::string_view metric) {
    const std::size_t column = table_metric(metric);
    const std::vector<TableRow> table = table_of(results);
    const auto best = std::ranges::max_element(
        table, {}, [&](const TableRow& row) { return row.cells[column].mean; });
    return fmt::format("{} has {}", best->row.title, percent(best->cells[column].mean));
  };
  fmt::print("\nlearn: {} tried, then one network trained by {}\n",
             counted(std::ssize(learned.trials), "setting", "settings"),
             find_loss(learned.settings.loss).title);
  fmt::print("Top-set {}; of the table, {}\n", percent(evaluation.top_set),
             best_of_table("top_set"));
  fmt::print("F1 {} at the expected number of labels; of the table, {}\n",
             percent(evaluation.expected.f1), best_of_table("expected_f1"));
}

void tell_story(const DemoOptions& options) {
  const Dataset dataset = make_or_reuse_clips(options.out / "kitchen", options.clips);
  make_flow(dataset);
  train_backbones(dataset, options);
  make_features(dataset, options);
  const Results results = compare_losses(dataset, options);
  const std::filesystem::path report = options.out / "report.html";
  write_report({options.out / "compare"}, report, {.title = "Synthetic kitchen"});
  fmt::print("\nreport: {}\n", report.string());
  require_all_runs(results);
  learn_best(dataset, options, results);
  suggest(fmt::format("manyverbs predict {} {} --expected-labels 2.4",
                      shell_word(options.out / "learned"),
                      shell_word(options.out / "kitchen" / dataset.clips.back().video)));
}

void demo_command(const Arguments& arguments) {
  CommandLine line("demo",
                   "manyverbs demo --out demo\n"
                   "manyverbs demo --quick --out small\n"
                   "manyverbs demo --only-features --train 400 --val 50 --test 150 --out kitchen");
  DemoOptions options;
  bool only_data = false;
  bool only_features = false;
  CLI::App& app = line.app;
  app.add_option("--out", options.out, "Folder for data and runs; an existing one is resumed");
  // First, so that the options below override it.
  app.add_flag_callback(
      "--quick", [&] { make_quick(&options); },
      "Smoke test of two minutes: fewer clips, epochs and seeds, too few to show which loss is "
      "better");
  app.add_option("--seeds", options.seeds, "Runs per loss, each with another seed")
      ->check(from_to(1, 100));
  CLI::Option* clips =
      app.add_flag("--only-data", only_data, "Only create a data set of clips in OUT");
  app.add_flag("--only-features", only_features,
               "Only create a data set of synthetic features without videos in OUT")
      ->excludes(clips);
  line.counts_if({"--seeds"}, "with --only-data or --only-features",
                 [&] { return !only_data && !only_features; });
  app.add_option("--train", options.clips.train, "Training clips")->check(from_to(20, 1 << 24));
  app.add_option("--val", options.clips.val, "Validation clips")->check(from_to(0, 1 << 24));
  app.add_option("--test", options.clips.test, "Test clips")->check(from_to(1, 1 << 24));
  app.add_option("--seed", options.clips.seed, "Seed of the data")->check(from_up(0));
  if (!line.parse(arguments)) return;

  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // stages take minutes: print each one when it ends
  if (!only_data && !only_features) {
    try {
      tell_story(options);
    } catch (const Interrupted&) {
      // The first stage creates this folder completely or not at all.
      const bool begun = std::filesystem::exists(options.out / "kitchen");
      throw begun ? Interrupted("the finished stages are saved") : Interrupted();
    }
    return;
  }
  if (only_data) {
    write_kitchen_clips(options.out, options.clips);
  } else {
    const KitchenSettings& clips_settings = options.clips;
    write_synthetic(options.out, make_synthetic({.train = clips_settings.train,
                                                 .val = clips_settings.val,
                                                 .test = clips_settings.test,
                                                 .seed = clips_settings.seed}));
  }
  print_dataset(read_dataset(options.out));
  suggest(fmt::format("manyverbs inspect {}", shell_word(options.out)));
}

const Registration kDemo("demo", demo_command);

}  // namespace
}  // namespace manyverbs::cli
