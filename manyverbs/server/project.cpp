// SPDX-License-Identifier: MIT
#include "manyverbs/server/project.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "manyverbs/server/internal/private_files.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/numbers.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

constexpr int kFormat = 2;
constexpr std::array kFiles = {"project.json", "tasks.csv", "practice.csv", "gold.csv"};

std::vector<std::string> task_fields(const AnnotationTask& task, const Vocabulary& classes) {
  return {std::to_string(task.number), task.clip, task.original ? classes.name(*task.original) : "",
          join_labels(task.candidates, classes), task.video};
}

std::string tasks_text(const std::vector<AnnotationTask>& tasks, const Vocabulary& classes) {
  std::string text = csv_line({"task", "clip", "original", "candidates", "video"});
  for (const AnnotationTask& task : tasks) text += csv_line(task_fields(task, classes));
  return text;
}

std::string gold_text(const std::vector<GoldClip>& gold, const Vocabulary& classes) {
  std::string text = csv_line({"task", "clip", "original", "candidates", "video", "labels"});
  for (const GoldClip& clip : gold) {
    std::vector<std::string> fields = task_fields(clip.task, classes);
    fields.push_back(join_labels(clip.labels, classes));
    text += csv_line(fields);
  }
  return text;
}

ClassId class_of(const std::string& name, const Vocabulary& classes, const CsvTable& table,
                 int line) {
  const ClassId id = classes.find(name);
  if (id >= 0) return id;
  throw Error("{}:{}: '{}' is not a class in project.json", table.path.string(), line, name);
}

std::vector<ClassId> candidates_in(const std::string& text, const Vocabulary& classes,
                                   const CsvTable& table, int line) {
  std::vector<ClassId> ids;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    ids.push_back(class_of(text.substr(at, end - at), classes, table, line));
    at = end + 1;
  }
  return ids;
}

std::vector<AnnotationTask> read_tasks(const std::filesystem::path& path,
                                       const Vocabulary& classes) {
  const CsvTable table = read_csv(path);
  const int number = table.column("task");
  const int clip = table.column("clip");
  const int original = table.column("original");
  const int candidates = table.column("candidates");
  const int video = table.column("video");
  std::vector<AnnotationTask> tasks;
  for (const CsvRow& row : table.rows) {
    AnnotationTask task;
    task.number = number_in<int>(row.fields[number]).value_or(0);
    if (task.number <= (tasks.empty() ? 0 : tasks.back().number)) {
      throw Error("{}:{}: expected a task number greater than the previous one, found '{}'",
                  path.string(), row.line, row.fields[number]);
    }
    task.clip = row.fields[clip];
    if (!row.fields[original].empty()) {
      task.original = class_of(row.fields[original], classes, table, row.line);
    }
    task.candidates = candidates_in(row.fields[candidates], classes, table, row.line);
    if (task.original && std::find(task.candidates.begin(), task.candidates.end(),
                                   *task.original) == task.candidates.end()) {
      throw Error("{}:{}: the original label '{}' is not among the candidates", path.string(),
                  row.line, row.fields[original]);
    }
    task.video = row.fields[video];
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::vector<GoldClip> read_gold(const std::filesystem::path& path,
                                const AnnotationProject& project) {
  if (!std::filesystem::exists(path)) return {};
  const std::vector<AnnotationTask> tasks = read_tasks(path, project.classes);
  const CsvTable table = read_csv(path);
  const int labels = table.column("labels");
  std::vector<GoldClip> gold;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const int line = table.rows[i].line;
    const std::string& text = table.rows[i].fields[labels];
    if (project.find_task(tasks[i].number) != nullptr) {
      throw Error("{}:{}: task {} is in tasks.csv, too", path.string(), line, tasks[i].number);
    }
    GoldClip clip{tasks[i], {}};
    if (!text.empty()) clip.labels = candidates_in(text, project.classes, table, line);
    std::sort(clip.labels.begin(), clip.labels.end());
    gold.push_back(std::move(clip));
  }
  return gold;
}

std::string language_in(const Json& json, const std::filesystem::path& path) {
  if (!json.contains("language")) return "en";  // projects of older versions
  const auto language = json_value<std::string>(json, "language", path);
  const std::vector<std::string>& known = annotation_languages();
  if (std::find(known.begin(), known.end(), language) != known.end()) return language;
  throw Error("{}: unknown language '{}'; valid values: {}", path.string(), language,
              fmt::join(known, ", "));
}

}  // namespace

const std::vector<std::string>& annotation_languages() {
  static const std::vector<std::string> languages = {"en", "de"};
  return languages;
}

const AnnotationTask* AnnotationProject::find_task(int number) const {
  const auto place =
      std::lower_bound(tasks.begin(), tasks.end(), number,
                       [](const AnnotationTask& task, int wanted) { return task.number < wanted; });
  return place != tasks.end() && place->number == number ? &*place : nullptr;
}

