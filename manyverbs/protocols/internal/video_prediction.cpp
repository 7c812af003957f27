// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/video_prediction.h"

#include <numeric>

#include "manyverbs/features/internal/feature_recipe.h"
#include "manyverbs/features/internal/video_outputs.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/protocols/internal/clip_runs.h"
#include "manyverbs/protocols/runs.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

// The network that made the features of a stream.
VideoNetwork feature_network(const Dataset& learnt_from, const std::string& stream) {
  const std::filesystem::path path = learnt_from.folder / "features" / (stream + ".json");
  const std::optional<Json> record = recorded_recipe(learnt_from, stream);
  if (!record) {
    throw Error(
        "{}: is not there: 'manyverbs extract' did not make these features, so they cannot "
        "be made for other videos",
        path.string());
  }
  const FeatureRecipe recipe = recipe_of(*record, path);
  check_weights(recipe, path);
  const PreparedBackbone backbone = prepare_backbone(recipe.backbone);
  return {FoldedTsm(backbone.tsm), clip_settings(recipe, backbone),
          recipe.flow.value_or(FlowSettings()), VideoNetwork::Output::Features,
          recipe.type == NumberType::Float16};
}

}  // namespace

VideoProbabilities video_probabilities(const TrainedModel& model,
                                       const std::vector<std::filesystem::path>& videos,
                                       OnError on_error) {
  std::vector<VideoNetwork> networks;
  const auto* on_features = dynamic_cast<const TrainedRun*>(&model);
  const auto* on_clips = dynamic_cast<const TrainedClipRun*>(&model);
  if (on_features != nullptr) {
    const Dataset learnt_from = model.dataset();
    for (const std::string& stream : on_features->run().settings.features.streams) {
      networks.push_back(feature_network(learnt_from, stream));
    }
  } else {
    networks.push_back(on_clips->network());
  }
  VideoOutputs outputs = video_outputs(videos, networks, on_error);
  VideoProbabilities answer;
  answer.problems = std::move(outputs.problems);
  for (const std::size_t i : outputs.videos) answer.videos.push_back(videos[i]);
  if (answer.videos.empty()) return answer;
  if (on_features != nullptr) {
    std::vector<int> rows(answer.videos.size());
    std::iota(rows.begin(), rows.end(), 0);
    answer.probabilities = on_features->probabilities(FeatureTable(std::move(outputs.rows)), rows);
  } else {
    answer.probabilities = probabilities(outputs.rows, activation_of(on_clips->run().settings));
  }
  return answer;
}

}  // namespace manyverbs
