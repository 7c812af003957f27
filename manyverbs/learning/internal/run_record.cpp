// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/run_record.h"

#include <array>

#include "manyverbs/learning/internal/run.h"

namespace manyverbs {
namespace {

// Which file of the data set is another, told from two values of "made_from".
std::string content_difference(const Json& wanted, const Json& found) {
  const auto features_of = [](const Json& content) {
    return content.is_object() ? content.value("features", Json::object()) : Json::object();
  };
  const Json features = features_of(wanted);
  const Json there = features_of(found);
  for (const auto& [stream, hash] : features.items()) {
    if (there.value(stream, "") != hash) {
      return fmt::format("features/{}.npy of its data set has changed since", stream);
    }
  }
  return "clips.csv of its data set has changed since";
}

}  // namespace

RunRecord::RunRecord(const std::filesystem::path& folder, const std::string& kind)
    : path_(folder / "run.json") {
  if (!std::filesystem::exists(path_)) {
    throw Error("{}: is not a run: it has no run.json; 'manyverbs train' makes one",
                folder.string());
  }
  json_ = read_json(path_);
  const auto found = json_value<std::string>(json_, "kind", path_);
  if (found != kind) {
    throw Error("{}: is a run on {}, made by 'manyverbs {}'; this needs one on {}", folder.string(),
                found, found == "clips" ? "finetune" : "train", kind);
  }
}

void RunRecord::get_loss(std::string* loss, LossSettings* settings) const {
  *loss = find("loss", find_loss).name;
  settings->recipe = find("recipe", find_recipe);
  get("smoothing", &settings->smoothing);
  get("focal_balance", &settings->focal_balance);
  get("focal_focus", &settings->focal_focus);
  get("entropy_weight", &settings->entropy_weight);
}

std::string run_kind(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "run.json";
  if (!std::filesystem::exists(path)) return "";
  return json_value<std::string>(read_json(path), "kind", path);
}

Json loss_record(const std::string& loss, const LossSettings& settings) {
  return {{"loss", loss},
          {"recipe", recipe_name(settings.recipe)},
          {"smoothing", settings.smoothing},
          {"focal_balance", settings.focal_balance},
          {"focal_focus", settings.focal_focus},
          {"entropy_weight", settings.entropy_weight}};
}

std::string difference(const Json& wanted, const Json& found) {
  for (const auto& [key, value] : wanted.items()) {
    const Json there = found.value(key, Json());
    if (value == there || key == "dataset") continue;
    if (key == "classes") return "classes.csv of its data set has changed since";
    if (key == "made_from") return content_difference(value, there);
    if (key == "pseudo_labels_hash") return "its pseudo-labels have changed since";
    if (key == "weights_hash") return "its first weights have changed since";
    return fmt::format("{} is {} there, {} here", key, there.dump(), value.dump());
  }
  return "";
}

}  // namespace manyverbs
