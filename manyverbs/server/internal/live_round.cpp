// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/live_round.h"

#include <chrono>

namespace manyverbs {
namespace {

constexpr Time kFitInterval = 20'000;          // milliseconds between fits
constexpr std::size_t kFittedAtOnce = 20'000;  // decisions, some 50 ms

int answers_in(const std::vector<AnsweredClip>& clips) {
  int answers = 0;
  for (const AnsweredClip& clip : clips) answers += static_cast<int>(clip.answers.size());
  return answers;
}

std::size_t decisions_in(const std::vector<AnsweredClip>& clips) {
  std::size_t decisions = 0;
  for (const AnsweredClip& clip : clips) {
    decisions += clip.answers.size() * clip.task->candidates.size();
  }
  return decisions;
}

}  // namespace

void LiveModel::take(Fitted fitted) {
  model_ = std::move(fitted.model);
  answers_ = fitted.answers;
}

const AnswerModel& LiveModel::model(const std::vector<AnsweredClip>& clips, std::uint64_t version,
                                    Time now) {
  const auto fit = [](const std::vector<AnsweredClip>& given) {
    return Fitted{model_answers(given), answers_in(given)};
  };
  if (fit_.valid()) {
    if (fit_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return model_;
    take(fit_.get());
  }
  if (version == version_) return model_;
  if (decisions_in(clips) <= kFittedAtOnce) {
    take(fit(clips));
  } else if (now < started_ || now - started_ >= kFitInterval) {
    fit_ = std::async(std::launch::async, fit, clips);
    started_ = now;
  } else {
    return model_;
  }
  version_ = version;
  return model_;
}

LiveRound::View LiveRound::refreshed() {
  // Answers before people: somebody who joins in between has no answers here.
  const std::vector<StoredAnswer> answers = store_->answers(last_answer_);
  View view{store_->settings(), store_->people(), &statistics_.clips(), &statistics_};
  statistics_.update(answers, view.people, store_->reports(), store_->decisions());
  if (!answers.empty()) last_answer_ = answers.back().id;
  return view;
}

std::vector<PersonStatistics> LiveRound::people_of(const View& view, Time now) {
  std::vector<PersonStatistics> all = statistics_.people(view.settings);
  set_quality(view.people, model_.model(*view.clips, statistics_.version(), now), &all);
  return all;
}

}  // namespace manyverbs
