// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/options.h"

namespace manyverbs::cli {
namespace {

// The number of suggestions, and of clips with suggestions.
struct SuggestionCount {
  std::int64_t suggestions = 0;
  std::int64_t clips_with_some = 0;
};

SuggestionCount count(const Suggestions& suggestions) {
  SuggestionCount total;
  for (const auto& classes : suggestions) {
    total.suggestions += static_cast<std::int64_t>(classes.size());
    total.clips_with_some += classes.empty() ? 0 : 1;
  }
  return total;
}

void print_summary(const PseudoLabels& made) {
  const SuggestionCount total = count(made.suggestions);
  const auto clips = static_cast<std::int64_t>(made.suggestions.size());
  fmt::print("{} for {}: {:.2f} per clip, {} of the clips have at least one\n",
             counted(total.suggestions, "pseudo-label", "pseudo-labels"),
             counted(clips, "training clip", "training clips"),
             static_cast<double>(total.suggestions) / static_cast<double>(clips),
             percent(static_cast<double>(total.clips_with_some) / static_cast<double>(clips)));
  const SuggestionQuality& quality = made.quality;
  if (quality.clips > 0) {
    fmt::print(
        "compared with the ground truth of {}: precision {}, recall of the hidden labels {}\n",
        counted(quality.clips, "clip", "clips"), percent(quality.precision),
        percent(quality.recall));
  }
  fmt::print("{}\n", made.file.string());
}

Json summary_json(const PseudoLabels& made) {
  const SuggestionQuality& quality = made.quality;
  const SuggestionCount total = count(made.suggestions);
  return {{"file", made.file.string()},
          {"clips", made.suggestions.size()},
          {"clips_with_suggestions", total.clips_with_some},
          {"suggestions", total.suggestions},
          {"truth_known", quality.clips},
          {"precision", number_or_null(quality.precision)},
          {"recall", number_or_null(quality.recall)}};
}

// The name becomes a file in DATASET/pseudo_labels, so it must not contain a path.
CLI::Validator plain_name() {
  return CLI::Validator(
      [](std::string& name) {
        const bool plain =
            !name.empty() && !name.starts_with('.') && name.find('/') == std::string::npos;
        return plain ? std::string() : fmt::format("expected a file name, found '{}'", name);
      },
      "");
}

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
      .add_option(
          "--method", method,
          "instance: votes of the neighbours of each clip; class: co-occurrence of labels in the "
          "test clips; ideal: the ground truth")
      ->check(one_of({"instance", "class", "ideal"}));
  line.app
      .add_option("--tau", settings.tau,
                  "Vote threshold: a class is suggested if its share of the votes is greater")
      ->check(from_to(0.0, 1.0));
  line.app.add_option("--name", settings.name, "Written to DATASET/pseudo_labels/NAME.csv")
      ->check(plain_name());
  line.app
      .add_option(
          "--recipe", recipe,
          "For class: co-occurrence in at least half of the clips (paper) or in more (released)")
      ->check(one_of({"paper", "released"}));
  add_neighbour_options(line, &space);
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  line.counts_if({"--k", "--tau", "--space", "--metric", "--features", "--seed"},
                 "without --method instance", [&] { return method == "instance"; });
  line.counts_if({"--recipe"}, "without --method class", [&] { return method == "class"; });
  if (!line.parse(arguments)) return;

  settings.method = find_method(method);
  settings.recipe = find_recipe(recipe);
  settings.neighbours = neighbour_settings(space);
  const Dataset dataset = read_dataset(folder);
  if (dataset.clips_of(Split::Train).empty()) {
    throw Error("{}: has no training clips", (dataset.folder / "clips.csv").string());
  }
  const PseudoLabels made = make_pseudo_labels(dataset, settings);
  if (as_json) {
    print_json(summary_json(made));
    return;
  }
  print_summary(made);
  const std::string name =
      settings.name == "default" ? "" : " --pseudo-labels " + shell_word(settings.name);
  suggest(fmt::format("manyverbs train {} --loss p+s{} --out runs/p+s", shell_word(folder), name));
}

const Registration kPseudoLabel("pseudo-label", pseudo_label_command);

}  // namespace
}  // namespace manyverbs::cli
