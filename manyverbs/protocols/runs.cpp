// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/runs.h"

#include <fmt/ranges.h>

#include "manyverbs/labels/internal/pseudo_label_file.h"
#include "manyverbs/learning/internal/clip_choice.h"
#include "manyverbs/learning/internal/cross_fit.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/learning/internal/trainer.h"
#include "manyverbs/protocols/internal/epoch_scoring.h"
#include "manyverbs/protocols/internal/run_claims.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

// A name in DATASET/pseudo_labels, or a file.
std::filesystem::path pseudo_label_path(const Dataset& dataset, const std::string& name) {
  const std::filesystem::path kept = dataset.folder / "pseudo_labels" / (name + ".csv");
  if (std::filesystem::exists(kept)) return kept;
  if (std::filesystem::exists(name)) return name;
  const std::string option = name == FeatureRunSettings{}.pseudo_labels ? "" : " --name " + name;
  throw Error("{}: does not exist; create it with 'manyverbs pseudo-label {}{}'", kept.string(),
              dataset.folder.string(), option);
}

// The command that makes pseudo-labels with the settings of a record.
std::string remaking(const Dataset& dataset, const std::string& name,
                     const PseudoLabelRecord& record) {
  std::string call = fmt::format("manyverbs pseudo-label {}", dataset.folder.string());
  if (record.votes) {
    const VoteSettings& votes = *record.votes;
    call += fmt::format(" --k {} --tau {} --space {} --metric {}", votes.k, votes.tau, votes.space,
                        votes.metric);
  } else {
    call += fmt::format(" --method {}", method_name(record.method));
  }
  return name == FeatureRunSettings{}.pseudo_labels ? call : call + " --name " + name;
}

// The pseudo-labels with this name, one entry per training clip.
Suggestions read_suggestions(const Dataset& dataset, const std::string& name) {
  const std::filesystem::path file = pseudo_label_path(dataset, name);
  const auto record = read_pseudo_label_record(file);
  const std::string changed = record ? changed_file(dataset, record->made_from) : "";
  if (!changed.empty()) {
    throw Error("{}: {} has changed since; run '{}' again", file.string(), changed,
                remaking(dataset, name, *record));
  }
  return read_pseudo_labels(file, dataset);
}

// The pseudo-labels of the given training clips.
Suggestions chosen_suggestions(const Dataset& dataset, const std::vector<ClipRow>& chosen,
                               const Suggestions& all) {
  std::vector<int> place(dataset.clips.size(), -1);
  const std::vector<ClipRow> training = dataset.clips_of(Split::Train);
  for (std::size_t i = 0; i < training.size(); ++i) place[index(training[i])] = static_cast<int>(i);
  Suggestions suggestions;
  for (const ClipRow clip : chosen) suggestions.push_back(all[place[index(clip)]]);
  return suggestions;
}

std::string hash_of(const Suggestions& suggestions) {
  std::string text;
  for (const auto& classes : suggestions) text += fmt::format("{}\n", fmt::join(classes, " "));
  return text_hash(text);
}

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
  if (find_loss(settings.loss).suggested != Label::Absent) {
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

  TrainingData data = training_data(dataset, prepared.features, prepared.choice,
                                    prepared.suggestions, find_loss(settings.loss).suggested);
  if (find_loss(settings.loss).cross_fitted) {
    data.shares = with_labels(cross_fit(data, settings, folder), data.targets,
                              settings.features.cross_fit.label_weight);
  }
  const EpochScorer scorer =
      epoch_scorer(data.validation_targets, prepared.choice.validation_is_test, settings);
  TrainingHistory history = train(data, settings, scorer, folder);
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
