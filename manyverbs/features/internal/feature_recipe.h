// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/decoding/internal/flow_folders.h"
#include "manyverbs/features/internal/extraction.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// How the features of a stream are made of a video: all that they depend on, except the video. It
/// stands in the record beside a feature file, and in a run that learnt from such features.
struct FeatureRecipe {
  BackboneSettings backbone;
  std::string weights_hash;               ///< content_hash() of the weights; empty: they are random
  int size = 224;                         ///< pixels each way that the network sees
  bool released = false;                  ///< frames and crop as the released code chooses them
  NumberType type = NumberType::Float32;  ///< of the feature file
  std::optional<FlowSettings> flow;       ///< of the stream flow
};

/// The recipe with what the weights say: the depth of the network, its normalisation and so on.
Json to_json(const FeatureRecipe& recipe, const PreparedBackbone& backbone);
/// What to_json() made; `path` is the file it stands in, for messages.
FeatureRecipe recipe_of(const Json& json, const std::filesystem::path& path);

/// What the record of a stream says; nothing where the features came from elsewhere and have none.
std::optional<Json> recorded_recipe(const Dataset& dataset, const std::string& stream);

/// Throws Error when the weights do not exist any more, or are not those of the recipe.
void check_weights(const FeatureRecipe& recipe, const std::filesystem::path& path);

/// How the network of a recipe sees clips.
ClipSettings clip_settings(const FeatureRecipe& recipe, const PreparedBackbone& backbone);

}  // namespace manyverbs
