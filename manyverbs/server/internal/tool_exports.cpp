// SPDX-License-Identifier: MIT
//
// Exports for other annotation tools, and of all answers.
#include <algorithm>

#include "manyverbs/server/internal/content_policy.h"
#include "manyverbs/server/internal/exports.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

std::vector<std::string> names_of(const std::vector<ClassId>& ids, const Vocabulary& classes) {
  std::vector<std::string> names;
  names.reserve(ids.size());
  for (const ClassId id : ids) names.push_back(classes.name(id));
  return names;
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json answer_line(const AnnotationResult& result, const Person& person, const StoredAnswer& stored) {
  const AnnotationTask& task = *result.project->find_shown(stored.task);
  Json line;
  if (result.pseudonyms) {
    line["annotator"] = person.name;
  } else {
    line["annotator"] = person.id;
    line["name"] = person.name;
  }
  line.update({{"excluded", person.state == PersonState::Excluded},
               {"task", task.number},
               {"item", task.clip},
               {"gold", result.project->find_gold(task.number) != nullptr},
               {"labels", names_of(stored.answer.chosen, result.project->classes)},
               {"confident", stored.answer.confident},
               {"nothing", stored.answer.nothing},
               {"other", stored.answer.other},
               {"other_verb", stored.answer.other_verb},
               {"flagged", stored.answer.flagged},
               {"comment", stored.answer.comment},
               {"ms", stored.answer.milliseconds},
               {"time", time_text(stored.time)},
               {"replaced", !stored.current}});
  return line;
}

Json decision_line(const AnnotationResult& result, const Decision& decision) {
  return {{"decision", decision.leaves_out() ? "left_out" : "settled"},
          {"task", decision.task},
          {"item", result.project->find_task(decision.task)->clip},
          {"labels", names_of(decision.labels, result.project->classes)},
          {"reason", decision.reason},
          {"time", time_text(decision.time)},
          {"undone", !decision.current}};
}

Json label_studio_choice(const std::string& name, const std::vector<std::string>& choices) {
  return {{"from_name", name},
          {"to_name", "video"},
          {"type", "choices"},
          {"value", {{"choices", choices}}}};
}

Json label_studio_text(const std::string& name, const std::string& text) {
  return {{"from_name", name},
          {"to_name", "video"},
          {"type", "textarea"},
          {"value", {{"text", std::vector{text}}}}};
}

// Without verbs if none is chosen: Label Studio has no empty choice.
Json label_studio_annotation(const Answer& answer, const Vocabulary& classes) {
  Json result = Json::array();
  const auto choose = [&](const std::string& name, const std::string& choice) {
    result.push_back(label_studio_choice(name, {choice}));
  };
  if (!answer.chosen.empty()) {
    result.push_back(label_studio_choice("verbs", names_of(answer.chosen, classes)));
  }
  choose("confidence", answer.confident ? "confident" : "not confident");
  if (answer.nothing) choose("no_verb", "nothing happens");
  if (answer.other) choose("no_verb", "none of these verbs");
  if (answer.flagged) choose("flag", "flagged");
  if (!answer.other_verb.empty()) result.push_back(label_studio_text("verb", answer.other_verb));
  if (!answer.comment.empty()) result.push_back(label_studio_text("comment", answer.comment));
  return {{"lead_time", static_cast<double>(answer.milliseconds) / 1000}, {"result", result}};
}

// Label Studio rejects annotations by unknown users, so the names are stored in the task data, in
// the order of the annotations.
Json label_studio_task(const AnnotationResult& result, const std::map<int, std::string>& names,
                       const AnsweredClip& clip) {
  const Vocabulary& classes = result.project->classes;
  Json annotations = Json::array();
  std::vector<std::string> annotators;
  for (std::size_t i = 0; i < clip.answers.size(); ++i) {
    annotations.push_back(label_studio_annotation(clip.answers[i], classes));
    annotators.push_back(names.at(clip.people[i]));
  }
  std::vector<ClassId> options = clip.task->candidates;
  Json data = {
      {"video", result.videos + clip.task->video},
      {"clip", clip.task->clip},
      {"original", clip.task->original ? Json(classes.name(*clip.task->original)) : Json(nullptr)}};
  if (clip.decision) {
    Json settled = {{"ground_truth", true}, {"result", Json::array()}};
    settled["result"].push_back(
        label_studio_choice("verbs", names_of(clip.decision->labels, classes)));
    annotations.push_back(settled);
    annotators.emplace_back("leader");
    data["settled"] = clip.decision->reason;
    for (const ClassId verb : clip.decision->labels) {
      if (std::find(options.begin(), options.end(), verb) == options.end()) options.push_back(verb);
    }
  }
  data["annotators"] = annotators;
  data["candidates"] = names_of(clip.task->candidates, classes);
  data["options"] = Json::array();
  for (const ClassId verb : options) data["options"].push_back({{"value", classes.name(verb)}});
  return {{"id", clip.task->number}, {"data", data}, {"annotations", annotations}};
}

// Without control characters, which XML does not allow.
std::string xml_text(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return html_text(text);
}

std::string cvat_xml(const AnnotationProject& project, const FinalClip& clip) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n"
      "  <meta>\n    <task>\n";
  text += fmt::format("      <name>{}</name>\n      <labels>\n", xml_text(clip.task->clip));
  for (const std::string& name : project.classes.names()) {
    text += fmt::format(
        "        <label><name>{}</name><type>tag</type><attributes></attributes></label>\n",
        xml_text(name));
  }
  text += "      </labels>\n    </task>\n  </meta>\n  <image id=\"0\" name=\"frame_000000\">\n";
  for (const ClassId verb : clip.result.labels) {
    text += fmt::format("    <tag label=\"{}\" source=\"manual\"></tag>\n",
                        xml_text(project.classes.name(verb)));
  }
  return text + "  </image>\n</annotations>\n";
}

