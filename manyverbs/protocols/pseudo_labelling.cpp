// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/pseudo_labelling.h"

#include <algorithm>

#include <fmt/format.h>

#include "manyverbs/labels/internal/pseudo_label_file.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/protocols/internal/run_claims.h"
#include "manyverbs/protocols/internal/run_pseudo_labels.h"
#include "manyverbs/protocols/runs.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/remark.h"

namespace manyverbs {
namespace {

RunSettings learned_run(const SpaceSettings& settings) {
  RunSettings run = settings.learned;
  run.features.streams = settings.streams;
  return run;
}

// All inputs of a learned space.
std::string learned_content(const Dataset& dataset, const SpaceSettings& settings) {
  RunSettings learned = settings.learned;
  learned.features.streams = chosen_streams(dataset, settings.streams);
  return text_hash(to_json(features_content(dataset, settings.streams)).dump() +
                   to_json(learned).dump());
}

// The hidden layer for every row, in blocks.
void write_hidden_rows(const Mlp& model, const FeatureTable& features,
                       const std::filesystem::path& path) {
  constexpr std::size_t kRowsAtOnce = 8192;
  ArrayWriter writer(path, NumberType::Float32, features.rows(), model.shape().hidden.back());
  const std::vector<ClipRow> rows = first_rows(features.rows());
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsAtOnce) {
    const Matrix<float> piece =
        hidden_rows(model, features,
                    std::span(rows).subspan(begin, std::min(kRowsAtOnce, rows.size() - begin)));
    writer.write(piece.data(), piece.rows() * piece.columns());
  }
  writer.commit();
}

// Removes a run with other content or settings. Throws Error if another process uses it.
void remove_run(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder)) return;
  const FileLock lock(folder);
  std::filesystem::remove_all(folder);
}

Matrix<int> count_votes(const Dataset& dataset, const std::vector<ClipRow>& training,
                        const NeighbourSettings& settings) {
  const Neighbours all = find_neighbours(dataset, settings);
  Matrix<ClipRow> of_training(training.size(), settings.k);
  for (std::size_t i = 0; i < training.size(); ++i) {
    std::copy_n(all.clips.row(index(training[i])).begin(), settings.k, of_training.row(i).begin());
  }
  return votes(of_training, dataset.labels_of(first_rows(dataset.clips.size())),
               dataset.classes.size());
}

}  // namespace

RunSettings learned_space_training() {
  RunSettings settings;
  settings.loss = "ce";
  settings.learning_rate = 1e-4;
  settings.epochs = 50;
  settings.patience = 5;
  return settings;
}

std::string space_name(const SpaceSettings& settings) {
  std::string name = space_name(settings.space, settings.streams);
  if (settings.space != "features" && settings.learned.seed != SpaceSettings{}.learned.seed) {
    name += fmt::format("-seed{}", settings.learned.seed);
  }
  return name;
}

FeatureTable open_space(const Dataset& dataset, const SpaceSettings& settings) {
  if (settings.space == "features") return open_features(dataset, settings.streams);
  const std::filesystem::path folder = dataset.folder / "spaces" / space_name(settings);
  const std::filesystem::path array = folder / "space.npy";
  const RunSettings run = learned_run(settings);
  const MakingLock lock(folder);
  const bool serves = is_run_of(dataset, run, folder);
  if (!serves) remove_run(folder);
  if (!serves || !std::filesystem::exists(array)) {
    train_run(dataset, run, folder);
    write_hidden_rows(load_model(folder, read_run(folder)),
                      open_features(dataset, settings.streams), array);
  }
  std::vector<ArrayFile> files;
  files.emplace_back(array);
  return FeatureTable(std::move(files));
}

Neighbours find_neighbours(const Dataset& dataset, const NeighbourSettings& settings, Keep keep) {
  const auto& [space, metric, k] = settings;
  if (space.space == "features") {
    return find_neighbours(dataset, feature_space(dataset, space.streams), metric, k, keep);
  }
  const Space learned{space.space, space_name(space), learned_content(dataset, space),
                      [&] { return open_space(dataset, settings.space); }};
  try {
    return find_neighbours(dataset, learned, metric, k, keep);
  } catch (const Interrupted& stop) {
    const bool trained =
        std::filesystem::exists(dataset.folder / "spaces" / learned.name / "model.safetensors");
    if (!stop.kept().empty() || !trained) throw;
    throw Interrupted("the training of the learned space is saved");
  }
}

PseudoLabels make_pseudo_labels(const Dataset& dataset, const PseudoLabelSettings& settings) {
  const std::vector<ClipRow> training = dataset.clips_of(Split::Train);
  const std::vector<ClassId> labels = dataset.labels_of(training);
  const auto truth = dataset.truth_of(training);
  const std::filesystem::path clips_file = dataset.folder / "clips.csv";
  PseudoLabels made;
  PseudoLabelRecord record;
  record.method = settings.method;
  record.made_from = labels_content(dataset);
  Matrix<int> counted;
  switch (settings.method) {
    case PseudoLabelMethod::Instance:
      counted = count_votes(dataset, training, settings.neighbours);
      made.suggestions = instance_level(counted, labels, settings.tau);
      record.made_from = features_content(dataset, settings.neighbours.space.streams);
      record.votes = {
          settings.neighbours.k, settings.tau, settings.neighbours.space.space,
          std::string(metric_name(settings.neighbours.metric)),
          neighbours_name(space_name(settings.neighbours.space), settings.neighbours.metric)};
      break;
    case PseudoLabelMethod::Class: {
      const auto sets = dataset.label_sets_of(dataset.clips_of(Split::Test));
      if (sets.empty()) {
        throw Error("{}: class-level pseudo-labels require test clips with label sets",
                    clips_file.string());
      }
      made.suggestions =
          class_level(sets, labels, dataset.classes.size(), together_of(settings.recipe));
      break;
    }
    case PseudoLabelMethod::Ideal:
      if (std::all_of(truth.begin(), truth.end(), [](const auto& set) { return set.empty(); })) {
        throw Error("{}: ideal pseudo-labels require the column truth", clips_file.string());
      }
      record.made_from = truth_content(dataset);
      made.suggestions = ideal(truth, labels);
      break;
  }
  made.quality = suggestion_quality(made.suggestions, truth, labels);
  record.quality = made.quality;
  const MakingLock lock(dataset.folder / "pseudo_labels" / settings.name);
  made.file = write_pseudo_labels(dataset.folder / "pseudo_labels", settings.name, dataset, counted,
                                  made.suggestions, record);
  return made;
}

}  // namespace manyverbs
