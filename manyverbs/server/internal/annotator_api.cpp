// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/annotator_api.h"

#include <algorithm>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/request_body.h"
#include "manyverbs/server/internal/remarks.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

constexpr std::int64_t kDay = 86'400'000;  // milliseconds
constexpr std::int64_t kOldestAnswer = 60 * kDay;

Json progress_json(const AnnotatorProgress& progress) {
  return {{"done", progress.done}, {"total", progress.total}};
}

Json over_json(AnnotationStore::Over over) {
  if (over == AnnotationStore::Over::No) return nullptr;
  return over == AnnotationStore::Over::Closed ? "closed" : "quota";
}

Json class_json(ClassId id, const Vocabulary& classes) {
  return {{"class", id}, {"name", classes.name(id)}};
}

Json answer_json(const Answer& answer) {
  return {{"chosen", answer.chosen},   {"confident", answer.confident},
          {"nothing", answer.nothing}, {"milliseconds", answer.milliseconds},
          {"other", answer.other},     {"other_verb", answer.other_verb},
          {"flagged", answer.flagged}, {"comment", answer.comment}};
}

// The value of a key, or a default: pages of earlier versions do not send all keys.
template <typename T>
T value_or(const Json& body, const std::string& key, T otherwise) {
  return body.contains(key) ? body_value<T>(body, key) : otherwise;
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
  answer.other = value_or(json, "other", false);
  answer.other_verb = normalised_verb(value_or(json, "other_verb", std::string()));
  answer.flagged = value_or(json, "flagged", false);
  answer.comment = normalised_comment(value_or(json, "comment", std::string()));
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
  const int kinds =
      (answer.chosen.empty() ? 0 : 1) + (answer.nothing ? 1 : 0) + (answer.other ? 1 : 0);
  if (kinds != 1) {
    throw HttpError(
        400, "expected one of: verbs, 'nothing happens', 'none of these verbs'; found {}", kinds);
  }
  if (!answer.other && !answer.other_verb.empty()) {
    throw HttpError(400, "a verb can be entered only with 'none of these verbs'");
  }
  if (answer.milliseconds < 0 || answer.milliseconds > kDay) {
    throw HttpError(400, "invalid answer time: {} milliseconds", answer.milliseconds);
  }
  return answer;
}

void require_practised(const Person& person) {
  if (!person.practised) throw HttpError(403, "finish the practice first");
}

}  // namespace

std::string AnnotatorApi::key_of(const Person& person) const {
  return fmt::format("{}-{}", person.id, project_id_);
}

void AnnotatorApi::require_same(const Person& person, const std::string& key) const {
  if (key.empty() || key == key_of(person)) return;
  throw HttpError(401, "another personal link was opened in this browser; ask for a new one");
}

const AnnotationTask& AnnotatorApi::task_in(const Json& body) const {
  const int number = body_value<int>(body, "task");
  const AnnotationTask* task = project_->find_shown(number);
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
  return {{"key", key_of(person)},
          {"name", person.name},
          {"project", project_->name},
          {"state", state_name(person.state)},
          {"practised", person.practised},
          {"paused_for", person.paused_for},
          {"progress", progress_json(store_->progress(person.id, now))}};
}

Json AnnotatorApi::guide() {
  const std::shared_ptr<const AnnotatorGuide> guide = guide_.guide();
  Json definitions = Json::array();
  for (const auto& [id, text] : guide->definitions) {
    definitions.push_back({{"class", id}, {"definition", text}});
  }
  return {{"instructions", guide->instructions},
          {"definitions", definitions},
          {"strings", guide->strings}};
}

Json AnnotatorApi::next(const Person& person, Time now) {
  require_practised(person);
  const std::shared_ptr<const ClipValues> values = values_.values(*project_, store_, now);
  const AnnotationStore::Assignment held = store_->next_tasks(person.id, now, *values);
  Json tasks = Json::array();
  for (const int number : held.tasks) {
    tasks.push_back(task_json(*project_->find_shown(number), person.id));
  }
  return {{"tasks", tasks},
          {"progress", progress_json(held.progress)},
          {"waiting", held.waiting},
          {"over", over_json(held.over)}};
}

Json AnnotatorApi::save(const Person& person, const Json& body, Time now) {
  require_practised(person);
  const AnnotationTask& task = task_in(body);
  const Answer answer = answer_in(body, task);
  const Time age = value_or<std::int64_t>(body, "age", 0);
  if (age < 0 || age > kOldestAnswer) {
    throw HttpError(400, "age: expected 0 to {} milliseconds, found {}", kOldestAnswer, age);
  }
  return {{"progress", progress_json(store_->save(person.id, task.number, answer, now, age))}};
}

Json AnnotatorApi::report(const Person& person, const Json& body, Time now) {
  require_practised(person);
  return {{"progress", progress_json(store_->report(person.id, task_in(body).number, now))}};
}

Json AnnotatorApi::earlier(const Person& person, const std::string& before) {
  const auto number = before.empty() ? 0 : number_in<int>(before);
  if (!number) throw HttpError(400, "'{}' is not a clip number", before);
  const std::optional<StoredAnswer> found = store_->earlier(person.id, *number);
  if (!found) return {{"task", nullptr}, {"answer", nullptr}};
  return {{"task", task_json(*project_->find_shown(found->task), person.id)},
          {"answer", answer_json(found->answer)}};
}

Json AnnotatorApi::practice(const Person& person) {
  Json tasks = Json::array();
  for (const AnnotationTask& task : project_->practice) {
    tasks.push_back(task_json(task, person.id));
  }
  return {{"tasks", tasks}, {"answered", store_->practised_clips(person.id)}};
}

Json AnnotatorApi::check_practice(const Person& person, const Json& body) {
  const int number = body_value<int>(body, "task");
  for (const AnnotationTask& task : project_->practice) {
    if (task.number != number) continue;
    const Answer answer = answer_in(body, task);
    const bool found =
        std::binary_search(answer.chosen.begin(), answer.chosen.end(), *task.original);
    store_->add_practised_clip(person.id, number);
    return {{"original", class_json(*task.original, project_->classes)}, {"found", found}};
  }
  throw HttpError(404, "practice clip {} does not exist", number);
}

Json AnnotatorApi::finish_practice(const Person& person) {
  const std::set<int> answered = store_->practised_clips(person.id);
  const auto done =
      std::count_if(project_->practice.begin(), project_->practice.end(),
                    [&](const AnnotationTask& task) { return answered.contains(task.number); });
  if (!person.practised && done < std::ssize(project_->practice)) {
    throw HttpError(409, "answer all practice clips first: found {} of {}", done,
                    project_->practice.size());
  }
  store_->set_practised(person.id);
  return Json::object();
}

}  // namespace manyverbs
