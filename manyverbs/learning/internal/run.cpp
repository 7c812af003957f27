// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/run.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "manyverbs/dataset/internal/dataset_place.h"
#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/finetuner.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/learning/internal/refit.h"
#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/learning/internal/training_loop.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/remark.h"

namespace manyverbs {
namespace {

constexpr int kRunFormat = 4;

bool has_labels(const std::filesystem::path& dataset, const DatasetContent& content) {
  try {
    return labels_content(read_dataset(dataset)).labels == content.labels;
  } catch (const Error&) {
    return false;
  }
}

// Which file of the data set has changed.
std::string content_difference(const DatasetContent& wanted, const DatasetContent& found) {
  for (const auto& [stream, hash] : wanted.features) {
    const auto there = found.features.find(stream);
    if (there == found.features.end() || there->second != hash) {
      return fmt::format("features/{}.npy of its data set has changed since", stream);
    }
  }
  return "clips.csv of its data set has changed since";
}

std::string setting_difference(const RunSettings& wanted, const RunSettings& found) {
  const Json here = to_json(wanted);
  const Json there = to_json(found);
  for (const auto& [key, value] : here.items()) {
    // Weights are compared by content. The default threshold of predictions can be changed.
    const bool is_threshold =
        key == "expected_labels" && !find_loss(wanted.loss).uses_expected_labels;
    if (key == "weights" || is_threshold || value == there.at(key)) continue;
    return fmt::format("its {} is {}, requested {}", key, there.at(key).dump(), value.dump());
  }
  return "";
}

// Whether a run can continue to more epochs with the result that it would have had from the start.
bool can_continue(const RunSettings& found, int epochs) {
  const Loss& loss = find_loss(found.loss);
  return epochs > found.epochs && found.schedule != Schedule::Cosine && !loss.uses_epochs &&
         !loss.cross_fitted;
}

// The recipe in run.json, with the path of the weights also relative to the run.
Json recipe_json(Json recipe, const std::filesystem::path& folder) {
  const std::filesystem::path weights = recipe.value("weights", "");
  if (weights.is_absolute() && !recipe.contains("weights_from_run")) {
    recipe["weights_from_run"] = std::filesystem::weakly_canonical(weights)
                                     .lexically_relative(std::filesystem::weakly_canonical(folder))
                                     .string();
  }
  return recipe;
}

// Undefined if the file has no tensor of floats with this name.
at::Tensor find_tensor(const TensorFile& file, std::string_view name) {
  for (const auto& [found, tensor] : file.tensors) {
    if (found == name && tensor.is_floating_point()) return tensor;
  }
  return {};
}

std::vector<float> numbers_of(const at::Tensor& tensor) {
  const auto* values = tensor.data_ptr<float>();
  return {values, values + tensor.numel()};
}

}  // namespace

Json to_json(const Run& run, const std::filesystem::path& folder) {
  Json json = {{"format", kRunFormat},
               {"kind", run_kind_name(run.settings.kind)},
               {"dataset", place_json(run.dataset, folder)},
               {"made_from", to_json(run.made_from)},
               {"classes", run.classes}};
  if (run.settings.kind == RunKind::Features) {
    json["feature_columns"] = run.feature_columns;
    json["pseudo_labels_hash"] = run.pseudo_labels_hash;
    json["recipes"] = Json::object();
    for (const auto& [stream, recipe] : run.recipes) {
      json["recipes"][stream] = recipe_json(recipe, folder);
    }
  } else {
    json["weights_hash"] = run.weights_hash;
    json["videos_hash"] = run.videos_hash;
    if (!run.pseudo_labels_hash.empty()) json["pseudo_labels_hash"] = run.pseudo_labels_hash;
    if (run.flow) json["flow"] = to_json(*run.flow);
  }
  json["settings"] = to_json(run.settings);
  return json;
}

Run read_run(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "run.json";
  if (!std::filesystem::exists(path)) {
    throw Error("{}: is not a run: it has no run.json; 'manyverbs train' creates one",
                folder.string());
  }
  const Json json = read_json(path);
  const int format = json_value<int>(json, "format", path);
  if (format != kRunFormat) {
    throw Error("{}: has format {}, this program requires {}", path.string(), format, kRunFormat);
  }
  const RunKind kind = find_run_kind(json_value<std::string>(json, "kind", path), path);
  Run run;
  run.settings = settings_of(json_value<Json>(json, "settings", path), kind, path);
  run.classes = json_value<std::vector<std::string>>(json, "classes", path);
  run.made_from = content_at(json, "made_from", path);
  run.dataset = find_place(
      json_value<Json>(json, "dataset", path), path,
      [&](const std::filesystem::path& dataset) { return has_labels(dataset, run.made_from); });
  if (kind == RunKind::Features) {
    run.feature_columns = json_value<int>(json, "feature_columns", path);
    run.pseudo_labels_hash = json_value<std::string>(json, "pseudo_labels_hash", path);
    run.recipes = json_value<std::map<std::string, Json>>(json, "recipes", path);
  } else {
    run.weights_hash = json_value<std::string>(json, "weights_hash", path);
    run.videos_hash = json_value<std::string>(json, "videos_hash", path);
    if (json.contains("pseudo_labels_hash")) {
      run.pseudo_labels_hash = json_value<std::string>(json, "pseudo_labels_hash", path);
    }
    if (json.contains("flow")) run.flow = flow_settings_of(json["flow"], path);
  }
  return run;
}

void require_kind(const Run& run, RunKind kind, const std::filesystem::path& folder) {
  if (run.settings.kind == kind) return;
  throw Error("{}: is a run on {} by 'manyverbs {}'; expected a run on {}", folder.string(),
              run_kind_name(run.settings.kind),
              run.settings.kind == RunKind::Clips ? "finetune" : "train", run_kind_name(kind));
}

std::string difference(const Run& wanted, const Run& found) {
  if (wanted.settings.kind != found.settings.kind) {
    return fmt::format("it is a run on {}", run_kind_name(found.settings.kind));
  }
  std::string setting = setting_difference(wanted.settings, found.settings);
  if (!setting.empty()) return setting;
  if (wanted.classes != found.classes) return "classes.csv of its data set has changed since";
  if (wanted.made_from != found.made_from) {
    return content_difference(wanted.made_from, found.made_from);
  }
  if (wanted.pseudo_labels_hash != found.pseudo_labels_hash) {
    return "its pseudo-labels have changed since";
  }
  if (wanted.weights_hash != found.weights_hash) return "its initial weights have changed since";
  if (wanted.videos_hash != found.videos_hash) return "videos of its data set have changed since";
  return "";
}

bool is_free_for_run(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) return false;
  const std::filesystem::directory_iterator entries(folder);
  return std::all_of(begin(entries), end(entries), [](const auto& entry) {
    const std::filesystem::path name = entry.path().filename();
    return name == "learn.json" || name == "trials" || name == "cross_fit" ||
           name == "cross_fit.npy" || is_temporary(entry.path());
  });
}

