// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/model.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>

#include <fmt/ranges.h>

#include "manyverbs/features/internal/clip_outputs.h"
#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/features/internal/video_outputs.h"
#include "manyverbs/learning/internal/finetuner.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/protocols/internal/bundle.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

// The networks that compute the features of a run on features.
VideoNetwork feature_network(const Run& run, const std::string& stream,
                             const std::filesystem::path& folder) {
  const FeatureRecipe recipe = feature_recipe(run, stream, folder);
  check_weights(recipe, folder / "run.json");
  const PreparedBackbone backbone = prepare_backbone(recipe.backbone);
  return {FoldedTsm(backbone.tsm), clip_settings(recipe, backbone),
          recipe.flow.value_or(FlowSettings()), VideoNetwork::Output::Features,
          recipe.type == NumberType::Float16};
}

// `cut` is a threshold or a CoverageRule.
template <typename Cut>
std::vector<Prediction> predictions(const Model& model, const Matrix<float>& probabilities,
                                    const Cut& cut) {
  std::vector<Prediction> made;
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    made.push_back(model.prediction(probabilities.row(i), cut));
  }
  return made;
}

// The label that an annotator gave each clip if it is known, otherwise all labels.
std::vector<std::vector<ClassId>> annotated_labels(const Dataset& dataset,
                                                   std::span<const ClipRow> clips) {
  std::vector<std::vector<ClassId>> labels;
  for (const ClipRow row : clips) {
    const Clip& clip = dataset.clip(row);
    const std::optional<ClassId> original = original_label(clip);
    labels.push_back(original ? std::vector{*original} : clip.labels);
  }
  return labels;
}

}  // namespace

struct Model::State {
  std::filesystem::path folder;
  Run run;
  std::optional<Mlp> mlp;                    // of a run on features
  std::optional<PreparedBackbone> backbone;  // of a run on clips
  ValidationClips validation;
  double default_threshold = 0.5;
  mutable std::once_flag networks_made;
  mutable std::vector<VideoNetwork> networks;  // for videos; created on first use

  double expected_labels() const {
    const Loss& loss = find_loss(run.settings.loss);
    const bool is_stored = loss.has_expected_threshold() || loss.uses_expected_labels;
    return is_stored ? run.settings.loss_settings.expected_labels : 0;
  }
  bool reads_clips() const { return run.settings.kind == RunKind::Clips; }
  std::vector<VideoNetwork> make_networks() const;
  const std::vector<VideoNetwork>& video_networks() const {
    std::call_once(networks_made, [this] { networks = make_networks(); });
    return networks;
  }
  ClipSource source_of(const Dataset& dataset) const {
    return {dataset, clip_settings(run.settings, *backbone), OnError::Skip};
  }
  Matrix<float> clip_probabilities(const Dataset& dataset, std::span<const ClipRow> clips) const;
  const ValidationClips& labelled_validation() const;
};

std::vector<VideoNetwork> Model::State::make_networks() const {
  std::vector<VideoNetwork> made;
  if (reads_clips()) {
    made.push_back({FoldedTsm(backbone->tsm), clip_settings(run.settings, *backbone),
                    run.flow.value_or(FlowSettings()), VideoNetwork::Output::Scores});
  }
  for (const std::string& stream : run.settings.features.streams) {
    made.push_back(feature_network(run, stream, folder));
  }
  return made;
}

Matrix<float> Model::State::clip_probabilities(const Dataset& dataset,
                                               std::span<const ClipRow> clips) const {
  const ClipSource source = source_of(dataset);
  for (const ClipProblem& problem : source.problems()) {
    if (std::find(clips.begin(), clips.end(), problem.clip) != clips.end()) {
      throw Error("clip '{}': {}", dataset.clip(problem.clip).name, problem.what);
    }
  }
  return manyverbs::probabilities(clip_scores(FoldedTsm(backbone->tsm), source, clips),
                                  activation_of(run.settings));
}

// Throws unless every validation clip has one label.
const ValidationClips& Model::State::labelled_validation() const {
  const std::vector<ClassId>& labels = validation.labels;
  if (labels.empty()) {
    throw Error(
        "{}: has no labels of its validation clips, which coverage and calibration require; train "
        "it again, with another --out",
        folder.string());
  }
  if (std::find(labels.begin(), labels.end(), -1) != labels.end()) {
    throw Error("{}: coverage and calibration require validation clips with one label each; {}",
                folder.string(),
                validation.label_sets.rows() > 0 ? "those of this run have all labels that apply"
                                                 : "test clips selected its epoch");
  }
  return validation;
}

