// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/finalising.h"

#include <algorithm>
#include <map>
#include <set>

namespace manyverbs {
namespace {

// In the order of Outcome.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOutcomes = {{
    {"kept", ""},
    {"doubtful", "more than half were not confident"},
    {"nothing", "more than half said that nothing happens"},
    {"other", "more than half said that none of the verbs applies"},
    {"no_verb", "no known original label, and no verb is kept"},
    {"incomplete", "not enough people answered"},
    {"unplayable", "people reported that it does not play"},
    {"left_out", "the leader left it out"},
}};

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)].first;
}

std::string_view outcome_reason(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)].second;
}

bool chose(const Answer& answer, ClassId verb) {
  return std::find(answer.chosen.begin(), answer.chosen.end(), verb) != answer.chosen.end();
}

FinalLabels final_labels(std::optional<ClassId> original, std::span<const Answer> answers) {
  const auto people = answers.size();
  std::size_t not_confident = 0;
  std::size_t nothing = 0;
  std::size_t other = 0;
  std::map<ClassId, std::size_t> chosen;
  for (const Answer& answer : answers) {
    not_confident += answer.confident ? 0 : 1;
    nothing += answer.nothing ? 1 : 0;
    other += answer.other ? 1 : 0;
    for (const ClassId verb : answer.chosen) ++chosen[verb];
  }
  if (2 * not_confident > people) return {Outcome::Doubtful, {}};
  if (2 * nothing > people) return {Outcome::Nothing, {}};
  if (2 * (nothing + other) > people) return {Outcome::Other, {}};
  std::set<ClassId> labels;
  if (original) labels.insert(*original);
  for (const auto& [verb, count] : chosen) {
    if (2 * count >= people) labels.insert(verb);
  }
  if (labels.empty()) return {Outcome::NoVerb, {}};
  return {Outcome::Kept, {labels.begin(), labels.end()}};
}

namespace {

// The answers to these clips.
std::vector<AnsweredClip> clips_with_answers(std::span<const AnnotationTask* const> tasks,
                                             std::span<const StoredAnswer> answers,
                                             std::span<const Person> people,
                                             std::span<const PlayReport> reports,
                                             std::span<const Decision> decisions = {}) {
  std::set<int> counted;
  for (const Person& person : people) {
    if (person.state != PersonState::Excluded) counted.insert(person.id);
  }
  std::vector<AnsweredClip> clips;
  std::map<int, std::size_t> place_of;
  for (const AnnotationTask* task : tasks) {
    place_of[task->number] = clips.size();
    clips.push_back({task, {}, {}, {}, {}});
  }
  for (const StoredAnswer& answer : answers) {
    const auto place = place_of.find(answer.task);
    if (!answer.current || !counted.contains(answer.person) || place == place_of.end()) continue;
    clips[place->second].people.push_back(answer.person);
    clips[place->second].answers.push_back(answer.answer);
  }
  for (const PlayReport& report : reports) {
    const auto place = place_of.find(report.task);
    if (!counted.contains(report.person) || place == place_of.end()) continue;
    clips[place->second].reported_by.push_back(report.person);
  }
  for (const Decision& decision : decisions) {
    const auto place = place_of.find(decision.task);
    if (decision.current && place != place_of.end()) clips[place->second].decision = decision;
  }
  return clips;
}

}  // namespace

std::vector<AnsweredClip> answered_clips(const AnnotationProject& project,
                                         std::span<const StoredAnswer> answers,
                                         std::span<const Person> people,
                                         std::span<const PlayReport> reports,
                                         std::span<const Decision> decisions) {
  std::vector<const AnnotationTask*> tasks;
  for (const AnnotationTask& task : project.tasks) tasks.push_back(&task);
  return clips_with_answers(tasks, answers, people, reports, decisions);
}

std::vector<AnsweredClip> reported_clips(const AnnotationProject& project,
                                         std::span<const StoredAnswer> answers,
                                         std::span<const Person> people,
                                         std::span<const PlayReport> reports) {
  std::vector<const AnnotationTask*> tasks;
  for (const AnnotationTask& task : project.tasks) tasks.push_back(&task);
  for (const GoldClip& clip : project.gold) tasks.push_back(&clip.task);
  std::vector<AnsweredClip> clips = clips_with_answers(tasks, answers, people, reports);
  std::erase_if(clips, [](const AnsweredClip& clip) { return clip.reported_by.empty(); });
  return clips;
}

FinalLabels final_result(const AnsweredClip& clip, int people, const FinalLabels& by_rule) {
  if (clip.decision) {
    return {clip.decision->leaves_out() ? Outcome::LeftOut : Outcome::Kept, clip.decision->labels};
  }
  if (std::ssize(clip.answers) >= people) return by_rule;
  const bool given_up = std::ssize(clip.reported_by) >= people;
  return {given_up ? Outcome::Unplayable : Outcome::Incomplete, {}};
}

std::vector<FinalClip> final_clips(std::span<const AnsweredClip> clips, int people) {
  std::vector<FinalClip> result;
  for (const AnsweredClip& clip : clips) {
    const FinalLabels by_rule = final_labels(clip.task->original, clip.answers);
    result.push_back({clip.task, final_result(clip, people, by_rule), {}, clip.decision});
  }
  return result;
}

}  // namespace manyverbs