RunClaim claim_run_folder(const std::filesystem::path& folder, const Run& run) {
  std::error_code problem;
  if (!std::filesystem::exists(folder)) std::filesystem::create_directories(folder, problem);
  if (problem) throw Error("{}: cannot be created: {}", folder.string(), problem.message());
  RunClaim claim{FileLock(folder)};
  if (std::filesystem::exists(folder / "bundle.json")) {
    throw Error("{}: is a bundle, which cannot be trained further; choose another --out",
                folder.string());
  }
  const std::filesystem::path file = folder / "run.json";
  if (std::filesystem::exists(file)) {
    Run found = read_run(folder);
    claim.more_epochs = can_continue(found.settings, run.settings.epochs);
    if (claim.more_epochs) found.settings.epochs = run.settings.epochs;
    const std::string other = difference(run, found);
    if (!other.empty()) {
      throw Error("{}: contains another run: {}; choose another --out or remove it",
                  folder.string(), other);
    }
    found.dataset = run.dataset;  // the same content can be elsewhere now
    found.settings.loss_settings.expected_labels = run.settings.loss_settings.expected_labels;
    const Json json = to_json(found, folder);
    if (json != read_json(file)) write_json(file, json);
  } else if (is_free_for_run(folder)) {
    write_json(file, to_json(run, folder));
  } else {
    throw Error("{}: contains other files and is not a run; choose another --out", folder.string());
  }
  remove_leftovers(folder);
  return claim;
}

