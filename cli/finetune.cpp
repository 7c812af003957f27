// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/options.h"
#include "manyverbs/protocols/internal/clip_runs.h"

namespace manyverbs::cli {
namespace {

struct FinetuneWords {
  std::string stream = "rgb";
  std::string weights;
  std::string recipe = "paper";
  std::string protocol = "clean";
  std::string schedule = "plateau";
  std::string metric = "euclidean";
  std::string on_error = "stop";
  bool no_mirror = false;
};

void add_network_options(CommandLine& line, FinetuneSettings* settings, FinetuneWords* words) {
  BackboneSettings& backbone = settings->backbone;
  CLI::App& app = line.app;
  app.add_option("--stream", words->stream, "rgb, or flow, which 'manyverbs flow' makes")
      ->check(one_of({"rgb", "flow"}));
  app.add_option("--weights", words->weights,
                 "Where to start: .pth, .pt, .ckpt or .safetensors; none: random weights");
  app.add_option("--backbone", backbone.backbone,
                 "The network; left out: that of the weights, else resnet50")
      ->check(one_of(backbone_names()));
  app.add_option("--width", backbone.width,
                 "Channels of the first convolution of a network with random weights")
      ->check(from_to(8, 256));
  app.add_option("--segments", backbone.segments,
                 "Frames a clip; left out: as many as the weights learnt from, else 8")
      ->default_str("")
      ->check(from_to(1, 1024));
  app.add_option("--size", settings->size, "Pixels each way that the network sees")
      ->check(from_to(kSmallestSize, 4096));
  app.add_flag("--no-mirror", words->no_mirror,
               "Show no clip mirrored: for labels that tell left from right");
  app.add_option("--dropout", settings->regularisation.dropout,
                 "Share of the features that a step leaves out")
      ->check(from_to(0.0, 0.99));
  app.add_flag("--partial-batch-norm", settings->regularisation.partial_batch_norm,
               "Only the first batch norm learns");
}

void add_step_options(CommandLine& line, FinetuneSettings* settings, FinetuneWords* words) {
  CLI::App& app = line.app;
  app.add_option("--lr", settings->learning_rate,
                 "Learning rate of SGD; where the recipe averages over classes what the released "
                 "code sums, gradients are multiplied by their number")
      ->check(above_zero());
  app.add_option("--schedule", words->schedule,
                 "plateau: a tenth when the validation loss stands still; cosine: down to 0")
      ->check(one_of({"plateau", "cosine"}));
  app.add_option("--momentum", settings->sgd.momentum, "Of SGD")->check(from_to(0.0, 0.9999));
  app.add_option("--weight-decay", settings->sgd.weight_decay, "Of SGD")->check(from_up(0));
  app.add_option("--batch", settings->batch, "Clips a step")->check(from_to(2, 1 << 16));
  app.add_option("--epochs", settings->epochs, "How many at most")->check(above_zero());
  app.add_option("--patience", settings->patience, "Epochs without a better one before the end")
      ->check(above_zero());
  app.add_option("--seed", settings->seed, "Of random weights, order, views and dropout")
      ->check(from_up(0));
  app.add_option("--checkpoint-seconds", settings->checkpoint_seconds,
                 "Time between checkpoints, which are taken at the end of epochs")
      ->check(from_up(0));
}

void add_label_options(CommandLine& line, FinetuneSettings* settings, FinetuneWords* words) {
  CLI::App& app = line.app;
  app.add_option("--refresh", settings->refresh.every,
                 "For mask and p+s: epochs between new pseudo-labels")
      ->check(above_zero());
  app.add_option("--warm-up", settings->refresh.warm_up, "Epochs before the first pseudo-labels")
      ->check(from_up(0));
  app.add_option("--k", settings->refresh.k, "Neighbours a clip")->check(from_up(1));
  app.add_option("--tau", settings->refresh.tau, "Share of votes that a class must exceed")
      ->check(from_to(0.0, 1.0));
  app.add_option("--metric", words->metric, "How far apart clips are")
      ->check(one_of({"euclidean", "cosine"}));
  app.add_option("--recipe", words->recipe,
                 "Follow the paper's text or its released code, where they differ")
      ->check(one_of({"paper", "released"}));
  app.add_option("--protocol", words->protocol,
                 "Without val clips, choose the best epoch on a held-out tenth of train (clean) or "
                 "on test (paper)")
      ->check(one_of({"clean", "paper"}));
  app.add_option("--on-error", words->on_error,
                 "At a clip that cannot be read: stop, or skip it and list it at the end")
      ->check(one_of({"stop", "skip"}));
}

void take_words(const FinetuneWords& words, ClipRunSettings* settings) {
  FinetuneSettings& training = settings->training;
  training.backbone.stream = find_stream(words.stream);
  training.backbone.weights = words.weights;
  training.mirror = !words.no_mirror;
  training.schedule = find_schedule(words.schedule);
  training.refresh.metric = find_metric(words.metric);
  training.loss_settings.recipe = find_recipe(words.recipe);
  settings->protocol = find_protocol(words.protocol);
  settings->on_error = find_on_error(words.on_error);
}

Json training_json(const std::string& run, const Dataset& dataset, const ClipTraining& training) {
  const TrainingHistory& history = training.history;
  const EpochRecord& best = history.epochs[history.best_epoch - 1];
  return {{"run", run},
          {"model", run + "/model.safetensors"},
          {"epochs", history.epochs.size()},
          {"best_epoch", history.best_epoch},
          {"train_loss", best.train_loss},
          {"validation_loss", best.validation_loss},
          {"validation_score", number_or_null(best.values[0])},
          {"remarks", training.remarks},
          {"skipped", problems_json(dataset, training.problems)}};
}

// What a user does with a backbone: features from cross-entropy, labels from the other losses.
std::string next_command(const std::string& dataset, const std::string& out,
                         const FinetuneSettings& settings) {
  if (find_loss(settings.loss).activation == Activation::Sigmoid) {
    return fmt::format("manyverbs evaluate {}", shell_word(out));
  }
  const bool released = settings.loss_settings.recipe == Recipe::Released;
  return fmt::format("manyverbs extract {} --stream {} --size {}{} --weights {}",
                     shell_word(dataset), stream_name(settings.backbone.stream), settings.size,
                     released ? " --recipe released" : "", shell_word(out + "/model.safetensors"));
}

}  // namespace

void finetune_command(const Arguments& arguments) {
  CommandLine line(
      "finetune",
      "manyverbs finetune kitchen --weights resnet50-torchvision.pth --out runs/rgb\n"
      "manyverbs finetune kitchen --stream flow --backbone resnet18 --size 112 --out runs/flow\n"
      "manyverbs finetune kitchen --loss p+s --refresh 5 --weights runs/rgb/model.safetensors "
      "--out runs/end-to-end");
  std::string folder;
  std::string out;
  bool as_json = false;
  ClipRunSettings settings;
  FinetuneWords words;
  line.app.add_option("DATASET", folder, "The data set, with videos")->required();
  line.app.add_option("--out", out, "The run folder; one that exists is resumed")->required();
  line.app
      .add_option("--loss", settings.training.loss,
                  "ce for a backbone to extract features with; any other trains end to end")
      ->check(one_of(loss_names()));
  add_network_options(line, &settings.training, &words);
  add_step_options(line, &settings.training, &words);
  add_label_options(line, &settings.training, &words);
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  line.counts_if({"--refresh", "--warm-up", "--k", "--tau", "--metric"},
                 "without --loss mask or p+s",
                 [&] { return takes_pseudo_labels(settings.training.loss); });
  line.counts_if({"--width"}, "with --weights, which have a width of their own",
                 [&] { return words.weights.empty(); });
  if (!line.parse(arguments)) return;

  take_words(words, &settings);
  const Dataset dataset = read_dataset(folder);
  note_idle_protocol(dataset, settings.protocol);
  const ClipTraining training = finetune_run(dataset, settings, out, remark);
  if (as_json) {
    print_json(training_json(out, dataset, training));
    return;
  }
  const TrainingHistory& history = training.history;
  fmt::print("{}: epoch {} of {} is best: {} {}\n{}", out, history.best_epoch,
             history.epochs.size(), percent(history.epochs[history.best_epoch - 1].values[0]),
             judged_by(out, settings.training.loss_settings.recipe),
             problem_lines(dataset, training.problems));
  suggest(next_command(folder, out, settings.training));
}

}  // namespace manyverbs::cli
