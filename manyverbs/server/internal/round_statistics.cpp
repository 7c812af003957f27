// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/round_statistics.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "manyverbs/server/internal/remarks.h"

namespace manyverbs {
namespace {

constexpr Time kHour = 3'600'000;
constexpr std::ptrdiff_t kHoursShown = 24;

double ratio(double part, double whole) { return whole > 0 ? part / whole : NAN; }

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// The keys pressed for an answer: "0,3", "nothing" or "other".
std::string keys_of(const AnnotationProject& project, const AnnotationTask& task,
                    const StoredAnswer& stored) {
  if (stored.answer.nothing) return "nothing";
  if (stored.answer.other) return "other";
  const std::vector<ClassId> order = candidates_for(project, task, stored.person);
  std::string keys;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (chose(stored.answer, order[i])) keys += std::to_string(i) + ",";
  }
  return keys;
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

RoundStatistics::RoundStatistics(const AnnotationProject* project) : project_(project) {
  clips_.reserve(project->tasks.size());
  for (const AnnotationTask& task : project->tasks) clips_.push_back({&task, {}, {}, {}, {}});
  summaries_.resize(clips_.size());
  changed_ = std::vector<bool>(clips_.size(), true);
}

// The number of clips if there is no such task.
std::size_t RoundStatistics::place_of(int task) const {
  const AnnotationTask* found = project_->find_task(task);
  return found == nullptr ? clips_.size() : found - project_->tasks.data();
}

void RoundStatistics::update(std::span<const StoredAnswer> answers, std::span<const Person> people,
                             std::span<const PlayReport> reports,
                             std::span<const Decision> decisions) {
  for (const StoredAnswer& answer : answers) add(answer);
  set_people(people);
  forget_deleted_people();
  set_reports(reports);
  set_decisions(decisions);
  std::set<int> touched;
  for (std::size_t place = 0; place < clips_.size(); ++place) {
    if (!changed_[place]) continue;
    compute(place);
    for (const StoredAnswer& stored : summaries_[place].given) {
      shares_[stored.person][stored.task] = share_of(place, stored);
      touched.insert(stored.person);
    }
    changed_[place] = false;
    ++version_;
  }
  for (const int person : touched) sums_[person] = sum_of(shares_[person]);
}

void RoundStatistics::add(const StoredAnswer& answer) {
  const std::size_t place = place_of(answer.task);
  if (!answer.current) return;
  answering_.insert(answer.person);
  if (project_->find_gold(answer.task) != nullptr) {
    gold_[answer.person][answer.task] = answer.answer;
  }
  if (place == clips_.size()) return;
  std::vector<StoredAnswer>& given = summaries_[place].given;
  const auto before = std::find_if(given.begin(), given.end(), [&](const StoredAnswer& each) {
    return each.person == answer.person;
  });
  if (before != given.end()) {
    uncount_hour(before->time);
    given.erase(before);
  }
  given.push_back(answer);
  ++hours_[answer.time / kHour * kHour];
  changed_[place] = true;
}

void RoundStatistics::uncount_hour(Time time) {
  const auto hour = hours_.find(time / kHour * kHour);
  if (--hour->second == 0) hours_.erase(hour);
}

void RoundStatistics::set_people(std::span<const Person> people) {
  listed_.clear();
  for (const Person& person : people) {
    listed_.push_back(person.id);
    const bool counts = person.state != PersonState::Excluded;
    const auto [known, is_new] = counts_.emplace(person.id, counts);
    if (!is_new && known->second == counts) continue;
    known->second = counts;
    for (const auto& [task, share] : shares_[person.id]) changed_[place_of(task)] = true;
    for (const PlayReport& report : reports_) {
      if (report.person == person.id) changed_[place_of(report.task)] = true;
    }
  }
}

void RoundStatistics::forget_deleted_people() {
  std::set<int> deleted = answering_;
  for (const int person : listed_) deleted.erase(person);
  if (deleted.empty()) return;
  for (std::size_t place = 0; place < clips_.size(); ++place) {
    std::erase_if(summaries_[place].given, [&](const StoredAnswer& stored) {
      if (!deleted.contains(stored.person)) return false;
      uncount_hour(stored.time);
      changed_[place] = true;
      return true;
    });
  }
  for (const int person : deleted) {
    answering_.erase(person);
    shares_.erase(person);
    sums_.erase(person);
    counts_.erase(person);
    gold_.erase(person);
  }
}

void RoundStatistics::set_reports(std::span<const PlayReport> reports) {
  gold_reports_.assign(reports.begin(), reports.end());
  std::erase_if(gold_reports_,
                [&](const PlayReport& each) { return project_->find_gold(each.task) == nullptr; });
  if (std::equal(reports.begin(), reports.end(), reports_.begin(), reports_.end())) return;
  for (const auto& list : {std::span<const PlayReport>(reports_), reports}) {
    for (const PlayReport& report : list) {
      const std::size_t place = place_of(report.task);
      if (place < clips_.size()) changed_[place] = true;
    }
  }
  reports_.assign(reports.begin(), reports.end());
  std::erase_if(reports_,
                [&](const PlayReport& each) { return place_of(each.task) == clips_.size(); });
}

void RoundStatistics::set_decisions(std::span<const Decision> decisions) {
  std::map<int, Decision> current;
  for (const Decision& decision : decisions) {
    if (decision.current && place_of(decision.task) < clips_.size()) {
      current[decision.task] = decision;
    }
  }
  if (current == decisions_) return;
  for (const auto* list : {&decisions_, &current}) {
    for (const auto& [task, decision] : *list) changed_[place_of(task)] = true;
  }
  decisions_ = std::move(current);
}

void RoundStatistics::compute(std::size_t place) {
  AnsweredClip& clip = clips_[place];
  ClipSummary& summary = summaries_[place];
  clip = {clip.task, {}, {}, {}, {}};
  const auto is_counted = [&](int person) {
    const auto known = counts_.find(person);
    return known != counts_.end() && known->second;
  };
  for (const StoredAnswer& stored : summary.given) {
    if (!is_counted(stored.person)) continue;
    clip.people.push_back(stored.person);
    clip.answers.push_back(stored.answer);
  }
  for (const PlayReport& report : reports_) {
    if (report.task == clip.task->number && is_counted(report.person)) {
      clip.reported_by.push_back(report.person);
    }
  }
  const auto decision = decisions_.find(clip.task->number);
  if (decision != decisions_.end()) clip.decision = decision->second;
  summary.chosen.clear();
  for (const ClassId verb : clip.task->candidates) {
    summary.chosen.push_back(
        static_cast<int>(std::count_if(clip.answers.begin(), clip.answers.end(),
                                       [&](const Answer& answer) { return chose(answer, verb); })));
  }
  summary.result = final_labels(clip.task->original, clip.answers);
  summary.disputed = !disputes(std::span(&clip, 1)).empty();
}

RoundStatistics::Share RoundStatistics::share_of(std::size_t place,
                                                 const StoredAnswer& stored) const {
  const AnsweredClip& clip = clips_[place];
  const Answer& answer = stored.answer;
  Share share;
  share.has_original = clip.task->original && !answer.nothing;
  share.found = share.has_original && chose(answer, *clip.task->original);
  share.verbs = answer.chosen.size();
  share.candidates = clip.task->candidates.size();
  share.seconds = static_cast<double>(answer.milliseconds) / 1000;
  share.keys = keys_of(*project_, *clip.task, stored);
  SharedClip shared{clip.task->candidates, answer.chosen, {}};
  for (std::size_t i = 0; i < clip.answers.size(); ++i) {
    if (clip.people[i] != stored.person) shared.others.emplace_back(clip.answers[i].chosen);
  }
  share.compared = !shared.others.empty();
  share.with_others = shared_decisions(shared);
  return share;
}

PersonStatistics RoundStatistics::sum_of(const std::map<int, Share>& shares) {
  double with_original = 0;
  double found = 0;
  double verbs = 0;
  double chosen_shares = 0;
  std::vector<double> seconds;
  std::map<std::string, int> keys;
  int same_keys = 0;
  SharedDecisions with_others;
  PersonStatistics sum{};
  for (const auto& [task, share] : shares) {
    with_original += share.has_original ? 1 : 0;
    found += share.found ? 1 : 0;
    verbs += static_cast<double>(share.verbs);
    chosen_shares += static_cast<double>(share.verbs) / static_cast<double>(share.candidates);
    seconds.push_back(share.seconds);
    same_keys = std::max(same_keys, ++keys[share.keys]);
    sum.compared += share.compared ? 1 : 0;
    with_others += share.with_others;
  }
  sum.answers = static_cast<int>(shares.size());
  sum.found = ratio(found, with_original);
  sum.verbs_per_clip = ratio(verbs, sum.answers);
  sum.chosen_share = ratio(chosen_shares, sum.answers);
  sum.seconds_per_clip = median(std::move(seconds));
  sum.same_keys = ratio(same_keys, sum.answers);
  sum.agreement = with_others.kappa();
  return sum;
}

GoldScore RoundStatistics::gold_of(int person) const {
  GoldScore score;
  const auto given = gold_.find(person);
  if (given == gold_.end()) return score;
  for (const auto& [task, answer] : given->second) {
    count_answer(*project_->find_gold(task), answer, &score);
  }
  return score;
}

// The gold clips that somebody could not play.
int RoundStatistics::reported_gold() const {
  std::set<int> tasks;
  for (const PlayReport& report : gold_reports_) {
    const auto person = counts_.find(report.person);
    if (person != counts_.end() && person->second) tasks.insert(report.task);
  }
  return static_cast<int>(tasks.size());
}

std::vector<StoredAnswer> RoundStatistics::answers_of(int person) const {
  std::vector<StoredAnswer> found;
  const auto shares = shares_.find(person);
  if (shares == shares_.end()) return found;
  for (const auto& [task, share] : shares->second) {
    for (const StoredAnswer& stored : summaries_[place_of(task)].given) {
      if (stored.person == person) found.push_back(stored);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const StoredAnswer& a, const StoredAnswer& b) { return a.id > b.id; });
  return found;
}

std::vector<PersonStatistics> RoundStatistics::people(const AnnotationSettings& settings) const {
  static const PersonStatistics nothing = sum_of({});
  std::vector<PersonStatistics> all;
  for (const int person : listed_) {
    const auto known = sums_.find(person);
    all.push_back(known == sums_.end() ? nothing : known->second);
    all.back().gold = gold_of(person);
    all.back().warnings = warnings_of(all.back(), settings);
  }
  return all;
}

ProjectStatistics RoundStatistics::project(const AnnotationSettings& settings) const {
  ProjectStatistics statistics{};
  statistics.clips = static_cast<int>(clips_.size());
  std::vector<ClipCounts> counts;
  double labels = 0;
  std::set<std::string> other_verbs;
  const auto count_words = [&](const Answer& answer) {
    statistics.remarks += is_remark(answer) ? 1 : 0;
    if (!answer.other_verb.empty()) other_verbs.insert(answer.other_verb);
  };
  for (std::size_t place = 0; place < clips_.size(); ++place) {
    const AnsweredClip& clip = clips_[place];
    const ClipSummary& summary = summaries_[place];
    const auto answers = static_cast<int>(clip.answers.size());
    statistics.answers += answers;
    const bool complete = answers >= settings.people || clip.decision;
    statistics.begun += answers > 0 && !complete ? 1 : 0;
    statistics.complete += complete ? 1 : 0;
    statistics.settled += clip.decision && !clip.decision->leaves_out() ? 1 : 0;
    statistics.reported += clip.reported_by.empty() ? 0 : 1;
    statistics.disputes += summary.disputed ? 1 : 0;
    counts.push_back({clip.task->candidates, summary.chosen, answers});
    const FinalLabels result = final_result(clip, settings.people, summary.result);
    ++statistics.outcomes[result.outcome];
    labels += static_cast<double>(result.labels.size());
    count_labels(result.labels, &statistics);
    for (const Answer& answer : clip.answers) count_words(answer);
  }
  for (const auto& [person, answers] : gold_) {
    const auto counts = counts_.find(person);
    if (counts == counts_.end() || !counts->second) continue;
    for (const auto& [task, answer] : answers) count_words(answer);
  }
  statistics.reported += reported_gold();
  statistics.other_verbs = static_cast<int>(other_verbs.size());
  statistics.labels_per_clip = ratio(labels, statistics.outcomes[Outcome::Kept]);
  statistics.answers_per_hour.assign(hours_.begin(), hours_.end());
  const std::ptrdiff_t older = std::ssize(statistics.answers_per_hour) - kHoursShown;
  if (older > 0) {
    statistics.answers_per_hour.erase(statistics.answers_per_hour.begin(),
                                      statistics.answers_per_hour.begin() + older);
  }
  statistics.agreement = agreement_of_counts(counts, project_->classes.size());
  return statistics;
}

}  // namespace manyverbs