void note_patience(const RunClaim& claim, const TrainingHistory& history,
                   const RunSettings& settings, const std::filesystem::path& folder) {
  if (!claim.more_epochs || !history.out_of_patience) return;
  remark(
      fmt::format("note: {} stopped after epoch {} of at most {}: {} epochs without improvement "
                  "(--patience)",
                  folder.string(), history.epochs.size(), settings.epochs, settings.patience));
}

FeatureRecipe feature_recipe(const Run& run, const std::string& stream,
                             const std::filesystem::path& folder) {
  const auto found = run.recipes.find(stream);
  if (found == run.recipes.end()) {
    throw Error(
        "{}: cannot label videos: the features '{}' that it was trained on are not from 'manyverbs "
        "extract'",
        folder.string(), stream);
  }
  FeatureRecipe recipe = recipe_of(found->second, folder / "run.json");
  std::filesystem::path& weights = recipe.backbone.weights;
  const auto beside = std::filesystem::weakly_canonical(
      folder / found->second.value("weights_from_run", weights.string()));
  const bool is_there = !weights.empty() && std::filesystem::exists(beside);
  if (is_there &&
      (!std::filesystem::exists(weights) || content_hash(beside) == recipe.weights_hash)) {
    weights = beside;
  }
  return recipe;
}

std::filesystem::path model_file(const std::filesystem::path& folder) {
  std::filesystem::path path = folder / "model.safetensors";
  if (!std::filesystem::exists(path)) {
    const bool on_clips = read_run(folder).settings.kind == RunKind::Clips;
    throw Error("{}: has no model yet; run the same 'manyverbs {}' again to resume",
                folder.string(), on_clips ? "finetune" : "train");
  }
  return path;
}

ValidationClips validation_clips(const std::filesystem::path& folder) {
  const std::filesystem::path path = model_file(folder);
  const TensorFile file = read_tensors(path);
  const at::Tensor probabilities = find_tensor(file, kValidationProbabilities);
  if (!probabilities.defined() || probabilities.dim() != 2) {
    throw Error("{}: has no '{}'; train the run again", path.string(), kValidationProbabilities);
  }
  const auto clips = static_cast<std::size_t>(probabilities.size(0));
  const auto classes = static_cast<std::size_t>(probabilities.size(1));
  ValidationClips validation{{clips, classes, numbers_of(probabilities)}, {}, {}};
  const at::Tensor sets = find_tensor(file, kValidationLabelSets);
  if (sets.defined()) {
    if (sets.sizes() != probabilities.sizes()) {
      throw Error("{}: '{}': expected the shape of '{}'", path.string(), kValidationLabelSets,
                  kValidationProbabilities);
    }
    validation.label_sets = LabelMatrix(clips, classes);
    const std::vector<float> present = numbers_of(sets);
    for (std::size_t i = 0; i < present.size(); ++i) {
      if (present[i] != 0) validation.label_sets(i / classes, i % classes) = Label::Present;
    }
  }
  const at::Tensor labels = find_tensor(file, kValidationLabels);
  if (!labels.defined()) return validation;
  for (const float label : numbers_of(labels)) {
    if (!(label >= -1 && label < static_cast<float>(classes))) {
      throw Error("{}: '{}': expected class numbers below {}, found {}", path.string(),
                  kValidationLabels, classes, label);
    }
    validation.labels.push_back(static_cast<ClassId>(label));
  }
  if (validation.labels.size() != clips) {
    throw Error("{}: '{}': expected {} labels, found {}", path.string(), kValidationLabels, clips,
                validation.labels.size());
  }
  return validation;
}

bool is_refitted(const std::filesystem::path& folder) {
  return read_tensors(model_file(folder)).metadata.contains(kRefitted);
}

Mlp load_model(const std::filesystem::path& folder, const Run& run) {
  const std::filesystem::path path = model_file(folder);
  const FeatureRunSettings& features = run.settings.features;
  Mlp mlp({run.feature_columns, features.hidden, static_cast<int>(run.classes.size()),
           features.members},
          0);
  read_tensors(path).copy_into(mlp.state(), path);
  return mlp;
}

PreparedBackbone load_backbone(const std::filesystem::path& folder, const Run& run) {
  BackboneSettings settings = backbone_settings(run.settings, static_cast<int>(run.classes.size()));
  settings.weights = model_file(folder);
  settings.backbone.clear();
  return prepare_backbone(settings);
}

}  // namespace manyverbs