Model::Model(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

Model Model::open(const std::filesystem::path& folder) {
  check_bundle(folder);
  auto state = std::make_unique<State>();
  state->folder = folder;
  state->run = read_run(folder);
  if (state->reads_clips()) {
    state->backbone.emplace(load_backbone(folder, state->run));
  } else {
    state->mlp.emplace(load_model(folder, state->run));
  }
  state->validation = validation_clips(folder);
  const ValidationClips& validation = state->validation;
  const double expected = state->expected_labels();
  if (validation.label_sets.rows() > 0) {
    state->default_threshold =
        best_thresholds(validation.probabilities, validation.label_sets).f1.threshold;
  } else if (expected > 0 && find_loss(state->run.settings.loss).has_expected_threshold()) {
    state->default_threshold = threshold_for_count(validation.probabilities, expected);
  }
  return Model(std::move(state));
}

const std::filesystem::path& Model::folder() const { return state_->folder; }
const std::vector<std::string>& Model::classes() const { return state_->run.classes; }
const std::vector<std::string>& Model::streams() const {
  return state_->run.settings.features.streams;
}
int Model::feature_columns() const { return state_->run.feature_columns; }

bool Model::reads_videos() const {
  return state_->reads_clips() ||
         std::all_of(streams().begin(), streams().end(), [&](const std::string& stream) {
           return state_->run.recipes.contains(stream);
         });
}

double Model::threshold_for(double labels_per_clip) const {
  return threshold_for_count(state_->validation.probabilities, labels_per_clip);
}

double Model::default_threshold() const { return state_->default_threshold; }

CoverageRule Model::coverage_rule(double coverage) const {
  const ValidationClips& validation = state_->labelled_validation();
  return manyverbs::coverage_rule(validation.probabilities, validation.labels, coverage);
}

Matrix<float> Model::label_probabilities(const Matrix<float>& probabilities) const {
  const ValidationClips& validation = state_->labelled_validation();
  return manyverbs::label_probabilities(probabilities,
                                        calibration(validation.probabilities, validation.labels));
}

double Model::expected_labels() const { return state_->expected_labels(); }

Matrix<float> Model::presences(const Matrix<float>& probabilities, double labels_per_clip) const {
  return manyverbs::presences(probabilities,
                              presence_factor(state_->validation.probabilities, labels_per_clip));
}

std::vector<Prediction> Model::predict(const std::vector<std::filesystem::path>& videos,
                                       std::optional<double> threshold) const {
  return predictions(*this, probabilities(videos, OnError::Stop).probabilities,
                     threshold.value_or(default_threshold()));
}

std::vector<Prediction> Model::predict(const Matrix<float>& features,
                                       std::optional<double> threshold) const {
  return predictions(*this, probabilities(FeatureTable(features), first_rows(features.rows())),
                     threshold.value_or(default_threshold()));
}

std::vector<Prediction> Model::predict(const std::vector<std::filesystem::path>& videos,
                                       const CoverageRule& rule) const {
  return predictions(*this, probabilities(videos, OnError::Stop).probabilities, rule);
}

std::vector<Prediction> Model::predict(const Matrix<float>& features,
                                       const CoverageRule& rule) const {
  return predictions(*this, probabilities(FeatureTable(features), first_rows(features.rows())),
                     rule);
}

Prediction Model::prediction(std::span<const float> probabilities,
                             std::optional<double> threshold) const {
  const double limit = threshold.value_or(default_threshold());
  std::vector<ClassId> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](ClassId a, ClassId b) { return probabilities[a] > probabilities[b]; });
  const auto label = [&](ClassId c) { return PredictedLabel{classes()[c], probabilities[c]}; };
  Prediction made;
  made.best = label(order.front());
  for (const ClassId c : order) {
    if (probabilities[c] > limit) made.labels.push_back(label(c));
  }
  return made;
}

