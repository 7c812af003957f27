// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/clip_runs.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "manyverbs/learning/internal/clip_choice.h"
#include "manyverbs/learning/internal/finetuner.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/protocols/internal/epoch_scoring.h"
#include "manyverbs/protocols/internal/run_pseudo_labels.h"
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
  if (data.pseudo_labels) {
    run.pseudo_labels_hash = hash_of(*data.pseudo_labels);
  } else {
    run.settings.clips.pseudo_labels.clear();
  }
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

// If the run makes pseudo-labels itself.
void check_neighbours(const RunSettings& settings, std::size_t clips) {
  if (!find_loss(settings.loss).uses_pseudo_labels() ||
      settings.clips.refresh.k < static_cast<int>(clips))
    return;
  throw Error("not enough training clips for {} neighbours: found {}; choose a smaller k",
              settings.clips.refresh.k, clips);
}

// The inputs of a run; `data` refers to `source`.
struct ClipPreparation {
  PreparedBackbone start;
  std::unique_ptr<const ClipSource> source;
  FinetuneData data;
  bool validation_is_test = false;
  std::vector<ClipProblem> problems;
  Run run;
};

// The given pseudo-labels, those of the settings, or nothing if the run makes them or needs none.
std::optional<Suggestions> ready_suggestions(const Dataset& dataset, const RunSettings& settings,
                                             const std::vector<ClipRow>& clips,
                                             const Suggestions* given) {
  const std::string& name = settings.clips.pseudo_labels;
  if (!find_loss(settings.loss).uses_pseudo_labels()) return std::nullopt;
  if (given != nullptr) return chosen_suggestions(dataset, clips, *given);
  if (name.empty()) return std::nullopt;
  return chosen_suggestions(dataset, clips, read_suggestions(dataset, name));
}

ClipPreparation prepare_clips(const Dataset& dataset, const RunSettings& settings, OnError on_error,
                              const Suggestions* pseudo_labels) {
  check_loss(settings, dataset.classes.size());
  ClipPreparation made{
      starting_backbone(settings, dataset.classes.size()), nullptr, {}, false, {}, {}};
  made.source =
      std::make_unique<const ClipSource>(dataset, clip_settings(settings, made.start), on_error);
  const ClipSource& source = *made.source;
  const ClipChoice choice = choose_clips(dataset, settings.protocol, settings.seed);
  made.validation_is_test = choice.validation_is_test;
  FinetuneData& data = made.data;
  data.dataset = &dataset;
  data.source = &source;
  data.clips = usable(choice.training, source);
  data.validation_clips = usable(choice.validation, source);
  data.on_error = on_error;
  made.problems = source.problems();
  // All epochs are scored on the same clips, so these must be readable from the start.
  if (on_error == OnError::Skip) drop_undecodable(source, &data.validation_clips, &made.problems);
  if (data.clips.size() < 2 || data.validation_clips.empty()) {
    throw Error(
        "{}: expected at least 2 readable training clips and 1 validation clip, found {} and {}",
        dataset.folder.string(), data.clips.size(), data.validation_clips.size());
  }
  data.pseudo_labels = ready_suggestions(dataset, settings, data.clips, pseudo_labels);
  if (!data.pseudo_labels) check_neighbours(settings, data.clips.size());
  data.validation_targets =
      label_sets(dataset.label_sets_of(data.validation_clips), dataset.classes.size());
  made.run = record_of(dataset, settings, source, data);
  return made;
}

}  // namespace

void claim_clip_run(const Dataset& dataset, const RunSettings& settings,
                    const std::filesystem::path& folder, const Suggestions* pseudo_labels) {
  claim_run_folder(folder, prepare_clips(dataset, settings, OnError::Stop, pseudo_labels).run);
}

FinetuneReport finetune_run(const Dataset& dataset, const RunSettings& settings,
                            const std::filesystem::path& folder, const FinetuneOptions& options) {
  ClipPreparation prepared =
      prepare_clips(dataset, settings, options.on_error, options.pseudo_labels);
  FinetuneReport report;
  report.problems = std::move(prepared.problems);
  const RunClaim claim = claim_run_folder(folder, prepared.run);

  const FinetuneData& data = prepared.data;
  const EpochScorer scorer =
      epoch_scorer(data.validation_targets, prepared.validation_is_test, settings);
  if (!std::filesystem::exists(folder / "checkpoint.safetensors")) {
    report.remarks = prepared.start.remarks;
  }
  for (const std::string& text : report.remarks) {
    if (options.tell) options.tell(text);
  }
  report.history = finetune(data, settings, std::move(prepared.start), scorer, folder);
  const std::vector<ClipProblem>& skipped = report.history.skipped;
  report.problems.insert(report.problems.end(), skipped.begin(), skipped.end());
  note_patience(claim, report.history, settings, folder);
  return report;
}

}  // namespace manyverbs
