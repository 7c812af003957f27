// SPDX-License-Identifier: MIT
#include "cli/options.h"

#include <fmt/format.h>

namespace manyverbs::cli {

void add_space_options(CommandLine& line, SpaceOptions* options) {
  line.app.add_option("--k", options->k, "Neighbours a clip")->check(CLI::Range(1, 1000000));
  line.app
      .add_option("--space", options->space,
                  "Where clips are compared: the features as they are, or the hidden layer of a "
                  "classifier trained on the single labels")
      ->check(one_of(space_names()));
  line.app
      .add_option("--metric", options->metric,
                  "euclidean or cosine; left out: euclidean for features, cosine for learned")
      ->check(one_of({"euclidean", "cosine"}));
  line.app.add_option("--features", options->streams, "Feature streams to use, instead of all")
      ->delimiter(',');
  line.app.add_option("--seed", options->seed, "Of the learned space");
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

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const Loss& loss : all_losses()) names.emplace_back(loss.name);
  return names;
}

void add_train_options(CommandLine& line, TrainOptions* options) {
  TrainingSettings& training = options->run.training;
  LossSettings& loss = training.loss_settings;
  CLI::App& app = line.app;
  app.add_option("--loss", options->loss, "What is believed of unchecked classes; see below")
      ->check(one_of(loss_names()));
  app.add_option("--pseudo-labels", options->run.pseudo_labels,
                 "For mask and p+s: a name under DATASET/pseudo_labels, or a CSV file");
  app.add_option("--features", options->run.streams, "Feature streams to use, instead of all")
      ->delimiter(',');
  app.add_option("--seed", training.seed, "Of weights and order");
  app.add_option("--lr", training.learning_rate, "Learning rate of Adam")
      ->check(CLI::PositiveNumber);
  app.add_option("--batch", training.batch, "Clips a step")->check(CLI::Range(2, 1 << 20));
  app.add_option("--epochs", training.epochs, "At most")->check(CLI::PositiveNumber);
  app.add_option("--patience", training.patience, "Epochs without a better one before the end")
      ->check(CLI::PositiveNumber);
  app.add_option("--hidden", training.hidden, "Sizes of the hidden layers")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("--recipe", options->recipe, "Follow the paper's text or its released code")
      ->check(one_of({"paper", "released"}));
  app.add_option("--protocol", options->protocol,
                 "Without val clips, choose the epoch on a held-out tenth of train (clean) or on "
                 "test (paper)")
      ->check(one_of({"clean", "paper"}));
  app.add_option("--smoothing", loss.smoothing, "Epsilon of ls and n-ls")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--focal-balance", loss.focal_balance, "Alpha of focal")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--focal-focus", loss.focal_focus, "Gamma of focal")
      ->check(CLI::Range(1.0, 100.0));
  app.add_option("--entropy-weight", loss.entropy_weight, "Alpha of em")
      ->check(CLI::Range(0.0, 100.0));
}

RunSettings run_settings(const TrainOptions& options) {
  RunSettings settings = options.run;
  settings.training.loss = options.loss;
  settings.training.loss_settings.recipe = find_recipe(options.recipe);
  settings.protocol = find_protocol(options.protocol);
  return settings;
}

void suggest(const std::string& command) { fmt::print(stderr, "next: {}\n", command); }

}  // namespace manyverbs::cli
