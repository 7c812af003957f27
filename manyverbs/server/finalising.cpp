// SPDX-License-Identifier: MIT
#include "manyverbs/server/finalising.h"

#include <algorithm>
#include <map>
#include <set>

namespace manyverbs {

FinalLabels final_labels(ClassId original, std::span<const Answer> answers) {
  const auto people = answers.size();
  std::size_t not_confident = 0;
  std::map<ClassId, std::size_t> chosen;
  for (const Answer& answer : answers) {
    not_confident += answer.confident ? 0 : 1;
    for (const ClassId verb : answer.chosen) ++chosen[verb];
  }
  std::set<ClassId> labels = {original};
  for (const auto& [verb, count] : chosen) {
    if (2 * count >= people) labels.insert(verb);
  }
  return {2 * not_confident > people, {labels.begin(), labels.end()}};
}

std::vector<AnsweredClip> answered_clips(const AnnotationProject& project,
                                         std::span<const StoredAnswer> answers,
                                         std::span<const Person> people) {
  std::set<int> counted;
  for (const Person& person : people) {
    if (person.state != PersonState::Excluded) counted.insert(person.id);
  }
  std::vector<AnsweredClip> clips;
  std::map<int, std::size_t> place_of;
  for (const AnnotationTask& task : project.tasks) {
    place_of[task.number] = clips.size();
    clips.push_back({&task, {}, {}});
  }
  for (const StoredAnswer& answer : answers) {
    const auto place = place_of.find(answer.task);
    if (!answer.current || !counted.contains(answer.person) || place == place_of.end()) continue;
    clips[place->second].people.push_back(answer.person);
    clips[place->second].answers.push_back(answer.answer);
  }
  return clips;
}

std::vector<FinalClip> final_clips(std::span<const AnsweredClip> clips, int people) {
  std::vector<FinalClip> result;
  for (const AnsweredClip& clip : clips) {
    if (std::ssize(clip.answers) < people) continue;
    result.push_back({clip.task, static_cast<int>(clip.answers.size()),
                      final_labels(clip.task->original, clip.answers)});
  }
  return result;
}

}  // namespace manyverbs
