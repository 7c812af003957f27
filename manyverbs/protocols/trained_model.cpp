// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/trained_model.h"

#include "manyverbs/learning/internal/clip_choice.h"
#include "manyverbs/protocols/internal/clip_runs.h"
#include "manyverbs/protocols/runs.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

// The clips that chose the epoch; of another data set, which may have too few clips to train on,
// its val clips.
std::vector<int> choosing_clips(const Dataset& dataset, Protocol protocol, std::uint64_t seed) {
  try {
    return choose_clips(dataset, protocol, seed).validation;
  } catch (const Error&) {
    return dataset.clips_of(Split::Val);
  }
}

}  // namespace

TrainedModel::TrainedModel(std::filesystem::path folder, Run run, RunKind kind)
    : folder_(std::move(folder)), run_(std::move(run)) {
  require_kind(run_, kind, folder_);
}

Dataset TrainedModel::dataset() const {
  if (!std::filesystem::exists(run_.dataset)) {
    throw Error(
        "{}: was trained on {}, which is not there; move it back, or give 'evaluate' another with "
        "--dataset",
        folder_.string(), run_.dataset.string());
  }
  Dataset dataset = read_dataset(run_.dataset);
  check_features(dataset);
  return dataset;
}

std::string TrainedModel::changed_features(const Dataset& dataset) const {
  return is_own(dataset) ? manyverbs::changed_features(dataset, run_.made_from) : "";
}

void TrainedModel::check_features(const Dataset& dataset) const {
  const std::string changed = changed_features(dataset);
  if (changed.empty()) return;
  throw Error(
      "{}: was trained before {} changed; train again ('manyverbs evaluate' measures it on the "
      "data set as it is now with --dataset)",
      folder_.string(), changed);
}

bool TrainedModel::is_own(const Dataset& dataset) const {
  return std::filesystem::weakly_canonical(dataset.folder) ==
         std::filesystem::weakly_canonical(run_.dataset);
}

Evaluation TrainedModel::evaluate(const Dataset& dataset, Split split,
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
  return manyverbs::evaluate(probabilities(dataset, clips),
                             label_sets(dataset.label_sets_of(clips), dataset.classes.size()),
                             choosing_probabilities(dataset), settings);
}

double TrainedModel::expected_threshold(double labels) const {
  return threshold_for_count(choosing_probabilities(dataset()), labels);
}

// As in training, clips that cannot be read have no say.
Matrix<float> TrainedModel::choosing_probabilities(const Dataset& dataset) const {
  return probabilities(dataset, readable(dataset, choosing_clips(dataset, run_.settings.protocol,
                                                                 run_.settings.seed)));
}

std::unique_ptr<const TrainedModel> open_model(const std::filesystem::path& folder) {
  if (read_run(folder).settings.kind == RunKind::Clips) {
    return std::make_unique<TrainedClipRun>(folder);
  }
  return std::make_unique<TrainedRun>(folder);
}

}  // namespace manyverbs
