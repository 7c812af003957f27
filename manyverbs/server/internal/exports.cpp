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
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

std::vector<AnsweredClip> counted_clips(const AnnotationResult& result) {
  return answered_clips(*result.project, result.answers, result.people, result.reports);
}

std::vector<FinalClip> final_clips_of(const AnnotationResult& result) {
  const std::vector<AnsweredClip> clips = counted_clips(result);
  if (result.rule == LabelRule::Half) return final_clips(clips, result.people_per_clip);
  return final_clips_by_model(clips, result.people_per_clip, model_answers(clips));
}

// The result of each clip by its name. Counts the written and left-out clips in the report.
std::map<std::string, FinalClip> final_clips_by_name(const AnnotationResult& result,
                                                     ExportReport* report) {
  std::map<std::string, FinalClip> by_name;
  for (const FinalClip& clip : final_clips_of(result)) {
    if (clip.result.outcome == Outcome::Kept) {
      ++report->written;
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
    text += csv_line({name, std::string(outcome_name(outcome)),
                      std::string(outcome_reason(outcome)), present.contains(name) ? "val" : ""});
  }
  return text;
}

std::string posteriors_text(const AnnotationResult& result,
                            const std::map<std::string, FinalClip>& finals) {
  std::map<std::string, AnsweredClip> answered;
  for (AnsweredClip& clip : counted_clips(result)) answered[clip.task->clip] = std::move(clip);
  std::string text = csv_line({"clip", "verb", "posterior", "chosen", "answers", "label"});
  for (const auto& [name, clip] : finals) {
    const std::vector<ClassId>& labels = clip.result.labels;
    const std::vector<Answer>& answers = answered.at(name).answers;
    for (std::size_t k = 0; k < clip.posteriors.size(); ++k) {
      const ClassId verb = clip.task->candidates[k];
      const auto chosen = std::count_if(answers.begin(), answers.end(), [&](const Answer& answer) {
        return std::find(answer.chosen.begin(), answer.chosen.end(), verb) != answer.chosen.end();
      });
      const bool label = std::find(labels.begin(), labels.end(), verb) != labels.end();
      text += csv_line({name, result.project->classes.name(verb),
                        fmt::format("{:.6f}", clip.posteriors[k]), std::to_string(chosen),
                        std::to_string(answers.size()), label ? "1" : "0"});
    }
  }
  return text;
}

Error nothing_to_export(const AnnotationResult& result, const ExportReport& report) {
  const std::string folder = result.project->folder.string();
  int complete = 0;
  for (const auto& [outcome, clips] : report.left_out) {
    complete += outcome == Outcome::Incomplete || outcome == Outcome::Unplayable ? 0 : clips;
  }
  if (complete == 0) {
    return Error("{}: no clip has answers from {} people yet", folder, result.people_per_clip);
  }
  return Error("{}: all clips with {} answers are left out; 'annotate status' shows the reasons",
               folder, result.people_per_clip);
}

std::vector<std::string> names_of(const std::vector<ClassId>& ids, const Vocabulary& classes) {
  std::vector<std::string> names;
  names.reserve(ids.size());
  for (const ClassId id : ids) names.push_back(classes.name(id));
  return names;
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json label_studio_choice(const std::string& name, const std::vector<std::string>& choices) {
  return {{"from_name", name},
          {"to_name", "video"},
          {"type", "choices"},
          {"value", {{"choices", choices}}}};
}

// Label Studio rejects annotations by unknown users, so the names are stored in the task data, in
// the order of the annotations.
Json label_studio_task(const Vocabulary& classes, const std::map<int, std::string>& names,
                       const AnsweredClip& clip) {
  Json annotations = Json::array();
  std::vector<std::string> annotators;
  for (std::size_t i = 0; i < clip.answers.size(); ++i) {
    const Answer& answer = clip.answers[i];
    Json choices = Json::array();
    choices.push_back(label_studio_choice("verbs", names_of(answer.chosen, classes)));
    choices.push_back(
        label_studio_choice("confidence", {answer.confident ? "confident" : "not confident"}));
    annotations.push_back(
        {{"lead_time", static_cast<double>(answer.milliseconds) / 1000}, {"result", choices}});
    annotators.push_back(names.at(clip.people[i]));
  }
  return {{"id", clip.task->number},
          {"data",
           {{"video", clip.task->video},
            {"clip", clip.task->clip},
            {"original",
             clip.task->original ? Json(classes.name(*clip.task->original)) : Json(nullptr)},
            {"annotators", annotators},
            {"candidates", names_of(clip.task->candidates, classes)}}},
          {"annotations", annotations}};
}

}  // namespace

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
  if (result.rule == LabelRule::Model) {
    write_file(out.path() / "posteriors.csv", posteriors_text(result, finals));
  }
  if (report.dropped == 0) {
    link_features(dataset, out.path());
  } else {
    copy_feature_rows(dataset, kept_rows, out.path());
  }
  out.commit();
  return report;
}

ExportReport export_spmv(const AnnotationResult& result, const std::filesystem::path& file) {
  ExportReport report;
  std::string text = csv_line({"narration_id", "verb_labels"});
  for (const auto& [name, clip] : final_clips_by_name(result, &report)) {
    if (clip.result.outcome != Outcome::Kept) continue;
    text += csv_line({name, fmt::format("[{}]", fmt::join(clip.result.labels, ", "))});
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

ExportReport export_answers(const AnnotationResult& result, const std::filesystem::path& file) {
  std::map<int, const Person*> people;
  for (const Person& person : result.people) people[person.id] = &person;
  std::string text;
  ExportReport report;
  for (const StoredAnswer& stored : result.answers) {
    const Person& person = *people.at(stored.person);
    const AnnotationTask& task = *result.project->find_task(stored.task);
    text += json_line({{"annotator", person.id},
                       {"name", person.name},
                       {"excluded", person.state == PersonState::Excluded},
                       {"task", task.number},
                       {"item", task.clip},
                       {"labels", names_of(stored.answer.chosen, result.project->classes)},
                       {"confident", stored.answer.confident},
                       {"nothing", stored.answer.nothing},
                       {"ms", stored.answer.milliseconds},
                       {"time", time_text(stored.time)},
                       {"replaced", !stored.current}});
    ++report.written;
  }
  write_file(file, text);
  return report;
}

ExportReport export_label_studio(const AnnotationResult& result,
                                 const std::filesystem::path& file) {
  Json tasks = Json::array();
  ExportReport report;
  std::map<int, std::string> names;
  for (const Person& person : result.people) names[person.id] = person.name;
  for (const AnsweredClip& clip : counted_clips(result)) {
    if (clip.answers.empty()) {
      ++report.left_out[Outcome::Incomplete];
      continue;
    }
    tasks.push_back(label_studio_task(result.project->classes, names, clip));
    ++report.written;
  }
  write_json(file, tasks);
  return report;
}

}  // namespace manyverbs
