// SPDX-License-Identifier: MIT
#include "manyverbs/server/exports.h"

#include <map>

#include <fmt/ranges.h>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/feature_links.h"
#include "manyverbs/decoding/frame_index.h"
#include "manyverbs/support/csv.h"
#include "manyverbs/support/files.h"
#include "manyverbs/support/json.h"

namespace manyverbs {
namespace {

std::vector<AnsweredClip> counted_clips(const AnnotationResult& result) {
  return answered_clips(*result.project, result.answers, result.people);
}

// The final labels by the name of the clip, without the doubtful.
std::map<std::string, std::vector<ClassId>> final_labels_by_clip(const AnnotationResult& result,
                                                                 ExportReport* report) {
  std::map<std::string, std::vector<ClassId>> labels;
  const std::vector<FinalClip> clips = final_clips(counted_clips(result), result.people_a_clip);
  for (const FinalClip& clip : clips) {
    if (clip.result.doubtful) {
      ++report->doubtful;
    } else {
      labels[clip.task->clip] = clip.result.labels;
    }
  }
  report->written = static_cast<int>(labels.size());
  report->incomplete = static_cast<int>(result.project->tasks.size() - clips.size());
  return labels;
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

// Label Studio refuses annotations by people whom it does not know, so their names stand with the
// data, in the order of the annotations.
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
            {"original", classes.name(clip.task->original)},
            {"annotators", annotators},
            {"candidates", names_of(clip.task->candidates, classes)}}},
          {"annotations", annotations}};
}

}  // namespace

ExportReport export_dataset(const AnnotationResult& result, const std::filesystem::path& folder) {
  const AnnotationProject& project = *result.project;
  ExportReport report;
  const auto labels = final_labels_by_clip(result, &report);
  if (labels.empty()) {
    throw Error("{}: no clip has the answers of {} people yet", project.folder.string(),
                result.people_a_clip);
  }
  Dataset dataset = read_dataset(project.dataset);
  if (dataset.classes.names() != project.classes.names()) {
    throw Error("{}: the classes have changed since {} was prepared", dataset.folder.string(),
                project.folder.string());
  }
  for (Clip& clip : dataset.clips) {
    if (!clip.video.empty()) {
      clip.video = std::filesystem::absolute(video_path(dataset, clip)).string();
    }
    if (const auto found = labels.find(clip.name); found != labels.end()) {
      clip.split = Split::Test;
      clip.labels = found->second;
    } else if (clip.split == project.split || clip.split == Split::Test) {
      clip.split = Split::Val;
      clip.labels.resize(1);
    }
  }
  FolderWriter out(folder);
  write_dataset(out.path(), dataset);
  link_features(dataset, out.path());
  out.commit();
  return report;
}

ExportReport export_spmv(const AnnotationResult& result, const std::filesystem::path& file) {
  ExportReport report;
  std::string text = csv_line({"narration_id", "verb_labels"});
  for (const auto& [clip, labels] : final_labels_by_clip(result, &report)) {
    text += csv_line({clip, fmt::format("[{}]", fmt::join(labels, ", "))});
  }
  write_file(file, text);
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
      ++report.incomplete;
      continue;
    }
    tasks.push_back(label_studio_task(result.project->classes, names, clip));
    ++report.written;
  }
  write_json(file, tasks);
  return report;
}

}  // namespace manyverbs
