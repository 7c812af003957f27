// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/run.h"

#include <algorithm>
#include <array>

#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/learning/internal/run_record.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/random.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

constexpr std::array<std::string_view, 2> kProtocols = {"clean", "paper"};
constexpr std::array<std::string_view, 2> kRecipes = {"paper", "released"};

// Of the sequences of a seed, 0 starts the weights and 1, 2, … shuffle the epochs.
constexpr std::uint64_t kHoldOutSequence = UINT64_MAX;

template <typename Choice>
Choice find_word(std::string_view word, std::string_view kind,
                 const std::array<std::string_view, 2>& words) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    throw Error("no {} '{}'{}", kind, word,
                did_you_mean_or_list(word, {std::string(words[0]), std::string(words[1])}));
  }
  return static_cast<Choice>(found - words.begin());
}

// A tenth of the clips, drawn by the seed, for choosing the epoch.
void hold_out(ClipChoice* choice, std::uint64_t seed, const std::filesystem::path& clips_file) {
  if (choice->training.size() < 10) {
    throw Error(
        "{}: {} training clips are too few to hold a tenth of them out; give some the split val",
        clips_file.string(), choice->training.size());
  }
  std::vector<int> shuffled = choice->training;
  Random(seed, kHoldOutSequence).shuffle(std::span(shuffled));
  const auto cut = shuffled.begin() + static_cast<std::ptrdiff_t>(shuffled.size() / 10);
  choice->validation.assign(shuffled.begin(), cut);
  choice->training.assign(cut, shuffled.end());
  std::sort(choice->validation.begin(), choice->validation.end());
  std::sort(choice->training.begin(), choice->training.end());
}

}  // namespace

std::string_view protocol_name(Protocol protocol) { return kProtocols[static_cast<int>(protocol)]; }
Protocol find_protocol(std::string_view name) {
  return find_word<Protocol>(name, "protocol", kProtocols);
}

std::string_view recipe_name(Recipe recipe) { return kRecipes[static_cast<int>(recipe)]; }
Recipe find_recipe(std::string_view name) { return find_word<Recipe>(name, "recipe", kRecipes); }

ClipChoice choose_clips(const Dataset& dataset, Protocol protocol, std::uint64_t seed) {
  ClipChoice choice;
  choice.training = dataset.clips_of(Split::Train);
  choice.validation = dataset.clips_of(Split::Val);
  if (choice.training.size() < 2) {
    throw Error("{}: has {} clips of the split train; training needs two or more",
                (dataset.folder / "clips.csv").string(), choice.training.size());
  }
  if (!choice.validation.empty()) return choice;
  if (protocol == Protocol::Clean) {
    hold_out(&choice, seed, dataset.folder / "clips.csv");
    return choice;
  }
  choice.validation = dataset.clips_of(Split::Test);
  choice.validation_is_test = true;
  if (choice.validation.empty()) {
    throw Error("{}: has no clip of the split val or test to choose the best epoch by",
                (dataset.folder / "clips.csv").string());
  }
  return choice;
}

Json to_json(const Run& run) {
  const TrainingSettings& training = run.training;
  Json json = {{"kind", "features"},
               {"dataset", run.dataset.string()},
               {"streams", run.streams},
               {"feature_columns", run.feature_columns},
               {"classes", run.classes},
               {"made_from", to_json(run.made_from)},
               {"protocol", protocol_name(run.protocol)},
               {"pseudo_labels", run.pseudo_labels},
               {"pseudo_labels_hash", run.pseudo_labels_hash},
               {"hidden", training.hidden},
               {"learning_rate", training.learning_rate},
               {"batch", training.batch},
               {"epochs", training.epochs},
               {"patience", training.patience},
               {"seed", training.seed}};
  json.update(loss_record(training.loss, training.loss_settings));
  return json;
}

Run read_run(const std::filesystem::path& folder) {
  const RunRecord record(folder, "features");
  Run run;
  TrainingSettings& training = run.training;
  std::string dataset;
  record.get("dataset", &dataset);
  run.dataset = dataset;
  run.made_from = record.content();
  record.get("streams", &run.streams);
  record.get("feature_columns", &run.feature_columns);
  record.get("classes", &run.classes);
  run.protocol = record.find("protocol", find_protocol);
  record.get("pseudo_labels", &run.pseudo_labels);
  record.get("pseudo_labels_hash", &run.pseudo_labels_hash);
  record.get_loss(&training.loss, &training.loss_settings);
  record.get("hidden", &training.hidden);
  record.get("learning_rate", &training.learning_rate);
  record.get("batch", &training.batch);
  record.get("epochs", &training.epochs);
  record.get("patience", &training.patience);
  record.get("seed", &training.seed);
  return run;
}

Mlp load_model(const std::filesystem::path& folder, const Run& run) {
  const std::filesystem::path path = folder / "model.safetensors";
  if (!std::filesystem::exists(path)) {
    throw Error("{}: holds no model yet; run the same 'manyverbs train' again to resume",
                folder.string());
  }
  Mlp mlp({run.feature_columns, run.training.hidden, static_cast<int>(run.classes.size())}, 0);
  read_tensors(path).copy_into(mlp.state(), path);
  return mlp;
}

}  // namespace manyverbs