const GoldClip* AnnotationProject::find_gold(int number) const {
  const auto place =
      std::lower_bound(gold.begin(), gold.end(), number,
                       [](const GoldClip& clip, int wanted) { return clip.task.number < wanted; });
  return place != gold.end() && place->task.number == number ? &*place : nullptr;
}

const AnnotationTask* AnnotationProject::find_shown(int number) const {
  const GoldClip* clip = find_gold(number);
  return clip != nullptr ? &clip->task : find_task(number);
}

AnnotationProject read_project_settings(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "project.json";
  if (!std::filesystem::exists(path)) {
    throw Error(
        "{}: is not an annotation project: it has no project.json; "
        "create one with 'manyverbs annotate prepare'",
        folder.string());
  }
  const Json json = read_json(path);
  const int format = json_value<int>(json, "format", path);
  if (format != kFormat) {
    throw Error(
        "{}: has format {}, expected {}: another version of manyverbs made this project; finish it "
        "with that version, or prepare it again in another folder",
        path.string(), format, kFormat);
  }
  AnnotationProject project;
  project.folder = folder;
  project.name = json_value<std::string>(json, "name", path);
  project.language = language_in(json, path);
  project.dataset = json_value<std::string>(json, "dataset", path);
  project.run = json_value<std::string>(json, "run", path);
  project.split = find_split(json_value<std::string>(json, "split", path));
  project.choice = json_value<std::string>(json, "choice", path);
  if (json.contains("runs")) {  // projects of older versions have no names and hashes
    project.runs = json_value<std::vector<std::string>>(json, "runs", path);
    project.models = json_value<std::vector<std::string>>(json, "models", path);
  } else {
    project.runs = {project.run.filename().string()};
  }
  project.count = json_value<int>(json, "count", path);
  project.candidates = json_value<int>(json, "candidates", path);
  project.seed = json_value<std::uint64_t>(json, "seed", path);
  project.clips_stamp = json_value<std::string>(json, "clips_stamp", path);
  project.classes = Vocabulary(json_value<std::vector<std::string>>(json, "classes", path));
  return project;
}

AnnotationProject read_project(const std::filesystem::path& folder) {
  AnnotationProject project = read_project_settings(folder);
  if (!std::filesystem::exists(folder / "tasks.csv")) {
    throw Error("{}: is incomplete; run the same 'manyverbs annotate prepare' again to resume",
                folder.string());
  }
  project.tasks = read_tasks(folder / "tasks.csv", project.classes);
  project.practice = read_tasks(folder / "practice.csv", project.classes);
  project.gold = read_gold(folder / "gold.csv", project);
  for (const AnnotationTask& task : project.practice) {
    if (task.original) continue;
    throw Error(
        "{}: clip '{}' has no original label; practice clips need one, because it is shown after "
        "each answer",
        (folder / "practice.csv").string(), task.clip);
  }
  return project;
}

void make_project_private(const AnnotationProject& project) {
  make_private(project.folder);
  for (const char* file : kFiles) make_private(project.folder / file);
}

void write_project_settings(const AnnotationProject& project) {
  make_private(project.folder);  // first, so that no file is readable before it is private
  write_json(project.folder / "project.json", {{"format", kFormat},
                                               {"name", project.name},
                                               {"language", project.language},
                                               {"dataset", project.dataset.string()},
                                               {"run", project.run.string()},
                                               {"split", split_name(project.split)},
                                               {"choice", project.choice},
                                               {"count", project.count},
                                               {"candidates", project.candidates},
                                               {"seed", project.seed},
                                               {"clips_stamp", project.clips_stamp},
                                               {"runs", project.runs},
                                               {"models", project.models},
                                               {"classes", project.classes.names()}});
  make_project_private(project);
}

void write_project_tasks(const AnnotationProject& project) {
  make_private(project.folder);
  if (!project.gold.empty()) {
    write_file(project.folder / "gold.csv", gold_text(project.gold, project.classes));
  }
  write_file(project.folder / "practice.csv", tasks_text(project.practice, project.classes));
  write_file(project.folder / "tasks.csv", tasks_text(project.tasks, project.classes));
  make_project_private(project);
}

std::filesystem::path answers_file(const AnnotationProject& project) {
  return project.folder / "answers.sqlite";
}

std::string tasks_stamp(const AnnotationProject& project) {
  std::string text = tasks_text(project.tasks, project.classes);
  for (const GoldClip& clip : project.gold) text += tasks_text({clip.task}, project.classes);
  return text_hash(text);
}

std::vector<ClassId> candidates_for(const AnnotationProject& project, const AnnotationTask& task,
                                    int person) {
  std::vector<ClassId> shuffled = task.candidates;
  // Sorted first, so that the result does not depend on the order of the model's scores.
  std::sort(shuffled.begin(), shuffled.end());
  constexpr std::uint64_t kFarApart = 1'000'003;
  Random random(project.seed, kFarApart * static_cast<std::uint64_t>(person) + task.number);
  random.shuffle(std::span(shuffled));
  return shuffled;
}

}  // namespace manyverbs
