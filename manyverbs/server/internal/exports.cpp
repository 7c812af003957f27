// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/exports.h"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/internal/clip_selection.h"
#include "manyverbs/dataset/internal/feature_links.h"
#include "manyverbs/decoding/internal/frame_index.h"
#include "manyverbs/server/internal/answer_model.h"
#include "manyverbs/server/internal/remarks.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

// The result of each clip by its name. Counts the written and left-out clips in the report.
std::map<std::string, FinalClip> final_clips_by_name(const AnnotationResult& result,
                                                     ExportReport* report) {
  std::map<std::string, FinalClip> by_name;
  for (const FinalClip& clip : final_clips_of(result)) {
    if (clip.result.outcome == Outcome::Kept) {
      ++report->written;
      report->settled += clip.decision ? 1 : 0;
    } else {
      ++report->left_out[clip.result.outcome];
    }
    by_name[clip.task->clip] = clip;
  }
  return by_name;
}

bool is_kept(const std::map<std::string, FinalClip>& finals, const std::string& clip) {
  const auto found = finals.find(clip);
  return found != finals.end() && found->second.result.outcome == Outcome::Kept;
}

// The clip in the exported data set; nothing if it has no label and is dropped. A test clip that
// was not annotated becomes a val clip, with all its labels if the val clips have all of theirs.
std::optional<Clip> exported_clip(Clip clip, const AnnotationProject& project,
                                  const std::map<std::string, FinalClip>& finals,
                                  bool complete_validation) {
  if (is_kept(finals, clip.name)) {
    const FinalClip& final_clip = finals.at(clip.name);
    clip.split = Split::Test;
    clip.labels = final_clip.result.labels;
    clip.original = final_clip.task->original;
  } else if (clip.split != Split::Train && complete_validation) {
    clip.split = Split::Val;
  } else if (clip.split == project.split || clip.split == Split::Test) {
    const std::optional<ClassId> original = original_label(clip);
    if (!original) return std::nullopt;
    clip.split = Split::Val;
    clip.labels = {*original};
    clip.original.reset();
  }
  return clip;
}

// One line per annotated clip that is not in the test split.
std::string left_out_text(const std::map<std::string, FinalClip>& finals,
                          const std::vector<Clip>& exported) {
  std::set<std::string> present;
  for (const Clip& clip : exported) present.insert(clip.name);
  std::string text = csv_line({"clip", "outcome", "reason", "split"});
  for (const auto& [name, clip] : finals) {
    const Outcome outcome = clip.result.outcome;
    if (outcome == Outcome::Kept) continue;
    const std::string reason =
        clip.decision ? clip.decision->reason : std::string(outcome_reason(outcome));
    text += csv_line(
        {name, std::string(outcome_name(outcome)), reason, present.contains(name) ? "val" : ""});
  }
  return text;
}

std::string settled_text(const std::map<std::string, FinalClip>& finals,
                         const Vocabulary& classes) {
  std::string text = csv_line({"clip", "labels", "reason"});
  for (const auto& [name, clip] : finals) {
    if (!clip.decision || clip.decision->leaves_out()) continue;
    text += csv_line({name, join_labels(clip.decision->labels, classes), clip.decision->reason});
  }
  return text;
}

std::string posteriors_text(const AnnotationResult& result,
                            const std::map<std::string, FinalClip>& finals) {
  std::map<std::string, AnsweredClip> answered;
  for (AnsweredClip& clip : counted_clips(result)) answered[clip.task->clip] = std::move(clip);
  std::string text =
      csv_line({"clip", "verb", "posterior", "chosen", "answers", "label", "settled"});
  for (const auto& each : finals) {
    // Lambdas cannot capture structured bindings with Clang and OpenMP.
    const std::string& name = each.first;
    const FinalClip& clip = each.second;
    if (clip.posteriors.empty()) continue;
    const std::vector<ClassId>& labels = clip.result.labels;
    const std::vector<Answer>& answers = answered.at(name).answers;
    const auto add = [&](ClassId verb, const std::string& posterior) {
      const auto chosen = std::count_if(answers.begin(), answers.end(),
                                        [&](const Answer& answer) { return chose(answer, verb); });
      const bool label = std::find(labels.begin(), labels.end(), verb) != labels.end();
      text +=
          csv_line({name, result.project->classes.name(verb), posterior, std::to_string(chosen),
                    std::to_string(answers.size()), label ? "1" : "0", clip.decision ? "1" : "0"});
    };
    const std::vector<ClassId>& candidates = clip.task->candidates;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      add(candidates[k], fmt::format("{:.6f}", clip.posteriors[k]));
    }
    for (const ClassId verb : labels) {
      const auto known = std::find(candidates.begin(), candidates.end(), verb);
      if (known == candidates.end()) add(verb, "");
    }
  }
  return text;
}

