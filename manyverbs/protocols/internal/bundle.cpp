// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/bundle.h"

#include <map>

#include "manyverbs/features/internal/checkpoint.h"
#include "manyverbs/features/internal/feature_recipe.h"
#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

constexpr int kBundleFormat = 1;
constexpr const char* kBundleFile = "bundle.json";

void copy_into(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code problem;
  std::filesystem::copy_file(from, to, problem);
  if (problem) {
    throw Error("{}: cannot be copied to {}: {}", from.string(), to.string(), problem.message());
  }
}

// Renames a file in backbones/ to its content hash and returns the name. Removes the file if one
// with the same content exists.
std::string named_by_content(const std::filesystem::path& folder,
                             const std::filesystem::path& file) {
  const std::string name = "backbones/" + content_hash(file) + file.extension().string();
  if (std::filesystem::exists(folder / name)) {
    std::filesystem::remove(file);
  } else {
    std::filesystem::rename(file, folder / name);
  }
  return name;
}

// Copies the weights of a recipe to a bundle and returns their name. Random weights are written
// too, since the same seed can give other weights on another machine.
std::string add_weights(const FeatureRecipe& recipe, const std::filesystem::path& record,
                        const std::filesystem::path& folder) {
  const std::filesystem::path& weights = recipe.backbone.weights;
  if (weights.empty()) {
    const PreparedBackbone backbone = prepare_backbone(recipe.backbone);
    const std::filesystem::path file = folder / "backbones/weights.safetensors";
    write_tensors(file, {backbone.tsm.state(),
                         checkpoint_metadata(backbone.tsm.shape(), backbone.normalisation)});
    return named_by_content(folder, file);
  }
  if (!std::filesystem::exists(weights)) {
    throw Error("{}: the weights {} no longer exist", record.string(), weights.string());
  }
  const std::filesystem::path file = folder / ("backbones/weights" + weights.extension().string());
  copy_into(weights, file);
  if (content_hash(file) != recipe.weights_hash) {
    throw Error("{}: the weights {} have changed since the features were made with them",
                record.string(), weights.string());
  }
  return named_by_content(folder, file);
}

// The run.json of the bundle; also copies the backbones.
Run bundled_run(const std::filesystem::path& from, const std::filesystem::path& folder,
                BundleReport* report) {
  Run run = read_run(from);
  run.dataset.clear();
  for (const std::string& stream : run.settings.features.streams) {
    if (!run.recipes.contains(stream)) {
      report->no_recipe.push_back(stream);
      continue;
    }
    const FeatureRecipe recipe = feature_recipe(run, stream, from);
    const std::string weights = add_weights(recipe, from / "run.json", folder);
    run.recipes[stream].erase("weights_from_run");
    run.recipes[stream]["weights"] = weights;
    run.recipes[stream]["weights_hash"] = std::filesystem::path(weights).stem().string();
  }
  run.settings.clips.weights.clear();  // only the initial weights; not needed any more
  return run;
}

Json manifest_of(const std::filesystem::path& folder, BundleReport* report) {
  std::map<std::string, std::string> hashes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    hashes[entry.path().lexically_relative(folder).string()] = content_hash(entry.path());
    report->bytes += entry.file_size();
  }
  report->files = static_cast<int>(hashes.size());
  return {{"format", kBundleFormat}, {"files", hashes}};
}

}  // namespace

BundleReport export_run(const std::filesystem::path& run, const std::filesystem::path& out) {
  check_bundle(run);
  BundleReport report;
  const MakingLock lock(out);
  const bool is_there = std::filesystem::exists(out);
  FolderWriter writer(is_there ? std::filesystem::path(out.string() + ".new") : out);
  const std::filesystem::path& folder = writer.path();
  std::filesystem::create_directory(folder / "backbones");
  static_cast<void>(model_file(run));  // throws if there is none yet
  for (const char* file : {"model.safetensors", "log.csv"}) copy_into(run / file, folder / file);
  write_json(folder / "run.json", to_json(bundled_run(run, folder, &report), folder));
  if (std::filesystem::is_empty(folder / "backbones"))
    std::filesystem::remove(folder / "backbones");
  const Json manifest = manifest_of(folder, &report);
  if (is_there) {
    if (!is_bundle(out) || read_json(out / kBundleFile) != manifest) {
      throw Error("{}: exists with other content; choose another --out", out.string());
    }
    check_bundle(out);
    report.existed = true;
    return report;
  }
  write_json(folder / kBundleFile, manifest);
  writer.commit();
  return report;
}

bool is_bundle(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / kBundleFile);
}

void check_bundle(const std::filesystem::path& folder) {
  if (!is_bundle(folder)) return;
  const std::filesystem::path list = folder / kBundleFile;
  const Json json = read_json(list);
  const int format = json_value<int>(json, "format", list);
  if (format != kBundleFormat) {
    throw Error("{}: has format {}, this program requires {}", list.string(), format,
                kBundleFormat);
  }
  const auto files = json_value<std::map<std::string, std::string>>(json, "files", list);
  for (const auto& [name, hash] : files) {
    const std::filesystem::path file = folder / name;
    if (!std::filesystem::is_regular_file(file)) {
      throw Error("{}: is missing; copy the bundle again", file.string());
    }
    if (content_hash(file) != hash) {
      throw Error(
          "{}: is damaged: its content hash differs from bundle.json; copy the bundle again",
          file.string());
    }
  }
}

}  // namespace manyverbs
