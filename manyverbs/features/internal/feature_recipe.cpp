// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/feature_recipe.h"

#include <array>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/content_hash.h"

namespace manyverbs {
namespace {

// The keys of a record that describe the clips of its data set, not the recipe.
constexpr std::array kClipKeys = {"clips", "clips_stamp", "contents", "skipped"};

std::string absolute_or_empty(const std::filesystem::path& path) {
  return path.empty() ? "" : std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

Json to_json(const FeatureRecipe& recipe, const PreparedBackbone& backbone) {
  const ClipSettings clips = clip_settings(recipe, backbone);
  const TsmShape& shape = backbone.tsm.shape();
  Json json = {{"stream", stream_name(recipe.backbone.stream)},
               {"backbone", fmt::format("resnet{}", shape.depth)},
               {"width", shape.width},
               {"shift", shape.shift},
               {"origin", backbone.origin},
               {"weights", absolute_or_empty(recipe.backbone.weights)},
               {"weights_hash", recipe.weights_hash},
               {"seed", recipe.backbone.seed},
               {"segments", clips.segments},
               {"sampling", recipe.released ? "start" : "centre"},
               {"short_side", clips.input.test_short_side},
               {"size", recipe.size},
               {"crop", recipe.released ? "released" : "centre"},
               {"type", type_name(recipe.type)}};
  const Normalisation& how = backbone.normalisation;
  if (recipe.backbone.stream == Stream::Rgb) {
    json["mean"] = how.mean;
    json["std"] = how.std;
    json["blue_first"] = how.blue_first;
  } else {
    json["mean"] = how.flow_mean;
    json["std"] = how.flow_std;
    json["flow"] = to_json(*recipe.flow);
  }
  return json;
}

FeatureRecipe recipe_of(const Json& json, const std::filesystem::path& path) {
  FeatureRecipe recipe;
  BackboneSettings& backbone = recipe.backbone;
  backbone.stream = find_stream(json_value<std::string>(json, "stream", path));
  backbone.weights = json_value<std::string>(json, "weights", path);
  backbone.backbone = json_value<std::string>(json, "backbone", path);
  backbone.width = json_value<int>(json, "width", path);
  backbone.segments = json_value<int>(json, "segments", path);
  backbone.seed = json_value<std::uint64_t>(json, "seed", path);
  recipe.weights_hash = json_value<std::string>(json, "weights_hash", path);
  recipe.size = json_value<int>(json, "size", path);
  recipe.released = json_value<std::string>(json, "sampling", path) == "start";
  recipe.type = json_value<std::string>(json, "type", path) == type_name(NumberType::Float16)
                    ? NumberType::Float16
                    : NumberType::Float32;
  if (backbone.stream == Stream::Flow) {
    recipe.flow = flow_settings_of(json_value<Json>(json, "flow", path), path);
  }
  return recipe;
}

std::optional<Json> recorded_recipe(const Dataset& dataset, const std::string& stream) {
  const std::filesystem::path path = dataset.folder / "features" / (stream + ".json");
  if (!std::filesystem::exists(path)) return std::nullopt;
  Json record = read_json(path);
  for (const char* key : kClipKeys) record.erase(key);
  return record;
}

void check_weights(const FeatureRecipe& recipe, const std::filesystem::path& path) {
  const std::filesystem::path& weights = recipe.backbone.weights;
  if (weights.empty()) return;
  if (!std::filesystem::exists(weights)) {
    throw Error("{}: the weights {} no longer exist", path.string(), weights.string());
  }
  if (content_hash(weights) != recipe.weights_hash) {
    throw Error("{}: the weights {} have changed since the features were made with them",
                path.string(), weights.string());
  }
}

ClipSettings clip_settings(const FeatureRecipe& recipe, const PreparedBackbone& backbone) {
  return clip_settings(backbone, recipe.backbone.stream, recipe.size, recipe.released);
}

}  // namespace manyverbs
