// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/pipeline.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/ranges.h>

#include "manyverbs/knn/neighbours_file.h"
#include "manyverbs/learning/mlp.h"
#include "manyverbs/metrics/metrics.h"
#include "manyverbs/support/csv.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/files.h"
#include "manyverbs/support/json.h"

namespace manyverbs {
namespace {

std::vector<int> all_rows(const Dataset& dataset) {
  std::vector<int> rows(dataset.clips.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

std::vector<std::vector<ClassId>> label_sets_of(const Dataset& dataset,
                                                const std::vector<int>& clips) {
  std::vector<std::vector<ClassId>> sets;
  for (const int i : clips) sets.push_back(dataset.clips[i].labels);
  return sets;
}

std::vector<std::vector<ClassId>> truth_of(const Dataset& dataset, const std::vector<int>& clips) {
  std::vector<std::vector<ClassId>> sets;
  for (const int i : clips) sets.push_back(dataset.clips[i].truth);
  return sets;
}

RunSettings learned_run(const SpaceSettings& settings) {
  RunSettings run;
  run.streams = settings.streams;
  run.training = settings.learned;
  return run;
}

Run describe_run(const Dataset& dataset, const RunSettings& settings,
                 const FeatureTable& features) {
  Run run;
  run.dataset = std::filesystem::absolute(dataset.folder).lexically_normal();
  run.dataset_stamp = dataset_stamp(dataset, settings.streams);
  run.streams = settings.streams.empty() ? feature_streams(dataset) : settings.streams;
  run.feature_columns = static_cast<int>(features.columns());
  run.classes = dataset.classes.names();
  run.protocol = settings.protocol;
  run.training = settings.training;
  return run;
}

std::string space_stamp(const Dataset& dataset, const SpaceSettings& settings) {
  const std::string stamp = dataset_stamp(dataset, settings.streams);
  if (settings.space == "features") return stamp;
  Run record;
  record.training = settings.learned;
  return text_hash(stamp + to_json(record).dump());
}

// The hidden layer of every row, piece by piece.
void write_hidden_rows(const Mlp& model, const FeatureTable& features,
                       const std::filesystem::path& path) {
  constexpr std::size_t kRowsAtOnce = 8192;
  ArrayWriter writer(path, NumberType::Float32, features.rows(), model.shape().hidden.back());
  std::vector<int> rows(features.rows());
  std::iota(rows.begin(), rows.end(), 0);
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsAtOnce) {
    const Matrix<float> piece =
        hidden_rows(model, features,
                    std::span(rows).subspan(begin, std::min(kRowsAtOnce, rows.size() - begin)));
    writer.write(piece.data(), piece.rows() * piece.columns());
  }
  writer.commit();
}

// Learned spaces of labels or settings that are no more.
void remove_other_runs(const std::filesystem::path& folder, const std::string& kept) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && name.starts_with("learned-") && name != kept) {
      std::filesystem::remove_all(entry.path());
    }
  }
}

// Joins the answers for training clips and for the others into one row a clip.
void put_rows(const Neighbours& from, const std::vector<int>& rows, Neighbours* to) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(from.clips.row(i).begin(), from.clips.columns(), to->clips.row(rows[i]).begin());
    std::copy_n(from.distances.row(i).begin(), from.distances.columns(),
                to->distances.row(rows[i]).begin());
  }
}

Neighbours search_all(const Dataset& dataset, const NeighbourSettings& settings) {
  const FeatureTable table = open_space(dataset, settings.space);
  const std::vector<int> training = dataset.clips_of(Split::Train);
  std::vector<int> others;
  for (const int i : all_rows(dataset)) {
    if (dataset.clips[i].split != Split::Train) others.push_back(i);
  }
  Neighbours all{Matrix<std::int32_t>(dataset.clips.size(), settings.k),
                 Matrix<float>(dataset.clips.size(), settings.k)};
  put_rows(neighbours_within(table, training, settings.k, settings.metric), training, &all);
  if (!others.empty()) {
    put_rows(neighbours_of(table, others, training, settings.k, settings.metric), others, &all);
  }
  return all;
}

Matrix<int> count_votes(const Dataset& dataset, const std::vector<int>& training,
                        const NeighbourSettings& settings) {
  const Neighbours all = find_neighbours(dataset, settings);
  Matrix<std::int32_t> of_training(training.size(), settings.k);
  for (std::size_t i = 0; i < training.size(); ++i) {
    std::copy_n(all.clips.row(training[i]).begin(), settings.k, of_training.row(i).begin());
  }
  return votes(of_training, dataset.labels_of(all_rows(dataset)), dataset.classes.size());
}

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
  const Suggestions all = read_pseudo_labels(pseudo_label_path(dataset, name), dataset);
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

TrainingSettings learned_space_training() {
  TrainingSettings settings;
  settings.loss = "ce";
  settings.learning_rate = 1e-4;
  settings.epochs = 50;
  settings.patience = 5;
  return settings;
}

std::vector<std::string> space_names() { return {"features", "learned"}; }

