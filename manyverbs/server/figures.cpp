// SPDX-License-Identifier: MIT
#include "manyverbs/server/figures.h"

#include <algorithm>
#include <cmath>

namespace manyverbs {
namespace {

constexpr int kEnoughToTell = 10;  // answers
constexpr Time kHour = 3'600'000;
constexpr std::size_t kHoursShown = 24;

double ratio(double part, double whole) { return whole > 0 ? part / whole : NAN; }

bool chose(const Answer& answer, ClassId verb) {
  return std::find(answer.chosen.begin(), answer.chosen.end(), verb) != answer.chosen.end();
}

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// How far an answer agrees with the others to its clip; NaN without any.
double agreement_with_others(const AnsweredClip& clip, int person, const Answer& answer) {
  double same = 0;
  double compared = 0;
  for (std::size_t i = 0; i < clip.answers.size(); ++i) {
    if (clip.people[i] == person) continue;
    for (const ClassId verb : clip.task->candidates) {
      same += chose(clip.answers[i], verb) == chose(answer, verb) ? 1 : 0;
      compared += 1;
    }
  }
  return ratio(same, compared);
}

// What a person's figures are made of.
struct PersonSums {
  double happening = 0;
  double found = 0;
  double verbs = 0;
  double agreement = 0;
  double compared = 0;
  std::vector<double> seconds;  // one for each answer

  void add(const AnsweredClip& clip, const StoredAnswer& stored) {
    const Answer& answer = stored.answer;
    happening += answer.nothing ? 0 : 1;
    found += chose(answer, clip.task->original) ? 1 : 0;
    verbs += static_cast<double>(answer.chosen.size());
    seconds.push_back(static_cast<double>(answer.milliseconds) / 1000);
    const double with_others = agreement_with_others(clip, stored.person, answer);
    if (std::isnan(with_others)) return;
    agreement += with_others;
    compared += 1;
  }

  PersonFigures figures(const AnnotationSettings& settings) const {
    PersonFigures figures{};
    figures.answers = static_cast<int>(seconds.size());
    figures.found = ratio(found, happening);
    figures.verbs_a_clip = ratio(verbs, figures.answers);
    figures.seconds_a_clip = median(seconds);
    figures.agreement = ratio(agreement, compared);
    if (figures.answers < kEnoughToTell) return figures;
    if (figures.found < settings.least_found) figures.warnings.emplace_back("found");
    if (figures.verbs_a_clip < settings.least_verbs) figures.warnings.emplace_back("verbs");
    return figures;
  }
};

std::vector<std::pair<Time, int>> hours_with_answers(std::span<const StoredAnswer> answers) {
  std::map<Time, int> hours;
  for (const StoredAnswer& answer : answers) {
    if (answer.current) ++hours[answer.time / kHour * kHour];
  }
  std::vector<std::pair<Time, int>> list(hours.begin(), hours.end());
  if (list.size() > kHoursShown) {
    list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(kHoursShown));
  }
  return list;
}

Agreement agreement_of(std::span<const AnsweredClip> clips, int num_classes) {
  std::vector<ClipChoices> choices;
  for (const AnsweredClip& clip : clips) {
    ClipChoices each{clip.task->candidates, {}};
    for (const Answer& answer : clip.answers) each.chosen.push_back(answer.chosen);
    choices.push_back(std::move(each));
  }
  return agreement(choices, num_classes);
}

void count_labels(const std::vector<ClassId>& labels, ProjectFigures* figures) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++figures->label_counts[labels[i]];
    for (std::size_t j = i + 1; j < labels.size(); ++j) {
      ++figures->label_pairs[{labels[i], labels[j]}];
    }
  }
}

}  // namespace

std::vector<PersonFigures> person_figures(const AnnotationProject& project,
                                          std::span<const StoredAnswer> answers,
                                          std::span<const Person> people,
                                          const AnnotationSettings& settings) {
  const std::vector<AnsweredClip> clips = answered_clips(project, answers, people);
  std::map<int, const AnsweredClip*> clip_of;
  for (const AnsweredClip& clip : clips) clip_of[clip.task->number] = &clip;
  std::map<int, PersonSums> sums_of;
  for (const StoredAnswer& stored : answers) {
    const auto clip = clip_of.find(stored.task);
    if (stored.current && clip != clip_of.end()) sums_of[stored.person].add(*clip->second, stored);
  }
  std::vector<PersonFigures> all;
  for (const Person& person : people) all.push_back(sums_of[person.id].figures(settings));
  return all;
}

ProjectFigures project_figures(const AnnotationProject& project,
                               std::span<const StoredAnswer> answers,
                               std::span<const Person> people, const AnnotationSettings& settings) {
  const std::vector<AnsweredClip> clips = answered_clips(project, answers, people);
  ProjectFigures figures{};
  figures.clips = static_cast<int>(clips.size());
  for (const AnsweredClip& clip : clips) {
    const auto count = static_cast<int>(clip.answers.size());
    figures.answers += count;
    figures.begun += count > 0 && count < settings.people ? 1 : 0;
  }
  double labels = 0;
  for (const FinalClip& clip : final_clips(clips, settings.people)) {
    ++figures.complete;
    if (clip.result.doubtful) {
      ++figures.doubtful;
      continue;
    }
    labels += static_cast<double>(clip.result.labels.size());
    count_labels(clip.result.labels, &figures);
  }
  figures.labels_a_clip = ratio(labels, figures.complete - figures.doubtful);
  figures.answers_per_hour = hours_with_answers(answers);
  figures.agreement = agreement_of(clips, project.classes.size());
  figures.disputes = static_cast<int>(disputes(clips).size());
  return figures;
}

std::vector<Dispute> disputes(std::span<const AnsweredClip> clips) {
  std::vector<Dispute> found;
  for (const AnsweredClip& clip : clips) {
    const auto people = static_cast<double>(clip.answers.size());
    if (people < 2) continue;
    double differing = 0;
    for (const ClassId verb : clip.task->candidates) {
      const auto chosen = static_cast<double>(
          std::count_if(clip.answers.begin(), clip.answers.end(),
                        [&](const Answer& answer) { return chose(answer, verb); }));
      differing += 2 * chosen * (people - chosen) / (people * (people - 1));
    }
    const double disagreement = differing / static_cast<double>(clip.task->candidates.size());
    if (disagreement > 0) found.push_back({&clip, disagreement});
  }
  std::stable_sort(found.begin(), found.end(), [](const Dispute& a, const Dispute& b) {
    return a.disagreement > b.disagreement;
  });
  return found;
}

}  // namespace manyverbs
