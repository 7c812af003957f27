// SPDX-License-Identifier: MIT
#include <algorithm>

#include "manyverbs/server/internal/statistics.h"

namespace manyverbs {
namespace {

std::string name_of(int id, std::span<const Person> people) {
  const auto place = std::find_if(people.begin(), people.end(),
                                  [&](const Person& person) { return person.id == id; });
  return place == people.end() ? std::to_string(id) : place->name;
}

// Names of the people whose answer meets the condition.
template <typename Test>
std::vector<std::string> names_where(const AnsweredClip& clip, std::span<const Person> people,
                                     Test test) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < clip.answers.size(); ++i) {
    if (test(clip.answers[i])) names.push_back(name_of(clip.people[i], people));
  }
  return names;
}

Json candidates_json(const AnnotationProject& project, const AnsweredClip& clip,
                     std::span<const Person> people, const FinalLabels& result) {
  std::vector<Json> list;
  for (const ClassId verb : clip.task->candidates) {
    const std::vector<std::string> names =
        names_where(clip, people, [&](const Answer& answer) { return chose(answer, verb); });
    const bool kept =
        std::find(result.labels.begin(), result.labels.end(), verb) != result.labels.end();
    list.push_back({{"class", verb},
                    {"name", project.classes.name(verb)},
                    {"chosen_by", names},
                    {"kept", kept}});
  }
  std::stable_sort(list.begin(), list.end(), [](const Json& a, const Json& b) {
    return a["chosen_by"].size() > b["chosen_by"].size();
  });
  return list;
}

Json decision_json(const AnnotationProject& project, const Decision& decision) {
  Json labels = Json::array();
  for (const ClassId id : decision.labels) {
    labels.push_back({{"class", id}, {"name", project.classes.name(id)}});
  }
  return {{"labels", labels}, {"reason", decision.reason}, {"time", time_text(decision.time)}};
}

Json rate_json(const EstimatedRate& rate) {
  return {{"value", rate.value}, {"low", rate.low}, {"high", rate.high}};
}

Json quality_json(const PersonStatistics& statistics) {
  if (!statistics.quality) return nullptr;
  return {{"rank", statistics.rank},
          {"score", statistics.quality->score()},
          {"sensitivity", rate_json(statistics.quality->sensitivity)},
          {"specificity", rate_json(statistics.quality->specificity)}};
}

}  // namespace

Json person_json(const Person& person, const PersonStatistics& statistics) {
  return {{"id", person.id},
          {"name", person.name},
          {"state", state_name(person.state)},
          {"practised", person.practised},
          {"last_seen", person.last_seen ? Json(time_text(*person.last_seen)) : Json(nullptr)},
          {"answers", statistics.answers},
          {"found", number_or_null(statistics.found)},
          {"verbs_per_clip", number_or_null(statistics.verbs_per_clip)},
          {"chosen_share", number_or_null(statistics.chosen_share)},
          {"seconds_per_clip", number_or_null(statistics.seconds_per_clip)},
          {"same_keys", number_or_null(statistics.same_keys)},
          {"compared", statistics.compared},
          {"agreement", number_or_null(statistics.agreement)},
          {"quality", quality_json(statistics)},
          {"gold", gold_json(statistics.gold)},
          {"paused_for", person.paused_for},
          {"link", link_state_name(person.link)},
          {"devices", person.devices},
          {"warnings", statistics.warnings}};
}

Json overview_json(const AnnotationProject& project, const AnnotationSettings& settings,
                   std::span<const Person> people, const ProjectStatistics& statistics,
                   std::span<const PersonStatistics> person_statistics) {
  Json hours = Json::array();
  for (const auto& [hour, answers] : statistics.answers_per_hour) {
    hours.push_back({{"hour", time_text(hour)}, {"answers", answers}});
  }
  Json persons = Json::array();
  for (std::size_t i = 0; i < people.size(); ++i) {
    persons.push_back(person_json(people[i], person_statistics[i]));
  }
  Json clips = {
      {"total", statistics.clips}, {"complete", statistics.complete}, {"begun", statistics.begun}};
  for (const Outcome outcome : kLeftOut) {
    const auto count = statistics.outcomes.find(outcome);
    clips[std::string(outcome_name(outcome))] =
        count == statistics.outcomes.end() ? 0 : count->second;
  }
  clips["settled"] = statistics.settled;
  const Agreement& agreement = statistics.agreement;
  return {{"project", project.name},
          {"settings", settings_json(settings)},
          {"gold", project.gold.size()},
          {"clips", clips},
          {"answers", statistics.answers},
          {"answers_per_hour", hours},
          {"agreement",
           {{"kappa_per_verb", number_or_null(agreement.kappa_per_verb)},
            {"kappa_pooled", number_or_null(agreement.kappa_pooled)},
            {"kappa_per_clip", number_or_null(agreement.kappa_per_clip)},
            {"alpha", number_or_null(agreement.alpha)}}},
          {"labels_per_clip", number_or_null(statistics.labels_per_clip)},
          {"people", persons},
          {"disputes", statistics.disputes},
          {"reported", statistics.reported},
          {"remarks", statistics.remarks},
          {"other_verbs", statistics.other_verbs}};
}

Json report_json(const AnsweredClip& clip, std::span<const Person> people, int needed) {
  std::vector<std::string> names;
  names.reserve(clip.reported_by.size());
  for (const int id : clip.reported_by) names.push_back(name_of(id, people));
  return {{"task", clip.task->number},
          {"clip", clip.task->clip},
          {"video", "/" + clip.task->video},
          {"answers", clip.answers.size()},
          {"reported_by", names},
          {"given_up", std::ssize(clip.reported_by) >= needed}};
}

Json clip_json(const AnnotationProject& project, const AnsweredClip& clip,
               std::span<const Person> people) {
  // The result of the answers so far, even if there are not enough.
  const FinalLabels result = final_result(clip, 0, final_labels(clip.task->original, clip.answers));
  std::vector<std::string> reporters;
  for (const int id : clip.reported_by) reporters.push_back(name_of(id, people));
  return {
      {"task", clip.task->number},
      {"clip", clip.task->clip},
      {"video", "/" + clip.task->video},
      {"original",
       clip.task->original ? Json(project.classes.name(*clip.task->original)) : Json(nullptr)},
      {"answers", clip.answers.size()},
      {"candidates", candidates_json(project, clip, people, result)},
      {"not_confident",
       names_where(clip, people, [](const Answer& answer) { return !answer.confident; })},
      {"nothing", names_where(clip, people, [](const Answer& answer) { return answer.nothing; })},
      {"other", names_where(clip, people, [](const Answer& answer) { return answer.other; })},
      {"reported_by", reporters},
      {"outcome", outcome_name(result.outcome)},
      {"decision", clip.decision ? decision_json(project, *clip.decision) : Json(nullptr)}};
}

}  // namespace manyverbs
