// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/runs.h"

#include "manyverbs/learning/internal/clip_choice.h"
#include "manyverbs/learning/internal/cross_fit.h"
#include "manyverbs/learning/internal/refit.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/learning/internal/trainer.h"
#include "manyverbs/protocols/internal/epoch_scoring.h"
#include "manyverbs/protocols/internal/run_claims.h"
#include "manyverbs/protocols/internal/run_pseudo_labels.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

// The inputs of a run.
struct Preparation {
  FeatureTable features;
  ClipChoice choice;
  Suggestions suggestions;  // one for each of choice.training
  Run run;
};

Preparation prepare(const Dataset& dataset, const RunSettings& settings,
                    const Suggestions* pseudo_labels = nullptr) {
  if (settings.kind != RunKind::Features) {
    throw Error("expected the settings of a run on features, found those of a run on {}",
                run_kind_name(settings.kind));
  }
  check_loss(settings, dataset.classes.size());
  const std::vector<std::string>& streams = settings.features.streams;
  Preparation made{open_features(dataset, streams),
                   choose_clips(dataset, settings.protocol, settings.seed),
                   {},
                   {}};
  if (find_loss(settings.loss).cross_fitted) {
    require_enough_clips(made.choice.training.size(), settings);
  }
  if (settings.features.refit && made.choice.validation_is_test) {
    throw Error(
        "--refit would train on the test clips, which select the epoch with --protocol paper if "
        "there are no val clips");
  }
  made.suggestions.resize(made.choice.training.size());
  Run& run = made.run;
  run.dataset = std::filesystem::absolute(dataset.folder).lexically_normal();
  run.made_from = features_content(dataset, streams);
  run.feature_columns = static_cast<int>(made.features.columns());
  run.classes = dataset.classes.names();
  run.settings = settings;
  run.settings.features.streams = streams.empty() ? feature_streams(dataset) : streams;
  for (const std::string& stream : run.settings.features.streams) {
    if (auto recipe = recorded_recipe(dataset, stream)) run.recipes[stream] = std::move(*recipe);
  }
  if (find_loss(settings.loss).uses_pseudo_labels()) {
    made.suggestions = chosen_suggestions(
        dataset, made.choice.training,
        pseudo_labels != nullptr ? *pseudo_labels
                                 : read_suggestions(dataset, settings.features.pseudo_labels));
    run.pseudo_labels_hash = hash_of(made.suggestions);
  } else {
    run.settings.features.pseudo_labels.clear();
  }
  return made;
}

}  // namespace

TrainingData training_data(const Dataset& dataset, const FeatureTable& features,
                           const ClipChoice& choice, const Suggestions& suggestions,
                           Label suggested) {
  const int classes = dataset.classes.size();
  TrainingData data;
  data.features = &features;
  data.clips = choice.training;
  data.targets = targets(suggestions, dataset.labels_of(choice.training), classes, suggested);
  data.validation_clips = choice.validation;
  data.validation_targets = label_sets(dataset.label_sets_of(choice.validation), classes);
  return data;
}

TrainingHistory train_run(const Dataset& dataset, const RunSettings& settings,
                          const std::filesystem::path& folder, const Suggestions* pseudo_labels) {
  const Preparation prepared = prepare(dataset, settings, pseudo_labels);
  const RunClaim claim = claim_run_folder(folder, prepared.run);

  const TrainingData labelled =
      training_data(dataset, prepared.features, prepared.choice, prepared.suggestions,
                    find_loss(settings.loss).suggested);
  TrainingData data = labelled;
  Matrix<float> shares;
  if (find_loss(settings.loss).cross_fitted) {
    shares = cross_fit(labelled, settings, folder);
    set_cross_fitted(shares, settings, &data);
  }
  const EpochScorer scorer =
      epoch_scorer(data.validation_targets, prepared.choice.validation_is_test, settings);
  TrainingHistory history = train(data, settings, scorer, folder);
  if (settings.features.refit) refit(labelled, shares, settings, history, folder);
  note_patience(claim, history, settings, folder);
  return history;
}

void claim_run(const Dataset& dataset, const RunSettings& settings,
               const std::filesystem::path& folder, const Suggestions* pseudo_labels) {
  claim_run_folder(folder, prepare(dataset, settings, pseudo_labels).run);
}

bool is_run_of(const Dataset& dataset, const RunSettings& settings,
               const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "run.json")) return false;
  const Run wanted = prepare(dataset, settings).run;
  try {
    return difference(wanted, read_run(folder)).empty();
  } catch (const Error&) {
    return false;  // of another version
  }
}

}  // namespace manyverbs
