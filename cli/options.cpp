// SPDX-License-Identifier: MIT
#include "cli/options.h"

#include <fmt/format.h>

#include "cli/dataset_text.h"

namespace manyverbs::cli {
namespace {

// The settings of single losses.
void add_loss_options(CommandLine& line, LossSettings* loss,
                      const std::function<bool(std::string_view loss)>& trains) {
  CLI::App& app = line.app;
  app.add_option("--smoothing", loss->smoothing, "Epsilon of ls and n-ls")
      ->check(from_to(0.0, 1.0));
  app.add_option("--focal-balance", loss->focal_balance, "Alpha of focal")
      ->check(from_to(0.0, 1.0));
  app.add_option("--focal-focus", loss->focal_focus, "Gamma of focal")->check(from_to(1.0, 100.0));
  app.add_option("--entropy-weight", loss->entropy_weight, "Alpha of em")
      ->check(from_to(0.0, 100.0));
  line.counts_if({"--smoothing"}, "without the loss ls or n-ls",
                 [trains] { return trains("ls") || trains("n-ls"); });
  line.counts_if({"--focal-balance", "--focal-focus"}, "without the loss focal",
                 [trains] { return trains("focal"); });
  line.counts_if({"--entropy-weight"}, "without the loss em", [trains] { return trains("em"); });
}

}  // namespace

void add_space_options(CommandLine& line, SpaceOptions* options) {
  line.app
      .add_option(
          "--space", options->space,
          "Where clips are compared: in the features as they are, or in the hidden layer of "
          "a classifier trained on the single labels")
      ->check(one_of(space_names()));
  line.app
      .add_option("--metric", options->metric,
                  "How far apart clips are; left out: euclidean for features, cosine for learned")
      ->check(one_of({"euclidean", "cosine"}));
}

void add_space_seed(CommandLine& line, const std::string& name, SpaceOptions* options) {
  line.app.add_option(name, options->seed, "Seed of the learned space")->check(from_up(0));
  line.counts_if({name}, "without --space learned",
                 [options] { return options->space == "learned"; });
}

void add_neighbour_options(CommandLine& line, SpaceOptions* options) {
  line.app.add_option("--k", options->k, "Neighbours a clip")->check(from_up(1));
  add_space_options(line, options);
  line.app
      .add_option("--features", options->streams,
                  "Streams to use, with commas between; left out: all")
      ->delimiter(',');
  add_space_seed(line, "--seed", options);
}

NeighbourSettings neighbour_settings(const SpaceOptions& options) {
  NeighbourSettings settings;
  settings.k = options.k;
  settings.space.space = options.space;
  settings.space.streams = options.streams;
  settings.space.learned.seed = options.seed;
  const std::string fitting = options.space == "learned" ? "cosine" : "euclidean";
  settings.metric = find_metric(options.metric.empty() ? fitting : options.metric);
  return settings;
}

void note_idle_protocol(const Dataset& dataset, Protocol protocol) {
  if (protocol != Protocol::Paper || dataset.clips_of(Split::Val).empty()) return;
  remark(
      fmt::format("note: --protocol paper has no effect: {} has val clips, which choose the epoch",
                  dataset.folder.string()));
}

void note_slow_rate(const TrainingSettings& settings, int best_epoch, std::size_t clips) {
  constexpr double kUsual = 1e-4;
  constexpr int kEarly = 2;
  // Adam moves a weight by at most about the rate in a step; first weights are near 0.03.
  constexpr double kHardly = 0.01;
  const auto batch = static_cast<std::size_t>(settings.batch);
  const auto steps = static_cast<std::size_t>(best_epoch) * ((clips + batch - 1) / batch);
  const bool hardly_moved = settings.learning_rate * static_cast<double>(steps) < kHardly;
  if (settings.learning_rate >= kUsual || (best_epoch > kEarly && !hardly_moved)) return;
  remark(fmt::format(
      "note: the best epoch is {}, after {} at a learning rate of {}, which hardly change the "
      "weights; try --lr 1e-4",
      best_epoch, counted(static_cast<std::int64_t>(steps), "step", "steps"),
      settings.learning_rate));
}

std::string judged_by(const std::filesystem::path& run, Recipe recipe) {
  const bool on_test = best_per_metric(run).has_value();
  const bool by_iou = on_test && recipe == Recipe::Released;
  return fmt::format("{} on the {} clips", by_iou ? "IOU" : "top-1 accuracy",
                     on_test ? "test" : "validation");
}

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const Loss& loss : all_losses()) names.emplace_back(loss.name);
  return names;
}

std::vector<std::string> binary_loss_names() {
  std::vector<std::string> names;
  for (const Loss& loss : all_losses()) {
    if (loss.activation == Activation::Sigmoid) names.emplace_back(loss.name);
  }
  return names;
}

bool takes_pseudo_labels(std::string_view loss) {
  return find_loss(loss).suggested != Label::Absent;
}

void add_train_options(CommandLine& line, TrainOptions* options,
                       const std::function<bool(std::string_view loss)>& trains) {
  TrainingSettings& training = options->run.training;
  CLI::App& app = line.app;
  app.add_option("--features", options->run.streams,
                 "Streams to use, with commas between; left out: all")
      ->delimiter(',');
  app.add_option("--lr", training.learning_rate, "Learning rate of Adam")->check(above_zero());
  app.add_option("--batch", training.batch, "Clips a step")->check(from_to(2, 1 << 20));
  app.add_option("--epochs", training.epochs, "How many at most")->check(above_zero());
  app.add_option("--patience", training.patience, "Epochs without a better one before the end")
      ->check(above_zero());
  app.add_option("--hidden", training.hidden, "Sizes of the hidden layers, with commas between")
      ->delimiter(',')
      ->check(above_zero());
  app.add_option("--recipe", options->recipe,
                 "Follow the paper's text or its released code, where they differ")
      ->check(one_of({"paper", "released"}));
  app.add_option("--protocol", options->protocol,
                 "Without val clips, choose the best epoch on a held-out tenth of train (clean) or "
                 "on test (paper)")
      ->check(one_of({"clean", "paper"}));
  app.add_option("--checkpoint-seconds", training.checkpoint_seconds,
                 "Time between checkpoints, which are taken at the end of epochs")
      ->check(from_up(0));
  add_loss_options(line, &training.loss_settings, trains);
}

RunSettings run_settings(const TrainOptions& options) {
  RunSettings settings = options.run;
  settings.training.loss_settings.recipe = find_recipe(options.recipe);
  settings.protocol = find_protocol(options.protocol);
  return settings;
}

}  // namespace manyverbs::cli
