// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/statistics.h"

#include <algorithm>

#include "manyverbs/server/internal/round_statistics.h"

namespace manyverbs {
namespace {

constexpr int kMinimumAnswers = 10;  // answers
}  // namespace

// Comparisons with NaN are false, so undefined values give no warning.
std::vector<std::string> warnings_of(const PersonStatistics& statistics,
                                     const AnnotationSettings& settings) {
  std::vector<std::string> warnings;
  if (fails_gold(statistics.gold, settings)) warnings.emplace_back("gold");
  if (statistics.answers < kMinimumAnswers) return warnings;
  const auto warn = [&](bool is_bad, const char* warning) {
    if (is_bad) warnings.emplace_back(warning);
  };
  warn(statistics.found < settings.least_found, "found");
  warn(statistics.verbs_per_clip < settings.least_verbs, "few_verbs");
  warn(statistics.chosen_share > settings.most_chosen, "many_verbs");
  warn(statistics.seconds_per_clip < settings.least_seconds, "fast");
  warn(statistics.same_keys > settings.most_same_keys, "same_keys");
  warn(statistics.compared >= kMinimumAnswers && statistics.agreement < settings.least_agreement,
       "agreement");
  return warnings;
}

void set_quality(std::span<const Person> people, const AnswerModel& model,
                 std::vector<PersonStatistics>* all) {
  for (std::size_t i = 0; i < people.size(); ++i) {
    const auto quality = model.people.find(people[i].id);
    const bool counts = people[i].state != PersonState::Excluded;
    if (counts && quality != model.people.end()) (*all)[i].quality = quality->second;
  }
  for (PersonStatistics& each : *all) {
    if (!each.quality) continue;
    const double score = each.quality->score();
    each.rank = 1 + static_cast<int>(
                        std::count_if(all->begin(), all->end(), [&](const PersonStatistics& other) {
                          return other.quality && other.quality->score() > score;
                        }));
  }
}

std::vector<PersonStatistics> person_statistics(const AnnotationProject& project,
                                                std::span<const StoredAnswer> answers,
                                                std::span<const Person> people,
                                                const AnnotationSettings& settings,
                                                std::span<const Decision> decisions) {
  RoundStatistics round(&project);
  round.update(answers, people, {}, decisions);
  std::vector<PersonStatistics> all = round.people(settings);
  set_quality(people, model_answers(round.clips()), &all);
  return all;
}

ProjectStatistics project_statistics(const AnnotationProject& project,
                                     std::span<const StoredAnswer> answers,
                                     std::span<const Person> people,
                                     std::span<const PlayReport> reports,
                                     const AnnotationSettings& settings,
                                     std::span<const Decision> decisions) {
  RoundStatistics round(&project);
  round.update(answers, people, reports, decisions);
  return round.project(settings);
}

std::vector<Dispute> disputes(std::span<const AnsweredClip> clips) {
  std::vector<Dispute> found;
  for (const AnsweredClip& clip : clips) {
    const auto people = static_cast<double>(clip.answers.size());
    if (people < 2 || clip.decision) continue;
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