Error nothing_to_export(const AnnotationResult& result, const ExportReport& report) {
  const std::string folder = result.project->folder.string();
  int complete = 0;
  for (const auto& [outcome, clips] : report.left_out) {
    const bool open = outcome == Outcome::Incomplete || outcome == Outcome::Unplayable;
    complete += open || outcome == Outcome::LeftOut ? 0 : clips;
  }
  if (complete == 0) {
    return Error("{}: no clip has answers from {} people yet", folder, result.people_per_clip);
  }
  return Error("{}: all clips with {} answers are left out; 'annotate status' shows the reasons",
               folder, result.people_per_clip);
}

}  // namespace

std::vector<AnsweredClip> counted_clips(const AnnotationResult& result) {
  return answered_clips(*result.project, result.answers, result.people, result.reports,
                        result.decisions);
}

std::vector<FinalClip> final_clips_of(const AnnotationResult& result) {
  const std::vector<AnsweredClip> clips = counted_clips(result);
  if (result.rule == LabelRule::Half) return final_clips(clips, result.people_per_clip);
  return final_clips_by_model(clips, result.people_per_clip, model_answers(clips));
}

ExportReport export_dataset(const AnnotationResult& result, const std::filesystem::path& folder) {
  const AnnotationProject& project = *result.project;
  ExportReport report;
  const std::map<std::string, FinalClip> finals = final_clips_by_name(result, &report);
  if (report.written == 0) throw nothing_to_export(result, report);
  const Dataset dataset = read_dataset(project.dataset);
  if (dataset.classes.names() != project.classes.names()) {
    throw Error("{}: the classes have changed since {} was prepared", dataset.folder.string(),
                project.folder.string());
  }
  Dataset judged = dataset;
  judged.shared.clear();
  judged.clips.clear();
  std::vector<ClipRow> kept_rows;
  const bool complete = has_complete_validation(dataset.clips);
  for (const ClipRow row : first_rows(dataset.clips.size())) {
    std::optional<Clip> clip = exported_clip(dataset.clip(row), project, finals, complete);
    if (!clip) continue;
    if (!clip->video.empty()) {
      clip->video = std::filesystem::absolute(video_path(dataset, *clip)).string();
    }
    if (!clip->flow.empty()) {
      clip->flow = std::filesystem::absolute(flow_path(dataset, *clip)).string();
    }
    judged.clips.push_back(std::move(*clip));
    kept_rows.push_back(row);
  }
  report.dropped = static_cast<int>(dataset.clips.size() - judged.clips.size());
  FolderWriter out(folder);
  write_dataset(out.path(), judged);
  write_selection(out.path(), {project.choice, project.runs, project.models});
  write_file(out.path() / "left_out.csv", left_out_text(finals, judged.clips));
  if (report.settled > 0) {
    write_file(out.path() / "settled.csv", settled_text(finals, project.classes));
  }
  if (result.rule == LabelRule::Model) {
    write_file(out.path() / "posteriors.csv", posteriors_text(result, finals));
  }
  if (result.features && report.dropped == 0) link_features(dataset, out.path());
  if (result.features && report.dropped > 0) copy_feature_rows(dataset, kept_rows, out.path());
  out.commit();
  return report;
}

ExportReport export_spmv(const AnnotationResult& result, const std::filesystem::path& file) {
  ExportReport report;
  std::string text = csv_line({"narration_id", "verb_labels", "settled"});
  for (const auto& [name, clip] : final_clips_by_name(result, &report)) {
    if (clip.result.outcome != Outcome::Kept) continue;
    text += csv_line({name, fmt::format("[{}]", fmt::join(clip.result.labels, ", ")),
                      clip.decision ? "1" : "0"});
  }
  write_file(file, text);
  return report;
}

ExportReport export_posteriors(const AnnotationResult& result, const std::filesystem::path& file) {
  AnnotationResult by_model = result;
  by_model.rule = LabelRule::Model;
  ExportReport report;
  const std::map<std::string, FinalClip> finals = final_clips_by_name(by_model, &report);
  write_file(file, posteriors_text(by_model, finals));
  return report;
}

const std::vector<ExportFormat>& export_formats() {
  static const std::vector<ExportFormat> formats = {
      {"dataset", export_dataset, ""},
      {"spmv", export_spmv, ".csv"},
      {"posteriors", export_posteriors, ".csv"},
      {"jsonl", export_answers, ".jsonl"},
      {"label-studio", export_label_studio, ".json"},
      {"cvat", export_cvat, ""},
      {"verbs", export_other_verbs, ".csv"},
      {"comments", export_remarks, ".csv"},
  };
  return formats;
}

ExportReport export_other_verbs(const AnnotationResult& result, const std::filesystem::path& file) {
  const std::vector<OtherVerb> verbs = other_verbs(result.answers, result.people);
  write_file(file, other_verbs_csv(*result.project, verbs));
  return {.written = static_cast<int>(verbs.size())};
}

ExportReport export_remarks(const AnnotationResult& result, const std::filesystem::path& file) {
  const std::vector<const StoredAnswer*> found = remarks(result.answers, result.people);
  write_file(file, remarks_csv(*result.project, result.people, found));
  return {.written = static_cast<int>(found.size())};
}

}  // namespace manyverbs
