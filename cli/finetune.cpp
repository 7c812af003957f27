// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/options.h"
#include "manyverbs/learning/internal/log_file.h"
#include "manyverbs/protocols/internal/clip_runs.h"

namespace manyverbs::cli {
namespace {

Json training_json(const std::string& run, const Dataset& dataset, const FinetuneReport& training) {
  const TrainingHistory& history = training.history;
  const EpochRecord& best = history.epochs[history.best_epoch - 1];
  return {{"run", run},
          {"model", run + "/model.safetensors"},
          {"epochs", history.epochs.size()},
          {"best_epoch", history.best_epoch},
          {"train_loss", best.train_loss},
          {"validation_loss", best.validation_loss},
          {"selected_by", read_log(run).names[0]},
          {"validation_score", number_or_null(best.values[0])},
          {"remarks", training.remarks},
          {"skipped", problems_json(dataset, training.problems)}};
}

// A backbone trained with cross-entropy is for features, with other losses for labels.
std::string next_command(const std::string& dataset, const std::string& out,
                         const RunSettings& settings) {
  if (find_loss(settings.loss).activation == Activation::Sigmoid) {
    return fmt::format("manyverbs evaluate {}", shell_word(out));
  }
  const bool released = settings.recipe == Recipe::Released;
  return fmt::format("manyverbs extract {} --stream {} --size {}{} --weights {}",
                     shell_word(dataset), stream_name(settings.clips.stream), settings.clips.size,
                     released ? " --recipe released" : "", shell_word(out + "/model.safetensors"));
}

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
  RunSettings settings = default_settings(RunKind::Clips);
  std::string on_error = "stop";
  line.app.add_option("DATASET", folder, "The data set, with videos")->required();
  line.app.add_option("--out", out, "The run folder; an existing run is resumed")->required();
  add_run_settings(line, &settings,
                   [&settings](std::string_view loss) { return settings.loss == loss; });
  line.app
      .add_option("--on-error", on_error,
                  "If a clip cannot be read: stop, or skip it and list it at the end")
      ->check(one_of({"stop", "skip"}));
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  line.counts_if({"--gpus"}, "without --recipe released, and with --lr", [&] {
    return settings.recipe == Recipe::Released && line.app.count("--lr") == 0;
  });
  line.counts_if({"--width"}, "with --weights, which determine the width",
                 [&] { return settings.clips.weights.empty(); });
  line.counts_if({"--refresh", "--warm-up", "--k", "--tau", "--metric"}, "with --pseudo-labels",
                 [&] { return settings.clips.pseudo_labels.empty(); });
  if (!line.parse(arguments)) return;

  const Dataset dataset = read_dataset(folder);
  apply_recipe(&settings, given_settings(line, settings.kind),
               !dataset.clips_of(Split::Val).empty());
  const FinetuneReport training =
      finetune_run(dataset, settings, out, {find_on_error(on_error), remark});
  if (as_json) {
    print_json(training_json(out, dataset, training));
    return;
  }
  const TrainingHistory& history = training.history;
  fmt::print("{}: {}\n{}", out, best_epoch_text(history, out),
             problem_lines(dataset, training.problems));
  suggest(next_command(folder, out, settings));
}

const Registration kFinetune("finetune", finetune_command);

}  // namespace
}  // namespace manyverbs::cli
