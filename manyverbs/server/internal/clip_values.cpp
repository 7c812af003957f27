// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/clip_values.h"

namespace manyverbs {
namespace {

constexpr Time kInterval = 20'000;  // milliseconds

}  // namespace

ClipValues clip_values(std::span<const AnsweredClip> clips) {
  const AnswerModel model = model_answers(clips);
  ClipValues values;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    values[clips[i].task->number] = {model.information[i],
                                     static_cast<int>(clips[i].answers.size())};
  }
  return values;
}

std::shared_ptr<const ClipValues> ClipValueCache::values(const AnnotationProject& project,
                                                         AnnotationStore* store, Time now) {
  const std::unique_lock<std::mutex> computing(computing_, std::try_to_lock);
  const auto known = [&] {
    const std::lock_guard lock(mutex_);
    return std::pair(values_, computed_);
  }();
  const bool recent = now >= known.second && now - known.second < kInterval;
  if (!computing || recent) return known.first;
  auto values = std::make_shared<ClipValues>();
  if (store->settings().order == ClipOrder::Informative) {
    const std::vector<StoredAnswer> answers = store->answers();
    *values = clip_values(answered_clips(project, answers, store->people()));
  }
  const std::lock_guard lock(mutex_);
  values_ = values;
  computed_ = now;
  return values;
}

}  // namespace manyverbs