Json cvat_labels(const Vocabulary& classes) {
  Json labels = Json::array();
  for (const std::string& name : classes.names()) {
    labels.push_back({{"name", name}, {"type", "tag"}, {"attributes", Json::array()}});
  }
  return labels;
}

}  // namespace

ExportReport export_answers(const AnnotationResult& result, const std::filesystem::path& file) {
  std::map<int, const Person*> people;
  for (const Person& person : result.people) people[person.id] = &person;
  std::string text;
  ExportReport report;
  for (const StoredAnswer& stored : result.answers) {
    text += json_line(answer_line(result, *people.at(stored.person), stored));
    ++report.written;
  }
  for (const Decision& decision : result.decisions) {
    text += json_line(decision_line(result, decision));
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
    if (clip.decision && clip.decision->leaves_out()) {
      ++report.left_out[Outcome::LeftOut];
      continue;
    }
    if (clip.answers.empty() && !clip.decision) {
      ++report.left_out[Outcome::Incomplete];
      continue;
    }
    tasks.push_back(label_studio_task(result, names, clip));
    ++report.written;
    report.settled += clip.decision ? 1 : 0;
  }
  write_json(file, tasks);
  return report;
}

ExportReport export_cvat(const AnnotationResult& result, const std::filesystem::path& folder) {
  const AnnotationProject& project = *result.project;
  ExportReport report;
  FolderWriter out(folder);
  std::filesystem::create_directory(out.path() / "annotations");
  std::string tasks = csv_line({"task", "annotations", "video", "settled", "clip"});
  for (const FinalClip& clip : final_clips_of(result)) {
    if (clip.result.outcome != Outcome::Kept) {
      ++report.left_out[clip.result.outcome];
      continue;
    }
    const std::string name = fmt::format("annotations/{}.xml", clip.task->number);
    write_file(out.path() / name, cvat_xml(project, clip));
    tasks += csv_line({std::to_string(clip.task->number), name, clip.task->video,
                       clip.decision ? "1" : "0", clip.task->clip});
    ++report.written;
    report.settled += clip.decision ? 1 : 0;
  }
  write_file(out.path() / "tasks.csv", tasks);
  write_json(out.path() / "labels.json", cvat_labels(project.classes));
  out.commit();
  return report;
}

}  // namespace manyverbs
