// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "manyverbs/server/internal/answer_model.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// The value of one more answer to each clip, by AnswerModel::information.
ClipValues clip_values(std::span<const AnsweredClip> clips);

/// The clip values of a running server, computed again at most every 20 seconds, which takes some
/// 0.3 s for 5,000 clips. Meanwhile, other threads get the previous ones.
class ClipValueCache {
 public:
  /// Never null; empty unless the project assigns clips in the order ClipOrder::Informative.
  std::shared_ptr<const ClipValues> values(const AnnotationProject& project, AnnotationStore* store,
                                           Time now);

 private:
  std::mutex computing_;
  std::mutex mutex_;  // guards the members below
  std::shared_ptr<const ClipValues> values_ = std::make_shared<ClipValues>();
  Time computed_ = 0;
};

}  // namespace manyverbs
