// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/clip_runs.h"

#include <algorithm>

#include "manyverbs/features/internal/clip_outputs.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/protocols/internal/run_folder.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

ClipRun record_of(const Dataset& dataset, const ClipRunSettings& settings, int segments) {
  ClipRun run;
  run.dataset = std::filesystem::absolute(dataset.folder).lexically_normal();
  run.made_from = labels_content(dataset);
  run.classes = dataset.classes.names();
  run.protocol = settings.protocol;
  run.training = settings.training;
  run.training.backbone.segments = segments;
  std::filesystem::path& weights = run.training.backbone.weights;
  if (!weights.empty()) {
    weights = std::filesystem::absolute(weights).lexically_normal();
    run.weights_hash = content_hash(weights);
  }
  return run;
}

// Those of the clips that the source can read.
std::vector<int> usable(std::vector<int> clips, const ClipSource& source) {
  std::erase_if(clips, [&](int clip) { return !source.has(clip); });
  return clips;
}

void check_neighbours(const FinetuneSettings& settings, std::size_t clips) {
  const bool asks = find_loss(settings.loss).suggested != Label::Absent;
  if (!asks || settings.refresh.k < static_cast<int>(clips)) return;
  throw Error("{} neighbours cannot be found among {} training clips; choose a smaller k",
              settings.refresh.k, clips);
}

}  // namespace

ClipTraining finetune_run(const Dataset& dataset, const ClipRunSettings& settings,
                          const std::filesystem::path& folder,
                          const std::function<void(const std::string&)>& tell) {
  PreparedBackbone start = starting_backbone(settings.training, dataset.classes.size());
  const ClipSource source(dataset, clip_settings(settings.training, start), settings.on_error);
  const ClipChoice choice = choose_clips(dataset, settings.protocol, settings.training.seed);
  FinetuneData data;
  data.dataset = &dataset;
  data.source = &source;
  data.clips = usable(choice.training, source);
  data.validation_clips = usable(choice.validation, source);
  if (data.clips.size() < 2 || data.validation_clips.empty()) {
    throw Error("{}: {} clips to learn from and {} to choose the epoch by can be read",
                dataset.folder.string(), data.clips.size(), data.validation_clips.size());
  }
  check_neighbours(settings.training, data.clips.size());
  data.validation_targets =
      label_sets(dataset.label_sets_of(data.validation_clips), dataset.classes.size());
  const FileLock lock =
      claim_folder(folder, to_json(record_of(dataset, settings, source.settings().segments)));

  const Judge judge = judge_for(data.validation_targets, choice.validation_is_test,
                                settings.training.loss_settings.recipe);
  ClipTraining training;
  if (!std::filesystem::exists(folder / "checkpoint.safetensors")) training.remarks = start.remarks;
  for (const std::string& text : training.remarks) {
    if (tell) tell(text);
  }
  training.problems = source.problems();
  training.history = finetune(data, settings.training, std::move(start), judge, folder);
  return training;
}

TrainedClipRun::TrainedClipRun(const std::filesystem::path& folder)
    : TrainedClipRun(folder, read_clip_run(folder)) {}

TrainedClipRun::TrainedClipRun(const std::filesystem::path& folder, ClipRun run)
    : TrainedModel(folder,
                   {run.dataset, run.made_from, run.classes, run.protocol, run.training.seed}),
      run_(std::move(run)),
      backbone_(load_backbone(folder, run_)) {}

ClipSource TrainedClipRun::source_of(const Dataset& dataset) const {
  return {dataset, clip_settings(run_.training, backbone_), OnError::Skip};
}

std::vector<int> TrainedClipRun::readable(const Dataset& dataset, std::vector<int> clips) const {
  return usable(std::move(clips), source_of(dataset));
}

Matrix<float> TrainedClipRun::probabilities(const Dataset& dataset,
                                            std::span<const int> clips) const {
  const ClipSource source = source_of(dataset);
  for (const ClipProblem& problem : source.problems()) {
    if (std::find(clips.begin(), clips.end(), problem.clip) != clips.end()) {
      throw Error("clip '{}': {}", dataset.clips[problem.clip].name, problem.what);
    }
  }
  return manyverbs::probabilities(clip_scores(FoldedTsm(backbone_.tsm), source, clips),
                                  activation_of(run_.training));
}

}  // namespace manyverbs
