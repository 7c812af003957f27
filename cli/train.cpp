// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/options.h"
#include "manyverbs/support/json.h"

namespace manyverbs::cli {
namespace {

std::string loss_help() {
  std::string text = "\nLosses:\n";
  for (const Loss& loss : all_losses()) text += fmt::format("  {:<8}{}\n", loss.name, loss.summary);
  return text;
}

}  // namespace

void train_command(const Arguments& arguments) {
  CommandLine line(
      "train",
      "manyverbs train kitchen --loss an --out runs/an\n"
      "manyverbs train kitchen --loss p+s --seed 1 --lr 1e-4 --epochs 12 --out runs/p+s");
  line.app.footer(line.app.get_footer() + loss_help());
  std::string folder;
  std::string out;
  bool as_json = false;
  TrainOptions options;
  line.app.add_option("DATASET", folder, "The data set")->required();
  line.app.add_option("--out", out, "The run folder; one that is there goes on where it stopped")
      ->required();
  add_train_options(line, &options);
  line.app.add_flag("--json", as_json, "Print JSON");
  if (!line.parse(arguments)) return;

  const RunSettings settings = run_settings(options);
  const TrainingHistory history = train_run(read_dataset(folder), settings, out);
  const EpochRecord& best = history.epochs[history.best_epoch - 1];
  if (as_json) {
    const Json json = {{"run", out},
                       {"epochs", history.epochs.size()},
                       {"best_epoch", history.best_epoch},
                       {"train_loss", best.train_loss},
                       {"validation_loss", best.validation_loss},
                       {"validation_score", number_or_null(best.values[0])}};
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{}: best of {} epochs is {}: {:.1f} % right on the validation clips\n", out,
             history.epochs.size(), history.best_epoch, 100 * best.values[0]);
  suggest(fmt::format("manyverbs evaluate {} --split test", out));
}

}  // namespace manyverbs::cli
