// SPDX-License-Identifier: MIT
#include "manyverbs/learning/settings.h"

#include <algorithm>
#include <array>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, 2> kKinds = {"features", "clips"};
constexpr std::array<std::string_view, 2> kProtocols = {"clean", "paper"};
constexpr std::array<std::string_view, 2> kRecipes = {"paper", "released"};
constexpr std::array<std::string_view, 3> kSchedules = {"constant", "plateau", "cosine"};

}  // namespace

std::string_view run_kind_name(RunKind kind) { return kKinds[static_cast<int>(kind)]; }

std::string_view protocol_name(Protocol protocol) { return kProtocols[static_cast<int>(protocol)]; }
std::string_view recipe_name(Recipe recipe) { return kRecipes[static_cast<int>(recipe)]; }
Recipe find_recipe(std::string_view name) {
  for (const Recipe recipe : {Recipe::Paper, Recipe::Released}) {
    if (recipe_name(recipe) == name) return recipe;
  }
  throw Error("unknown recipe '{}'{}", name,
              did_you_mean_or_list(name, {std::string(kRecipes[0]), std::string(kRecipes[1])}));
}

std::string_view schedule_name(Schedule schedule) { return kSchedules[static_cast<int>(schedule)]; }

RunSettings default_settings(RunKind kind) {
  RunSettings settings;
  settings.kind = kind;
  if (kind == RunKind::Clips) {
    settings.loss = "ce";
    settings.learning_rate = 1.28e-3;
    settings.schedule = Schedule::Plateau;
    settings.dropout = 0.5;
    settings.batch = 16;
    settings.epochs = 100;
    settings.checkpoint_seconds = 60;
  }
  return settings;
}

double released_learning_rate(int batch, int gpus) {
  constexpr double kPerClip = 5e-6;
  constexpr double kHighest = 1.28e-3;
  return std::min(kPerClip * batch * gpus * gpus, kHighest);
}

void apply_recipe(RunSettings* settings, const std::set<std::string>& given, bool has_val) {
  if (settings->recipe != Recipe::Released) return;
  const auto set = [&](const std::string& key, auto* place, auto value) {
    if (given.count(key) == 0) *place = value;
  };
  if (settings->kind == RunKind::Features) {
    set("epochs", &settings->epochs, has_val ? 500 : 1000);
    return;
  }
  ClipRunSettings& clips = settings->clips;
  set("learning_rate", &settings->learning_rate,
      released_learning_rate(settings->batch, clips.gpus));
  set("k", &clips.refresh.k, 15);
  set("tau", &clips.refresh.tau, 0.1);
  if (clips.stream != Stream::Flow) return;
  set("dropout", &settings->dropout, 0.7);
  set("partial_batch_norm", &clips.partial_batch_norm, true);
}

Activation activation_of(const RunSettings& settings) {
  return settings.recipe == Recipe::Released ? Activation::Sigmoid
                                             : find_loss(settings.loss).activation;
}

}  // namespace manyverbs
