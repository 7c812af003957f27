// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/options.h"
#include "manyverbs/learning/internal/clip_choice.h"
#include "manyverbs/learning/internal/log_file.h"

namespace manyverbs::cli {
namespace {

std::string loss_help() {
  std::string text = "\n\nLosses:";
  for (const Loss& loss : all_losses()) {
    text += fmt::format("\n  {:<11}{}", loss.name, loss.summary);
  }
  return text;
}

Json history_json(const std::string& run, const TrainingHistory& history) {
  const EpochRecord& best = history.epochs[history.best_epoch - 1];
  return {{"run", run},
          {"epochs", history.epochs.size()},
          {"best_epoch", history.best_epoch},
          {"train_loss", best.train_loss},
          {"validation_loss", best.validation_loss},
          {"selected_by", read_log(run).names[0]},
          {"validation_score", number_or_null(best.values[0])}};
}

void train_command(const Arguments& arguments) {
  CommandLine line(
      "train",
      "manyverbs train kitchen --loss an --out runs/an\n"
      "manyverbs train kitchen --loss p+s --seed 1 --lr 1e-4 --epochs 12 --out runs/p+s");
  line.app.footer(line.app.get_footer() + loss_help());
  std::string folder;
  std::string out;
  bool as_json = false;
  RunSettings settings;
  line.app.add_option("DATASET", folder, "The data set")->required();
  line.app.add_option("--out", out, "The run folder; an existing run is resumed")->required();
  add_run_settings(line, &settings,
                   [&settings](std::string_view loss) { return settings.loss == loss; });
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  const Dataset dataset = read_dataset(folder);
  apply_recipe(&settings, given_settings(line, settings.kind),
               !dataset.clips_of(Split::Val).empty());
  const TrainingHistory history = train_run(dataset, settings, out);
  if (as_json) {
    print_json(history_json(out, history));
    return;
  }
  fmt::print("{}: {}\n", out, best_epoch_text(history, out));
  fmt::print("{}", refit_text(dataset, settings, history));
  note_slow_rate(settings, history.best_epoch,
                 choose_clips(dataset, settings.protocol, settings.seed).training.size());
  suggest(fmt::format("manyverbs evaluate {}", shell_word(out)));
}

const Registration kTrain("train", train_command);

}  // namespace
}  // namespace manyverbs::cli
