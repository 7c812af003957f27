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

/// How the features of a stream are computed from a video: everything they depend on except the
/// video. Stored in the record of a feature file and in runs trained on the features.
struct FeatureRecipe {
  BackboneSettings backbone;
  std::string weights_hash;               ///< content_hash() of the weights; empty: random
  int size = 224;                         ///< input size in pixels
  bool released = false;                  ///< frames and crop as in the released code
  NumberType type = NumberType::Float32;  ///< of the feature file
  std::optional<FlowSettings> flow;       ///< only for the stream flow
};

/// The recipe with the properties of the weights, such as depth and normalisation.
Json to_json(const FeatureRecipe& recipe, const PreparedBackbone& backbone);
/// Inverse of to_json(); `path` is the file of the JSON, for messages.
FeatureRecipe recipe_of(const Json& json, const std::filesystem::path& path);

/// The recipe in the record of a stream; nothing for imported features, which have no record.
std::optional<Json> recorded_recipe(const Dataset& dataset, const std::string& stream);

/// Throws Error if the weights no longer exist or have changed since.
void check_weights(const FeatureRecipe& recipe, const std::filesystem::path& path);

/// The clip settings of a recipe.
ClipSettings clip_settings(const FeatureRecipe& recipe, const PreparedBackbone& backbone);

}  // namespace manyverbs
