// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/learn.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/options.h"
#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/protocols/internal/search_space.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs::cli {
namespace {

// The command that trains the same run without a search.
std::string train_call(const RunSettings& settings, const std::string& dataset,
                       const std::string& out) {
  std::string call = fmt::format("manyverbs train {}", shell_word(dataset));
  const RunSettings preset = default_settings(RunKind::Features);
  for (const Setting& setting : all_settings()) {
    const bool used = setting.is_of(RunKind::Features) && setting.is_used_by(settings.loss);
    const Json value = setting_value(setting, settings);
    if (!used || value == setting_value(setting, preset)) continue;
    if (value.is_boolean()) {
      call += fmt::format(" {}", setting.flag);
      continue;
    }
    std::string text;
    if (value.is_array()) {
      for (const Json& item : value) {
        text +=
            (text.empty() ? "" : ",") + (item.is_string() ? item.get<std::string>() : item.dump());
      }
    } else {
      text = value.is_string() ? value.get<std::string>() : value.dump();
    }
    call += fmt::format(" {} {}", setting.flag, shell_word(text));
  }
  return call + " --out " + shell_word(out + "-again");
}

// "learning rate 0.0008 (0.0004: 2.35, 0.0016: 2.32)"
std::string choice_text(const Choice& choice) {
  std::string others;
  for (const Choice::Alternative& other : choice.alternatives) {
    others +=
        fmt::format("{}{}: {:.3f}", others.empty() ? "" : ", ", other.value, other.label_rank);
  }
  return fmt::format("{} {}{}", choice.setting, choice.value,
                     others.empty() ? "" : " (" + others + ")");
}

// The best label rank of another method than the chosen one: " (cross-fit: 2.271)".
std::string other_methods_text(const Learned& learned) {
  const std::string& chosen = learned.trials[learned.chosen].settings.loss;
  std::map<std::string, double> best;
  for (const Trial& trial : learned.trials) {
    const std::string& loss = trial.settings.loss;
    if (loss == chosen || !find_loss(loss).cross_fitted) continue;
    const double before = best.contains(loss) ? best[loss] : trial.label_rank;
    best[loss] = std::min(before, trial.label_rank);
  }
  std::string text;
  for (const auto& [loss, rank] : best) text += fmt::format(" ({}: {:.3f})", loss, rank);
  return text;
}

// "cross-mask, by the rank on validation clips, 2.184 (cross-fit: 2.271); learning rate 0.0128,
// epochs 30; 1 round of 5 folds"
std::string method_text(const Learned& learned) {
  const std::string& loss = learned.settings.loss;
  if (loss == "ce") return "cross-entropy; there is no time for cross-fitting";
  const CrossFitSettings& cross_fit = learned.settings.features.cross_fit;
  const std::string folds =
      fmt::format("{} of {} folds", counted(cross_fit.rounds, "round", "rounds"), cross_fit.folds);
  if (learned.chosen == learned.best) {
    return fmt::format("{}; there is no time to compare others; {}", loss, folds);
  }
  std::vector<std::string> settings;
  for (const Choice& choice : choices(learned.trials, learned.chosen)) {
    settings.push_back(choice_text(choice));
  }
  return fmt::format("{}, by the rank on validation clips, {:.3f}{}; {}; {}", loss,
                     learned.trials[learned.chosen].label_rank, other_methods_text(learned),
                     fmt::join(settings, ", "), folds);
}

void print_search(const Learned& learned) {
  const auto tried = static_cast<std::int64_t>(learned.trials.size());
  fmt::print("search: {} tried in {}; {}\n", counted(tried, "setting", "settings"),
             duration_text(learned.seconds),
             learned.is_complete ? "no other value of one setting is better"
                                 : "then the time for it was up");
  fmt::print("chosen by the rank of the label of held-out clips (geometric mean), {:.3f}:\n",
             learned.trials[learned.best].label_rank);
  for (const Choice& choice : choices(learned.trials, learned.best)) {
    fmt::print("  {}\n", choice_text(choice));
  }
  fmt::print("method: {}\n", method_text(learned));
}

Json learned_json(const Learned& learned, const std::string& call, const std::string& out) {
  Json trials = Json::array();
  for (const Trial& trial : learned.trials) trials.push_back(trial_json(trial));
  return {{"run", out},
          {"trials", trials},
          {"complete", learned.is_complete},
          {"settings", to_json(learned.settings)},
          {"command", call},
          {"epochs", learned.history.epochs.size()},
          {"best_epoch", learned.history.best_epoch}};
}

void learn_command(const Arguments& arguments) {
  CommandLine line("learn",
                   "manyverbs learn kitchen --expected-labels 2.4 --out runs/best\n"
                   "manyverbs learn kitchen --minutes 60 --out runs/best");
  std::string folder;
  std::string out;
  LearnSettings settings;
  bool as_json = false;
  line.app.add_option("DATASET", folder, "The data set")->required();
  line.app.add_option("--out", out, "The run folder; an existing one is resumed")->required();
  line.app
      .add_option("--expected-labels", settings.expected_labels,
                  "Expected labels per clip: 'manyverbs predict' then predicts as many on average; "
                  "default: not known")
      ->default_str("")
      ->check(above_zero());
  line.app.add_option("--minutes", settings.minutes, "Time for search and training, approximately")
      ->check(from_to(0.1, 10000));
  line.app
      .add_option("--features", settings.streams, "Streams to use, comma-separated; default: all")
      ->delimiter(',');
  line.app.add_option("--hidden", settings.hidden, "Sizes of the hidden layers, comma-separated")
      ->delimiter(',')
      ->check(above_zero());
  line.app.add_option("--seed", settings.seed, "Seed of folds, weights, order and dropout")
      ->check(from_up(0));
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // print the search when it ends, not with the run
  const Dataset dataset = read_dataset(folder);
  const Learned learned = learn_run(dataset, settings, out, [&](const Learned& so_far) {
    if (!as_json) print_search(so_far);
  });
  const std::string call = train_call(learned.settings, folder, out);
  if (as_json) {
    print_json(learned_json(learned, call, out));
    return;
  }
  fmt::print("{}: {}\n", out, best_epoch_text(learned.history, out));
  fmt::print("{}", refit_text(dataset, learned.settings, learned.history));
  fmt::print("the same run without search: {}\n", call);
  suggest(fmt::format("manyverbs evaluate {}", shell_word(out)));
}

const Registration kLearn("learn", learn_command);

}  // namespace
}  // namespace manyverbs::cli