FeatureTable open_space(const Dataset& dataset, const SpaceSettings& settings) {
  if (settings.space == "features") return open_features(dataset, settings.streams);
  const std::filesystem::path folder = dataset.folder / "spaces";
  const std::filesystem::path array = folder / "learned.npy";
  const std::filesystem::path about = folder / "learned.json";
  const std::string stamp = space_stamp(dataset, settings);
  if (!std::filesystem::exists(about) ||
      json_value<std::string>(read_json(about), "stamp", about) != stamp) {
    const std::string name = "learned-" + stamp;
    train_run(dataset, learned_run(settings), folder / name);
    std::filesystem::remove(about);
    write_hidden_rows(load_model(folder / name, read_run(folder / name)),
                      open_features(dataset, settings.streams), array);
    write_json(about, {{"stamp", stamp}, {"run", name}});
    remove_other_runs(folder, name);
  }
  std::vector<ArrayFile> files;
  files.emplace_back(array);
  return FeatureTable(std::move(files));
}

Neighbours find_neighbours(const Dataset& dataset, const NeighbourSettings& settings) {
  const std::filesystem::path folder = dataset.folder / "neighbours";
  const std::string name = fmt::format("{}-{}", settings.space.space, metric_name(settings.metric));
  const NeighboursRecord record{settings.space.space, settings.metric, settings.k,
                                space_stamp(dataset, settings.space)};
  if (auto stored = read_neighbours(folder, name, record)) return std::move(*stored);
  Neighbours found = search_all(dataset, settings);
  std::filesystem::create_directories(folder);
  write_neighbours(folder, name, found, record);
  return found;
}

PseudoLabels make_pseudo_labels(const Dataset& dataset, const PseudoLabelSettings& settings) {
  const std::vector<int> training = dataset.clips_of(Split::Train);
  const std::vector<ClassId> labels = dataset.labels_of(training);
  const auto truth = truth_of(dataset, training);
  const std::filesystem::path clips_file = dataset.folder / "clips.csv";
  PseudoLabels made;
  made.record.method = settings.method;
  made.record.stamp = dataset_stamp(dataset, settings.neighbours.space.streams);
  Matrix<int> counted;
  switch (settings.method) {
    case PseudoLabelMethod::Instance:
      counted = count_votes(dataset, training, settings.neighbours);
      made.suggestions = instance_level(counted, labels, settings.tau);
      made.record.votes = {settings.neighbours.k, settings.tau, settings.neighbours.space.space,
                           std::string(metric_name(settings.neighbours.metric))};
      break;
    case PseudoLabelMethod::Class: {
      const auto sets = label_sets_of(dataset, dataset.clips_of(Split::Test));
      if (sets.empty()) {
        throw Error("{}: class-level pseudo-labels need test clips with their label sets",
                    clips_file.string());
      }
      made.suggestions = class_level(
          sets, labels, dataset.classes.size(),
          settings.recipe == Recipe::Paper ? Together::AtLeastHalf : Together::MoreThanHalf);
      break;
    }
    case PseudoLabelMethod::Ideal:
      if (std::all_of(truth.begin(), truth.end(), [](const auto& set) { return set.empty(); })) {
        throw Error("{}: ideal pseudo-labels need the column truth", clips_file.string());
      }
      made.suggestions = ideal(truth, labels);
      break;
  }
  made.record.quality = suggestion_quality(made.suggestions, truth, labels);
  made.file = write_pseudo_labels(dataset.folder / "pseudo_labels", settings.name, dataset, counted,
                                  made.suggestions, made.record);
  return made;
}

TrainingHistory train_run(const Dataset& dataset, const RunSettings& settings,
                          const std::filesystem::path& folder) {
  const FeatureTable features = open_features(dataset, settings.streams);
  const ClipChoice choice = choose_clips(dataset, settings.protocol, settings.training.seed);
  const std::vector<ClassId> labels = dataset.labels_of(choice.training);
  const int classes = dataset.classes.size();
  const Label suggested = find_loss(settings.training.loss).suggested;
  Run run = describe_run(dataset, settings, features);
  Suggestions suggestions(choice.training.size());
  if (suggested != Label::Absent) {
    run.pseudo_labels = settings.pseudo_labels;
    suggestions = chosen_suggestions(dataset, choice.training, settings.pseudo_labels,
                                     &run.pseudo_labels_hash);
  }
  claim_folder(folder, run);

  TrainingData data;
  data.features = &features;
  data.clips = choice.training;
  data.targets = targets(suggestions, labels, classes, suggested);
  data.validation_clips = choice.validation;
  data.validation_targets = label_sets(label_sets_of(dataset, choice.validation), classes);
  const Judge judge = judge_for(data.validation_targets, choice.validation_is_test,
                                settings.training.loss_settings.recipe);
  return train(data, settings.training, judge, folder);
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
                             label_sets(label_sets_of(dataset, clips), dataset.classes.size()),
                             probabilities(features, choosing_clips(dataset, run_)), settings);
}

std::vector<std::pair<std::string, double>> best_per_metric(
    const std::filesystem::path& run_folder) {
  const CsvTable log = read_csv(run_folder / "log.csv");
  const auto first = static_cast<std::size_t>(log.column("validation_loss")) + 1;
  std::vector<std::pair<std::string, double>> best;
  if (log.header.size() - first == 1)
    return best;  // top-1 on val alone: nothing was chosen on test
  for (std::size_t column = first; column < log.header.size(); ++column) {
    double highest = NAN;
    for (const CsvRow& row : log.rows) {
      if (row.fields[column].empty()) continue;
      const double value = std::stod(row.fields[column]);
      if (std::isnan(highest) || value > highest) highest = value;
    }
    best.emplace_back(log.header[column], highest);
  }
  return best;
}

}  // namespace manyverbs
