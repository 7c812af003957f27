// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/runs.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "manyverbs/labels/pseudo_label_file.h"
#include "manyverbs/learning/log_file.h"
#include "manyverbs/learning/mlp.h"
#include "manyverbs/metrics/metrics.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/files.h"

namespace manyverbs {
namespace {

// A name under DATASET/pseudo_labels, or a file.
std::filesystem::path pseudo_label_path(const Dataset& dataset, const std::string& name) {
  const std::filesystem::path kept = dataset.folder / "pseudo_labels" / (name + ".csv");
  if (std::filesystem::exists(kept)) return kept;
  if (std::filesystem::exists(name)) return name;
  throw Error("{}: there are no pseudo-labels '{}'; 'manyverbs pseudo-label {}' makes some",
              kept.string(), name, dataset.folder.string());
}

// The suggestions of the chosen training clips, and a hash of them for the run's record.
Suggestions chosen_suggestions(const Dataset& dataset, const std::vector<int>& chosen,
                               const std::string& name, std::string* hash) {
  const std::filesystem::path file = pseudo_label_path(dataset, name);
  const auto record = read_pseudo_label_record(file);
  if (record && record->stamp != labels_stamp(dataset)) {
    throw Error(
        "{}: was made before the clips or labels changed; call 'manyverbs pseudo-label' again",
        file.string());
  }
  const Suggestions all = read_pseudo_labels(file, dataset);
  std::vector<int> place(dataset.clips.size(), -1);
  const std::vector<int> training = dataset.clips_of(Split::Train);
  for (std::size_t i = 0; i < training.size(); ++i) place[training[i]] = static_cast<int>(i);
  Suggestions suggestions;
  std::string text;
  for (const int clip : chosen) {
    suggestions.push_back(all[place[clip]]);
    text += fmt::format("{}\n", fmt::join(suggestions.back(), " "));
  }
  *hash = text_hash(text);
  return suggestions;
}

// What a run is made from.
struct Preparation {
  FeatureTable features;
  ClipChoice choice;
  Suggestions suggestions;  // one for each of choice.training
  Run run;
};

Preparation prepare(const Dataset& dataset, const RunSettings& settings) {
  Preparation made{open_features(dataset, settings.streams),
                   choose_clips(dataset, settings.protocol, settings.training.seed),
                   {},
                   {}};
  made.suggestions.resize(made.choice.training.size());
  Run& run = made.run;
  run.dataset = std::filesystem::absolute(dataset.folder).lexically_normal();
  run.dataset_stamp = dataset_stamp(dataset, settings.streams);
  run.streams = settings.streams.empty() ? feature_streams(dataset) : settings.streams;
  run.feature_columns = static_cast<int>(made.features.columns());
  run.classes = dataset.classes.names();
  run.protocol = settings.protocol;
  run.training = settings.training;
  if (find_loss(settings.training.loss).suggested != Label::Absent) {
    run.pseudo_labels = settings.pseudo_labels;
    made.suggestions = chosen_suggestions(dataset, made.choice.training, settings.pseudo_labels,
                                          &run.pseudo_labels_hash);
  }
  return made;
}

// Single labels can only be judged by top-1 accuracy. Where test clips choose the epoch, every
// metric is watched: the paper's text chooses by accuracy, its released code by IOU.
Judge judge_for(const LabelMatrix& truth, bool is_test, Recipe recipe) {
  if (!is_test) {
    return {{"top1"}, [&truth](const Matrix<float>& probabilities) {
              return std::vector<double>{top1_accuracy(probabilities, truth)};
            }};
  }
  const bool by_iou = recipe == Recipe::Released;
  std::vector<std::string> names = {"top1", "top_set", "iou", "f1", "map", "map_interpolated"};
  if (by_iou) std::swap(names[0], names[2]);
  return {names, [&truth, by_iou](const Matrix<float>& probabilities) {
            const Evaluation e = evaluate(probabilities, truth, {});
            std::vector<double> values = {e.top1,     e.top_set, e.fixed.iou,
                                          e.fixed.f1, e.map,     e.map_interpolated};
            if (by_iou) std::swap(values[0], values[2]);
            return values;
          }};
}

// Whether nothing is there but what a crash may leave of a file that was being written.
bool is_free(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder)) return true;
  if (!std::filesystem::is_directory(folder)) return false;
  const std::filesystem::directory_iterator entries(folder);
  return std::all_of(begin(entries), end(entries),
                     [](const auto& entry) { return entry.path().extension() == ".tmp"; });
}

