// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/annotator_api.h"

#include <algorithm>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/request_body.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

constexpr std::int64_t kDay = 86'400'000;  // milliseconds

Json progress_json(const AnnotatorProgress& progress) {
  return {{"done", progress.done}, {"total", progress.total}};
}

Json class_json(ClassId id, const Vocabulary& classes) {
  return {{"class", id}, {"name", classes.name(id)}};
}

Json answer_json(const Answer& answer) {
  return {{"chosen", answer.chosen},
          {"confident", answer.confident},
          {"nothing", answer.nothing},
          {"milliseconds", answer.milliseconds}};
}

// The answer in a request body, checked against the task. Its verbs are sorted, so that equal
// answers compare equal.
Answer answer_in(const Json& body, const AnnotationTask& task) {
  const Json json = body_value<Json>(body, "answer");
  Answer answer;
  answer.chosen = body_value<std::vector<ClassId>>(json, "chosen");
  answer.confident = body_value<bool>(json, "confident");
  answer.nothing = body_value<bool>(json, "nothing");
  answer.milliseconds = body_value<std::int64_t>(json, "milliseconds");
  std::sort(answer.chosen.begin(), answer.chosen.end());
  for (std::size_t i = 0; i < answer.chosen.size(); ++i) {
    const ClassId verb = answer.chosen[i];
    if (std::find(task.candidates.begin(), task.candidates.end(), verb) == task.candidates.end()) {
      throw HttpError(400, "class {} is not a candidate of clip {}", verb, task.number);
    }
    if (i > 0 && verb == answer.chosen[i - 1]) {
      throw HttpError(400, "class {} is chosen twice", verb);
    }
  }
  if (answer.chosen.empty() != answer.nothing) {
    throw HttpError(400, "choose a verb, or say that nothing happens, not both");
  }
  if (answer.milliseconds < 0 || answer.milliseconds > kDay) {
    throw HttpError(400, "invalid answer time: {} milliseconds", answer.milliseconds);
  }
  return answer;
}

}  // namespace

std::string AnnotatorApi::key_of(const Person& person) const {
  return fmt::format("{}-{}", person.id, project_id_);
}

void AnnotatorApi::require_same(const Person& person, const std::string& key) const {
  if (key.empty() || key == key_of(person)) return;
  throw HttpError(401, "another personal link was opened in this browser: open yours again");
}

const AnnotationTask& AnnotatorApi::task_in(const Json& body) const {
  const int number = body_value<int>(body, "task");
  const AnnotationTask* task = project_->find_task(number);
  if (task == nullptr) throw HttpError(404, "clip {} does not exist", number);
  return *task;
}

Json AnnotatorApi::task_json(const AnnotationTask& task, int person) const {
  Json candidates = Json::array();
  for (const ClassId id : candidates_for(*project_, task, person)) {
    candidates.push_back(class_json(id, project_->classes));
  }
  return {{"task", task.number}, {"video", "/" + task.video}, {"candidates", candidates}};
}

Json AnnotatorApi::me(const Person& person, Time now) {
  store_->seen(person.id, now);
  return {
      {"key", key_of(person)},         {"name", person.name},
      {"project", project_->name},     {"state", state_name(person.state)},
      {"practised", person.practised}, {"progress", progress_json(store_->progress(person.id))}};
}

Json AnnotatorApi::guide() const {
  Json definitions = Json::array();
  for (const auto& [id, text] : guide_.definitions) {
    definitions.push_back({{"class", id}, {"definition", text}});
  }
  return {{"instructions", guide_.instructions},
          {"definitions", definitions},
          {"strings", guide_.strings}};
}

Json AnnotatorApi::next(const Person& person, Time now) {
  const std::shared_ptr<const ClipValues> values = values_.values(*project_, store_, now);
  const AnnotationStore::Assignment held = store_->next_tasks(person.id, now, *values);
  Json tasks = Json::array();
  for (const int number : held.tasks) {
    tasks.push_back(task_json(*project_->find_task(number), person.id));
  }
  return {{"tasks", tasks}, {"progress", progress_json(held.progress)}, {"waiting", held.waiting}};
}

Json AnnotatorApi::save(const Person& person, const Json& body, Time now) {
  const AnnotationTask& task = task_in(body);
  const Answer answer = answer_in(body, task);
  return {{"progress", progress_json(store_->save(person.id, task.number, answer, now))}};
}

Json AnnotatorApi::report(const Person& person, const Json& body, Time now) {
  return {{"progress", progress_json(store_->report(person.id, task_in(body).number, now))}};
}

Json AnnotatorApi::earlier(const Person& person, const std::string& before) {
  const auto number = before.empty() ? 0 : number_in<int>(before);
  if (!number) throw HttpError(400, "'{}' is not a clip number", before);
  const std::optional<StoredAnswer> found = store_->earlier(person.id, *number);
  if (!found) return {{"task", nullptr}, {"answer", nullptr}};
  return {{"task", task_json(*project_->find_task(found->task), person.id)},
          {"answer", answer_json(found->answer)}};
}

Json AnnotatorApi::practice(const Person& person) {
  Json tasks = Json::array();
  for (const AnnotationTask& task : project_->practice) {
    tasks.push_back(task_json(task, person.id));
  }
  return {{"tasks", tasks}};
}

Json AnnotatorApi::check_practice(const Json& body) {
  const int number = body_value<int>(body, "task");
  for (const AnnotationTask& task : project_->practice) {
    if (task.number != number) continue;
    const Answer answer = answer_in(body, task);
    const bool found =
        std::binary_search(answer.chosen.begin(), answer.chosen.end(), *task.original);
    return {{"original", class_json(*task.original, project_->classes)}, {"found", found}};
  }
  throw HttpError(404, "practice clip {} does not exist", number);
}

Json AnnotatorApi::finish_practice(const Person& person) {
  store_->set_practised(person.id);
  return Json::object();
}

}  // namespace manyverbs
