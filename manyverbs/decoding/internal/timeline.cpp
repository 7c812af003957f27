// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/timeline.h"

#include <algorithm>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"

namespace manyverbs::decoding_internal {

Timeline pass_over(VideoFile* video, const std::filesystem::path& path,
                   const std::function<void(int position)>& at_frame) {
  Timeline timeline;
  while (video->next()) {
    stop_if_interrupted();
    if (at_frame) at_frame(static_cast<int>(timeline.times.size()));
    timeline.times.push_back(video->time());
  }
  if (timeline.times.empty()) {
    throw Error("{}: is damaged: no frame can be decoded", path.string());
  }
  const double rate = video->frame_rate();
  timeline.end = timeline.times.back() + (rate > 0 ? 1 / rate : 0);
  const std::int64_t announced = video->announced_frames();
  const double duration =
      std::max(video->announced_duration(), rate > 0 ? static_cast<double>(announced) / rate : 0);
  const auto decoded = std::ssize(timeline.times);
  // Both, because a video with variable frame rate may have fewer frames than its rate implies.
  if (static_cast<double>(decoded) < kEnough * static_cast<double>(announced) &&
      timeline.end < kEnough * duration) {
    throw Error("{}: is truncated: {} of its {} frames can be decoded", path.string(), decoded,
                announced);
  }
  return timeline;
}

}  // namespace manyverbs::decoding_internal