Prediction Model::prediction(std::span<const float> probabilities, const CoverageRule& rule) const {
  Prediction made;
  for (const ClassId c : covering_set(probabilities, rule)) {
    made.labels.push_back({classes()[c], probabilities[c]});
  }
  made.best = made.labels.front();
  return made;
}

VideoProbabilities Model::probabilities(const std::vector<std::filesystem::path>& videos,
                                        OnError on_error) const {
  VideoOutputs outputs = video_outputs(videos, state_->video_networks(), on_error);
  VideoProbabilities answer;
  answer.problems = std::move(outputs.problems);
  for (const std::size_t i : outputs.videos) answer.videos.push_back(videos[i]);
  if (answer.videos.empty()) return answer;
  answer.probabilities =
      state_->reads_clips()
          ? manyverbs::probabilities(outputs.rows, activation_of(state_->run.settings))
          : probabilities(FeatureTable(std::move(outputs.rows)), first_rows(answer.videos.size()));
  return answer;
}

Matrix<float> Model::probabilities(const FeatureTable& features,
                                   std::span<const ClipRow> rows) const {
  require_kind(state_->run, RunKind::Features, folder());
  if (static_cast<int>(features.columns()) != feature_columns()) {
    throw Error("{}: expected {} features per clip ({}), found {}", folder().string(),
                feature_columns(), fmt::join(streams(), " + "), features.columns());
  }
  return manyverbs::probabilities(score_rows(*state_->mlp, features, rows),
                                  activation_of(state_->run.settings));
}

Matrix<float> Model::probabilities(const Dataset& dataset, std::span<const ClipRow> clips) const {
  return state_->reads_clips() ? state_->clip_probabilities(dataset, clips)
                               : probabilities(open_features(dataset, streams()), clips);
}

Evaluation Model::evaluate(const Dataset& dataset, Split split, const EvaluationSettings& settings,
                           const std::optional<CoverageRule>& rule) const {
  if (dataset.classes.names() != classes()) {
    throw Error("{}: has other classes than {}", folder().string(), dataset.folder.string());
  }
  const std::vector<ClipRow> clips = dataset.clips_of(split);
  if (clips.empty()) {
    throw Error("{}: has no clips of the split {}", (dataset.folder / "clips.csv").string(),
                split_name(split));
  }
  const Matrix<float> scores = probabilities(dataset, clips);
  EvaluationSettings rules = settings;
  rules.at_least = rules.at_least || state_->run.settings.recipe == Recipe::Released;
  Evaluation evaluation =
      manyverbs::evaluate(scores, label_sets(dataset.label_sets_of(clips), dataset.classes.size()),
                          state_->validation.probabilities, rules);
  if (rule) {
    const auto labels = annotated_labels(dataset, clips);
    const ValidationClips& validation = state_->labelled_validation();
    evaluation.coverage = measured_coverage(scores, labels, *rule);
    evaluation.calibration = measured_calibration(
        scores, labels, calibration(validation.probabilities, validation.labels));
  }
  return evaluation;
}

Dataset Model::dataset() const {
  const std::filesystem::path& place = state_->run.dataset;
  if (place.empty()) {
    throw Error("{}: is a bundle, which has no data set; specify one with --dataset",
                folder().string());
  }
  if (!std::filesystem::exists(place)) {
    throw Error("{}: was trained on {}, which does not exist; specify a data set with --dataset",
                folder().string(), place.string());
  }
  Dataset dataset = read_dataset(place);
  check_features(dataset);
  return dataset;
}

bool Model::is_own(const Dataset& dataset) const {
  return std::filesystem::weakly_canonical(dataset.folder) ==
         std::filesystem::weakly_canonical(state_->run.dataset);
}

bool Model::was_refitted() const { return is_refitted(state_->folder); }

std::string Model::changed_features(const Dataset& dataset) const {
  const DatasetContent& then = state_->run.made_from;
  const bool is_same = is_own(dataset) || labels_content(dataset).labels == then.labels;
  return is_same ? manyverbs::changed_features(dataset, then) : "";
}

void Model::check_features(const Dataset& dataset) const {
  const std::string changed = changed_features(dataset);
  if (changed.empty()) return;
  throw Error(
      "{}: {} has changed since the training; train again, or evaluate on the changed data with "
      "'manyverbs evaluate --dataset'",
      folder().string(), changed);
}

}  // namespace manyverbs
