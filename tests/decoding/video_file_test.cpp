// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/video_file.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/decoding/drawn.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

TEST(VideoFile, ReadsFramesAsInTheHeader) {
  const ScratchFolder folder;
  VideoFile video(write_numbered_video(folder / "carrot.mp4", 5));
  const FrameFormat format;
  std::vector<int> numbers;
  std::vector<double> times;
  Image image;
  while (video.next()) {
    video.picture(format, &image);
    numbers.push_back(number_of(image));
    times.push_back(video.time());
  }
  EXPECT_EQ(numbers, (std::vector<int>{0, 1, 2, 3, 4}));
  ASSERT_EQ(times.size(), 5);
  EXPECT_DOUBLE_EQ(times[0], 0);
  EXPECT_NEAR(times[4], 4.0 / VideoFormat{}.frame_rate, 1e-3);
}

}  // namespace
}  // namespace manyverbs
