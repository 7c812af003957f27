// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/clip_runs.h"

#include <algorithm>

#include "manyverbs/learning/internal/clip_choice.h"
#include "manyverbs/learning/internal/finetuner.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/protocols/internal/epoch_scoring.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/parallel.h"

namespace manyverbs {
namespace {

Run record_of(const Dataset& dataset, const RunSettings& settings, const ClipSource& source,
              const FinetuneData& data) {
  Run run;
  run.dataset = std::filesystem::absolute(dataset.folder).lexically_normal();
  run.made_from = labels_content(dataset);
  run.classes = dataset.classes.names();
  run.settings = settings;
  run.settings.clips.segments = source.settings().segments;
  std::filesystem::path& weights = run.settings.clips.weights;
  if (!weights.empty()) {
    weights = std::filesystem::absolute(weights).lexically_normal();
    run.weights_hash = content_hash(weights);
  }
  std::vector<ClipRow> used = data.clips;
  used.insert(used.end(), data.validation_clips.begin(), data.validation_clips.end());
  run.videos_hash = source.content(used);
  if (settings.clips.stream == Stream::Flow) run.flow = flow_settings(dataset);
  return run;
}

// The readable ones of the clips.
std::vector<ClipRow> usable(std::vector<ClipRow> clips, const ClipSource& source) {
  std::erase_if(clips, [&](ClipRow clip) { return !source.has(clip); });
  return clips;
}

// Moves clips whose test view cannot be decoded from `clips` to `problems`.
void drop_undecodable(const ClipSource& source, std::vector<ClipRow>* clips,
                      std::vector<ClipProblem>* problems) {
  std::vector<std::string> found(clips->size());
  side_by_side(clips->size(), num_threads(), [&](std::size_t i) {
    try {
      source.test_clip((*clips)[i]);
    } catch (const Error& problem) {
      found[i] = problem.what();
    }
  });
  std::vector<ClipRow> readable;
  for (std::size_t i = 0; i < clips->size(); ++i) {
    if (found[i].empty()) {
      readable.push_back((*clips)[i]);
    } else {
      problems->push_back({(*clips)[i], found[i]});
    }
  }
  *clips = std::move(readable);
}

void check_neighbours(const RunSettings& settings, std::size_t clips) {
  const bool uses_neighbours = find_loss(settings.loss).suggested != Label::Absent;
  if (!uses_neighbours || settings.clips.refresh.k < static_cast<int>(clips)) return;
  throw Error("not enough training clips for {} neighbours: found {}; choose a smaller k",
              settings.clips.refresh.k, clips);
}

}  // namespace

FinetuneReport finetune_run(const Dataset& dataset, const RunSettings& settings,
                            const std::filesystem::path& folder, OnError on_error,
                            const std::function<void(const std::string&)>& tell) {
  check_loss(settings, dataset.classes.size());
  PreparedBackbone start = starting_backbone(settings, dataset.classes.size());
  const ClipSource source(dataset, clip_settings(settings, start), on_error);
  const ClipChoice choice = choose_clips(dataset, settings.protocol, settings.seed);
  FinetuneData data;
  data.dataset = &dataset;
  data.source = &source;
  data.clips = usable(choice.training, source);
  data.validation_clips = usable(choice.validation, source);
  data.on_error = on_error;
  FinetuneReport report;
  report.problems = source.problems();
  // All epochs are scored on the same clips, so these must be readable from the start.
  if (on_error == OnError::Skip) {
    drop_undecodable(source, &data.validation_clips, &report.problems);
  }
  if (data.clips.size() < 2 || data.validation_clips.empty()) {
    throw Error(
        "{}: expected at least 2 readable training clips and 1 validation clip, found {} and {}",
        dataset.folder.string(), data.clips.size(), data.validation_clips.size());
  }
  check_neighbours(settings, data.clips.size());
  data.validation_targets =
      label_sets(dataset.label_sets_of(data.validation_clips), dataset.classes.size());
  const RunClaim claim = claim_run_folder(folder, record_of(dataset, settings, source, data));

  const EpochScorer scorer =
      epoch_scorer(data.validation_targets, choice.validation_is_test, settings);
  if (!std::filesystem::exists(folder / "checkpoint.safetensors")) report.remarks = start.remarks;
  for (const std::string& text : report.remarks) {
    if (tell) tell(text);
  }
  report.history = finetune(data, settings, std::move(start), scorer, folder);
  const std::vector<ClipProblem>& skipped = report.history.skipped;
  report.problems.insert(report.problems.end(), skipped.begin(), skipped.end());
  note_patience(claim, report.history, settings, folder);
  return report;
}

}  // namespace manyverbs
