// SPDX-License-Identifier: MIT
#include <cmath>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/options.h"
#include "manyverbs/support/json.h"

namespace manyverbs::cli {
namespace {

std::string percent(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.1f} %", 100 * share);
}

void print_summary(const PseudoLabels& made) {
  std::size_t with_some = 0;
  std::size_t total = 0;
  for (const auto& classes : made.suggestions) {
    with_some += classes.empty() ? 0 : 1;
    total += classes.size();
  }
  const auto clips = static_cast<double>(made.suggestions.size());
  fmt::print("{} pseudo-labels for {} training clips: {:.2f} a clip, {} of the clips have some\n",
             total, made.suggestions.size(), static_cast<double>(total) / clips,
             percent(static_cast<double>(with_some) / clips));
  if (made.record.quality.clips > 0) {
    fmt::print(
        "against the known truth of {} clips: precision {}, recall {} of the hidden labels\n",
        made.record.quality.clips, percent(made.record.quality.precision),
        percent(made.record.quality.recall));
  }
  fmt::print("{}\n", made.file.string());
}

void print_json(const PseudoLabels& made) {
  const SuggestionQuality& quality = made.record.quality;
  std::size_t total = 0;
  for (const auto& classes : made.suggestions) total += classes.size();
  const Json json = {{"file", made.file.string()},
                     {"clips", made.suggestions.size()},
                     {"suggestions", total},
                     {"truth_known", quality.clips},
                     {"precision", number_or_null(quality.precision)},
                     {"recall", number_or_null(quality.recall)}};
  fmt::print("{}\n", json.dump(2));
}

}  // namespace

void pseudo_label_command(const Arguments& arguments) {
  CommandLine line("pseudo-label",
                   "manyverbs pseudo-label kitchen\n"
                   "manyverbs pseudo-label kitchen --k 15 --tau 0.1 --space learned\n"
                   "manyverbs pseudo-label kitchen --method ideal --name ideal");
  std::string folder;
  std::string method = "instance";
  std::string recipe = "paper";
  bool as_json = false;
  PseudoLabelSettings settings;
  SpaceOptions space;
  line.app.add_option("DATASET", folder, "The data set")->required();
  line.app
      .add_option("--method", method,
                  "instance: votes of each clip's neighbours; class: co-occurrence in the test "
                  "clips' labels; ideal: the known truth")
      ->check(one_of({"instance", "class", "ideal"}));
  line.app.add_option("--tau", settings.tau, "Share of the votes that a class must exceed")
      ->check(CLI::Range(0.0, 1.0));
  line.app.add_option("--name", settings.name, "Kept as DATASET/pseudo_labels/NAME.csv");
  line.app.add_option("--recipe", recipe, "class: at least half (paper) or more (released)")
      ->check(one_of({"paper", "released"}));
  line.app.add_flag("--json", as_json, "Print JSON");
  add_space_options(line, &space);
  if (!line.parse(arguments)) return;

  settings.method = find_method(method);
  settings.recipe = find_recipe(recipe);
  settings.neighbours = neighbour_settings(space);
  const PseudoLabels made = make_pseudo_labels(read_dataset(folder), settings);
  if (as_json) {
    print_json(made);
    return;
  }
  print_summary(made);
  const std::string name = settings.name == "default" ? "" : " --pseudo-labels " + settings.name;
  suggest(fmt::format("manyverbs train {} --loss p+s{} --out runs/p+s", folder, name));
}

}  // namespace manyverbs::cli
