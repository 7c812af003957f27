// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/statistics.h"

#include <algorithm>
#include <cmath>

namespace manyverbs {
namespace {

constexpr int kMinimumAnswers = 10;  // answers
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

// The keys pressed for an answer: "0,3", or "nothing".
std::string keys_of(const AnnotationProject& project, const AnnotationTask& task,
                    const StoredAnswer& stored) {
  if (stored.answer.nothing) return "nothing";
  const std::vector<ClassId> order = candidates_for(project, task, stored.person);
  std::string keys;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (chose(stored.answer, order[i])) keys += std::to_string(i) + ",";
  }
  return keys;
}

// Collects the statistics of one person.
class PersonSums {
 public:
  void add(const AnnotationProject& project, const AnsweredClip& clip, const StoredAnswer& stored) {
    const Answer& answer = stored.answer;
    if (clip.task->original && !answer.nothing) {
      happening_ += 1;
      found_ += chose(answer, *clip.task->original) ? 1 : 0;
    }
    const auto verbs = static_cast<double>(answer.chosen.size());
    verbs_ += verbs;
    shares_ += verbs / static_cast<double>(clip.task->candidates.size());
    seconds_.push_back(static_cast<double>(answer.milliseconds) / 1000);
    same_keys_ = std::max(same_keys_, ++keys_[keys_of(project, *clip.task, stored)]);
    SharedClip shared{clip.task->candidates, answer.chosen, {}};
    for (std::size_t i = 0; i < clip.answers.size(); ++i) {
      if (clip.people[i] != stored.person) shared.others.emplace_back(clip.answers[i].chosen);
    }
    if (!shared.others.empty()) shared_.push_back(std::move(shared));
  }

  PersonStatistics statistics(const AnnotationSettings& settings) const {
    PersonStatistics statistics{};
    statistics.answers = static_cast<int>(seconds_.size());
    statistics.found = ratio(found_, happening_);
    statistics.verbs_per_clip = ratio(verbs_, statistics.answers);
    statistics.chosen_share = ratio(shares_, statistics.answers);
    statistics.seconds_per_clip = median(seconds_);
    statistics.same_keys = ratio(same_keys_, statistics.answers);
    statistics.compared = static_cast<int>(shared_.size());
    statistics.agreement = kappa_with_others(shared_);
    statistics.warnings = warnings_of(statistics, settings);
    return statistics;
  }

 private:
  // Comparisons with NaN are false, so undefined values give no warning.
  static std::vector<std::string> warnings_of(const PersonStatistics& statistics,
                                              const AnnotationSettings& settings) {
    std::vector<std::string> warnings;
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

  double happening_ = 0;  // answers with an action, to clips with an original
  double found_ = 0;
  double verbs_ = 0;
  double shares_ = 0;
  std::vector<double> seconds_;  // one per answer
  std::map<std::string, int> keys_;
  int same_keys_ = 0;
  std::vector<SharedClip> shared_;  // refers to the added answers
};

// Equal scores have the same rank.
void rank_by_score(std::vector<PersonStatistics>* all) {
  for (PersonStatistics& each : *all) {
    if (!each.quality) continue;
    const double score = each.quality->score();
    each.rank = 1 + static_cast<int>(
                        std::count_if(all->begin(), all->end(), [&](const PersonStatistics& other) {
                          return other.quality && other.quality->score() > score;
                        }));
  }
}

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

void count_labels(const std::vector<ClassId>& labels, ProjectStatistics* statistics) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++statistics->label_counts[labels[i]];
    for (std::size_t j = i + 1; j < labels.size(); ++j) {
      ++statistics->label_pairs[{labels[i], labels[j]}];
    }
  }
}

}  // namespace

std::vector<PersonStatistics> person_statistics(const AnnotationProject& project,
                                                std::span<const StoredAnswer> answers,
                                                std::span<const Person> people,
                                                const AnnotationSettings& settings) {
  const std::vector<AnsweredClip> clips = answered_clips(project, answers, people);
  std::map<int, const AnsweredClip*> clip_of;
  for (const AnsweredClip& clip : clips) clip_of[clip.task->number] = &clip;
  std::map<int, PersonSums> sums_of;
  for (const StoredAnswer& stored : answers) {
    const auto clip = clip_of.find(stored.task);
    if (!stored.current || clip == clip_of.end()) continue;
    sums_of[stored.person].add(project, *clip->second, stored);
  }
  const AnswerModel model = model_answers(clips);
  std::vector<PersonStatistics> all;
  for (const Person& person : people) {
    all.push_back(sums_of[person.id].statistics(settings));
    const auto quality = model.people.find(person.id);
    if (quality != model.people.end()) all.back().quality = quality->second;
  }
  rank_by_score(&all);
  return all;
}

ProjectStatistics project_statistics(const AnnotationProject& project,
                                     std::span<const StoredAnswer> answers,
                                     std::span<const Person> people,
                                     std::span<const PlayReport> reports,
                                     const AnnotationSettings& settings) {
  const std::vector<AnsweredClip> clips = answered_clips(project, answers, people, reports);
  ProjectStatistics statistics{};
  statistics.clips = static_cast<int>(clips.size());
  for (const AnsweredClip& clip : clips) {
    const auto count = static_cast<int>(clip.answers.size());
    statistics.answers += count;
    statistics.begun += count > 0 && count < settings.people ? 1 : 0;
    statistics.complete += count >= settings.people ? 1 : 0;
    statistics.reported += clip.reported_by.empty() ? 0 : 1;
  }
  double labels = 0;
  for (const FinalClip& clip : final_clips(clips, settings.people)) {
    ++statistics.outcomes[clip.result.outcome];
    labels += static_cast<double>(clip.result.labels.size());
    count_labels(clip.result.labels, &statistics);
  }
  statistics.labels_per_clip = ratio(labels, statistics.outcomes[Outcome::Kept]);
  statistics.answers_per_hour = hours_with_answers(answers);
  statistics.agreement = agreement_of(clips, project.classes.size());
  statistics.disputes = static_cast<int>(disputes(clips).size());
  return statistics;
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