// The clips that chose the epoch; of another data set that has nothing to train on, its val clips.
std::vector<int> choosing_clips(const Dataset& dataset, const Run& run) {
  if (dataset.clips_of(Split::Train).empty()) return dataset.clips_of(Split::Val);
  return choose_clips(dataset, run.protocol, run.training.seed).validation;
}

// Makes the folder, or makes sure that the run it holds is the one that is wanted.
void claim_folder(const std::filesystem::path& folder, const Run& run) {
  if (std::filesystem::exists(folder / "run.json")) {
    const std::string problem = difference(run, read_run(folder));
    if (problem.empty()) return;
    throw Error("{}: holds another run: {}; choose another --out or remove it", folder.string(),
                problem);
  }
  if (!is_free(folder)) {
    throw Error("{}: holds other files and is no run; choose another --out", folder.string());
  }
  std::filesystem::create_directories(folder);
  write_run(folder, run);
}

}  // namespace

TrainingHistory train_run(const Dataset& dataset, const RunSettings& settings,
                          const std::filesystem::path& folder) {
  const Preparation prepared = prepare(dataset, settings);
  claim_folder(folder, prepared.run);
  const FileLock lock(folder / "run.json");
  remove_leftovers(folder);

  const ClipChoice& choice = prepared.choice;
  const int classes = dataset.classes.size();
  TrainingData data;
  data.features = &prepared.features;
  data.clips = choice.training;
  data.targets = targets(prepared.suggestions, dataset.labels_of(choice.training), classes,
                         find_loss(settings.training.loss).suggested);
  data.validation_clips = choice.validation;
  data.validation_targets = label_sets(dataset.label_sets_of(choice.validation), classes);
  const Judge judge = judge_for(data.validation_targets, choice.validation_is_test,
                                settings.training.loss_settings.recipe);
  return train(data, settings.training, judge, folder);
}

void claim_run(const Dataset& dataset, const RunSettings& settings,
               const std::filesystem::path& folder) {
  claim_folder(folder, prepare(dataset, settings).run);
}

TrainedRun::TrainedRun(std::filesystem::path folder)
    : folder_(std::move(folder)),
      run_(read_run(folder_)),
      model_(std::make_shared<const Mlp>(load_model(folder_, run_))) {}

Dataset TrainedRun::dataset() const {
  if (!std::filesystem::exists(run_.dataset)) {
    throw Error("{}: was trained on {}, which is not there; say where it is with --dataset",
                folder_.string(), run_.dataset.string());
  }
  return read_dataset(run_.dataset);
}

Matrix<float> TrainedRun::probabilities(const FeatureTable& features,
                                        std::span<const int> rows) const {
  if (static_cast<int>(features.columns()) != run_.feature_columns) {
    throw Error("{}: the model reads {} features a clip ({}), {} are given", folder_.string(),
                run_.feature_columns, fmt::join(run_.streams, " + "), features.columns());
  }
  return manyverbs::probabilities(score_rows(*model_, features, rows),
                                  activation_of(run_.training));
}

Evaluation TrainedRun::evaluate(const Dataset& dataset, Split split,
                                const EvaluationSettings& settings) const {
  if (dataset.classes.names() != run_.classes) {
    throw Error("{}: the classes of {} are not those of the run", folder_.string(),
                dataset.folder.string());
  }
  const std::vector<int> clips = dataset.clips_of(split);
  if (clips.empty()) {
    throw Error("{}: has no clip of the split {}", (dataset.folder / "clips.csv").string(),
                split_name(split));
  }
  const FeatureTable features = open_features(dataset, run_.streams);
  return manyverbs::evaluate(probabilities(features, clips),
                             label_sets(dataset.label_sets_of(clips), dataset.classes.size()),
                             probabilities(features, choosing_clips(dataset, run_)), settings);
}

std::vector<std::pair<std::string, double>> best_per_metric(
    const std::filesystem::path& run_folder) {
  const TrainingLog log = read_log(run_folder);
  std::vector<std::pair<std::string, double>> best;
  if (log.names.size() == 1) return best;  // top-1 on val alone: nothing was chosen on test
  for (std::size_t i = 0; i < log.names.size(); ++i) {
    double highest = NAN;
    for (const EpochRecord& record : log.epochs) highest = std::fmax(highest, record.values[i]);
    best.emplace_back(log.names[i], highest);
  }
  return best;
}

}  // namespace manyverbs
