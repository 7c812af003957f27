// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/pseudo_labelling.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "manyverbs/knn/neighbours_file.h"
#include "manyverbs/learning/mlp.h"
#include "manyverbs/learning/run.h"
#include "manyverbs/protocols/runs.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/files.h"
#include "manyverbs/support/interruption.h"
#include "manyverbs/support/json.h"

namespace manyverbs {
namespace {

std::vector<int> all_rows(const Dataset& dataset) {
  std::vector<int> rows(dataset.clips.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

RunSettings learned_run(const SpaceSettings& settings) {
  RunSettings run;
  run.streams = settings.streams;
  run.training = settings.learned;
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
  if (!std::filesystem::exists(about) || !std::filesystem::exists(array) ||
      json_value<std::string>(read_json(about), "stamp", about) != stamp) {
    const std::string name = "learned-" + stamp;
    train_run(dataset, learned_run(settings), folder / name);
    remove_leftovers(folder);
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
  Neighbours found;
  try {
    found = search_all(dataset, settings);
  } catch (const Interrupted& stop) {
    const bool trained = settings.space.space == "learned" && stop.kept().empty();
    throw trained ? Interrupted("the training of the learned space is saved") : stop;
  }
  std::filesystem::create_directories(folder);
  write_neighbours(folder, name, found, record);
  return found;
}

PseudoLabels make_pseudo_labels(const Dataset& dataset, const PseudoLabelSettings& settings) {
  const std::vector<int> training = dataset.clips_of(Split::Train);
  const std::vector<ClassId> labels = dataset.labels_of(training);
  const auto truth = dataset.truth_of(training);
  const std::filesystem::path clips_file = dataset.folder / "clips.csv";
  PseudoLabels made;
  made.record.method = settings.method;
  made.record.stamp = labels_stamp(dataset);
  Matrix<int> counted;
  switch (settings.method) {
    case PseudoLabelMethod::Instance:
      counted = count_votes(dataset, training, settings.neighbours);
      made.suggestions = instance_level(counted, labels, settings.tau);
      made.record.votes = {settings.neighbours.k, settings.tau, settings.neighbours.space.space,
                           std::string(metric_name(settings.neighbours.metric))};
      break;
    case PseudoLabelMethod::Class: {
      const auto sets = dataset.label_sets_of(dataset.clips_of(Split::Test));
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

}  // namespace manyverbs
