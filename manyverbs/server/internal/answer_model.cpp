// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/answer_model.h"

#include <algorithm>

namespace manyverbs {
namespace {

bool is_evidence(const AnsweredClip& clip) {
  if (clip.decision && clip.decision->leaves_out()) return false;
  const Outcome outcome = final_labels(clip.task->original, clip.answers).outcome;
  return outcome == Outcome::Kept || outcome == Outcome::NoVerb;
}

// The people with answers that are evidence, numbered from 0.
std::map<int, int> numbered_people(std::span<const AnsweredClip> clips) {
  std::map<int, int> numbers;
  for (const AnsweredClip& clip : clips) {
    if (!is_evidence(clip)) continue;
    for (const int id : clip.people) numbers.emplace(id, static_cast<int>(numbers.size()));
  }
  return numbers;
}

// The candidates of all clips, numbered from 0: a vocabulary may have many more verbs.
std::map<ClassId, int> numbered_verbs(std::span<const AnsweredClip> clips) {
  std::map<ClassId, int> numbers;
  for (const AnsweredClip& clip : clips) {
    for (const ClassId verb : clip.task->candidates) {
      numbers.emplace(verb, static_cast<int>(numbers.size()));
    }
  }
  return numbers;
}

// One item per candidate, clip after clip.
std::vector<DecidedItem> items_of(std::span<const AnsweredClip> clips,
                                  const std::map<int, int>& people,
                                  const std::map<ClassId, int>& verbs) {
  std::vector<DecidedItem> items;
  for (const AnsweredClip& clip : clips) {
    const bool evidence = is_evidence(clip);
    for (const ClassId verb : clip.task->candidates) {
      DecidedItem item{verbs.at(verb), evidence && verb == clip.task->original, {}};
      for (std::size_t i = 0; evidence && i < clip.answers.size(); ++i) {
        const std::vector<ClassId>& chosen = clip.answers[i].chosen;
        item.decisions.push_back({people.at(clip.people[i]),
                                  std::find(chosen.begin(), chosen.end(), verb) != chosen.end()});
      }
      items.push_back(std::move(item));
    }
  }
  return items;
}

double mean(const std::vector<EstimatedRate>& rates) {
  double sum = 0;
  for (const EstimatedRate& rate : rates) sum += rate.value;
  return sum / static_cast<double>(rates.size());
}

FinalLabels labels_by(const AnsweredClip& clip, const std::vector<double>& posteriors) {
  std::vector<ClassId> labels;
  for (std::size_t k = 0; k < posteriors.size(); ++k) {
    if (posteriors[k] >= 0.5) labels.push_back(clip.task->candidates[k]);
  }
  if (labels.empty()) return {Outcome::NoVerb, {}};
  std::sort(labels.begin(), labels.end());
  return {Outcome::Kept, labels};
}

}  // namespace

AnswerModel model_answers(std::span<const AnsweredClip> clips) {
  const std::map<int, int> people = numbered_people(clips);
  const std::map<ClassId, int> verbs = numbered_verbs(clips);
  // A person without answers stands for those to come as long as there are none.
  const int people_count = std::max(1, static_cast<int>(people.size()));
  const AnnotatorModel fitted =
      fit_annotators(items_of(clips, people, verbs), people_count, static_cast<int>(verbs.size()));
  AnswerModel model;
  for (const auto& [id, j] : people) {
    model.people[id] = {fitted.sensitivity[j], fitted.specificity[j]};
  }
  const double sensitivity = mean(fitted.sensitivity);
  const double specificity = mean(fitted.specificity);
  auto next = fitted.posterior.begin();
  for (const AnsweredClip& clip : clips) {
    const auto end = next + std::ssize(clip.task->candidates);
    model.posteriors.emplace_back(next, end);
    model.information.push_back(
        expected_information(model.posteriors.back(), sensitivity, specificity));
    next = end;
  }
  return model;
}

std::vector<FinalClip> final_clips_by_model(std::span<const AnsweredClip> clips, int people,
                                            const AnswerModel& model) {
  std::vector<FinalClip> result = final_clips(clips, people);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Outcome outcome = result[i].result.outcome;
    if (outcome != Outcome::Kept && outcome != Outcome::NoVerb) continue;
    result[i].posteriors = model.posteriors[i];
    if (result[i].decision) continue;
    result[i].result = labels_by(clips[i], model.posteriors[i]);
  }
  return result;
}

}  // namespace manyverbs
