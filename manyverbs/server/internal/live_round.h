// SPDX-License-Identifier: MIT
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "manyverbs/server/internal/answer_model.h"
#include "manyverbs/server/internal/round_statistics.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// The model of annotators of a round in progress. A fit of many answers takes seconds, so it runs
/// in the background, at most every 20 seconds, and the previous model is used meanwhile.
class LiveModel {
 public:
  /// The model of `clips`, or the last one that is ready. A round of up to 20,000 decisions (verbs
  /// of clips times answers) is fitted at once. `version` tells whether the clips have changed.
  /// Empty until the first fit is ready.
  const AnswerModel& model(const std::vector<AnsweredClip>& clips, std::uint64_t version, Time now);
  /// The number of answers that the last model was fitted to.
  int answers() const { return answers_; }

 private:
  struct Fitted {
    AnswerModel model;
    int answers = 0;
  };
  void take(Fitted fitted);

  AnswerModel model_;
  int answers_ = 0;
  std::uint64_t version_ = 0;  // of the clips of the last fit, ready or not
  Time started_ = 0;
  std::future<Fitted> fit_;
};

/// The round as the leader's page shows it. Each call reads what is new in the database, which
/// several servers may share, and computes only what has changed.
class LiveRound {
 public:
  LiveRound(const AnnotationProject* project, AnnotationStore* store)
      : store_(store), statistics_(project) {}

  struct View {
    AnnotationSettings settings;
    std::vector<Person> people;
    std::vector<AnsweredClip> const* clips = nullptr;
    RoundStatistics const* statistics = nullptr;
  };
  /// Calls `use` with the current state, one call at a time.
  template <typename Use>
  auto view(Use use) {
    const std::lock_guard lock(mutex_);
    return use(refreshed());
  }
  /// The statistics of the people of a view, with their quality.
  std::vector<PersonStatistics> people_of(const View& view, Time now);
  /// The number of answers that the quality of people is estimated from.
  int modelled_answers() const { return model_.answers(); }

 private:
  View refreshed();

  std::mutex mutex_;  // guards the members below
  AnnotationStore* store_;
  RoundStatistics statistics_;
  int last_answer_ = 0;
  LiveModel model_;
};

}  // namespace manyverbs
