// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/given_flow.h"

#include <chrono>
#include <thread>

#include "manyverbs/decoding/internal/flow_folders.h"
#include "manyverbs/decoding/internal/peek.h"
#include "manyverbs/decoding/internal/picture_source.h"
#include "manyverbs/support/internal/files.h"
#include "tests/decoding/numbered_pictures.h"
#include "tests/decoding/video_dataset.h"

namespace manyverbs {
namespace {

using Numbers = std::vector<int>;

TEST(GivenFlow, StrideIsFoundByTheNumbersOfImages) {
  EXPECT_EQ(flow_stride(1000, 999), 1);
  EXPECT_EQ(flow_stride(1000, 1000), 1);
  EXPECT_EQ(flow_stride(1000, 499), 2);  // as of EPIC-Kitchens-55: one for two frames, of three
  EXPECT_EQ(flow_stride(8, 3), 2);
  EXPECT_EQ(flow_stride(1000, 250), 4);
  EXPECT_EQ(flow_stride(10000, 4950), 2);
  EXPECT_EQ(flow_stride(1000, 700), std::nullopt);
  EXPECT_EQ(flow_stride(100, 1000), std::nullopt);
  EXPECT_EQ(flow_stride(1000, 0), std::nullopt);
  EXPECT_EQ(flow_stride(1, 1), 1);
}

// EPIC-Kitchens numbers from 1: flow image (f - 1) / 2 + 1 belongs to frame f.
TEST(GivenFlow, OfAPartIsThatOfItsFrames) {
  const FlowFrames flow{nullptr, 0, 50, 64, 48};
  const auto part = [&](int stride, int first, int count) {
    ClipFrames frames;
    frames.first = first;
    frames.count = count;
    const FlowFrames found = flow_of_part(flow, stride, frames);
    return std::pair(found.first, found.count);
  };
  EXPECT_EQ(part(2, 3, 7), std::pair(1, 3));
  EXPECT_EQ(part(2, 0, 98), std::pair(0, 48));
  EXPECT_EQ(part(1, 10, 5), std::pair(10, 4));
  EXPECT_EQ(part(1, 10, 1), std::pair(10, 1));
  EXPECT_EQ(part(2, 98, 4), std::pair(49, 1));   // the last flow image
  EXPECT_EQ(part(2, 102, 4), std::pair(49, 1));  // after it
}

// A video of 20 frames with flow images of this number, as folders or tar files, and two clips.
Dataset with_given_flow(const ScratchFolder& scratch, int images, bool packed) {
  write_frames(scratch / "rgb", 20);
  write_frames(scratch / "flow_images/u", images);
  write_frames(scratch / "flow_images/v", images, 30);
  if (packed) {
    pack(scratch / "rgb", scratch / "rgb.tar");
    pack(scratch / "flow_images", scratch / "flow_images.tar");
    std::filesystem::remove_all(scratch / "rgb");
    std::filesystem::remove_all(scratch / "flow_images");
  }
  const std::string ending = packed ? ".tar" : "";
  Dataset dataset = video_dataset(scratch, {{"a", "rgb" + ending}, {"b", "rgb" + ending}});
  for (Clip& clip : dataset.clips) clip.flow = "flow_images" + ending;
  dataset.clips[0].start_frame = 1;
  dataset.clips[0].stop_frame = 10;
  dataset.clips[1].start_frame = 5;
  dataset.clips[1].stop_frame = 20;
  write_dataset(dataset.folder, dataset);
  return dataset;
}

TEST(GivenFlow, IsReadInPlace) {
  for (const bool packed : {false, true}) {
    const ScratchFolder scratch;
    const Dataset dataset = with_given_flow(scratch, 9, packed);
    const FlowReport report = compute_flow(dataset, {}, OnError::Stop);
    EXPECT_EQ(report.given, 2);
    EXPECT_EQ(report.computed, 0);
    const FlowIndex index = index_flow(dataset, OnError::Stop);
    EXPECT_EQ(index.clips[0]->count, 4);
    const std::vector<Image> images = read_flow(*index.clips[1], Numbers{0, 6});
    EXPECT_EQ(number_of(images[0]), 2);
    EXPECT_EQ(number_of(images[1]), 8);
    EXPECT_EQ(flow_settings(dataset),
              (FlowSettings{.method = FlowMethod::Given, .short_side = kDrawnSize.height}));
    EXPECT_EQ(peek_at_flow(dataset, 1, scratch / "peek").size(), 1U);
  }
}

TEST(GivenFlow, IsKnownByContent) {
  const ScratchFolder scratch;
  const Dataset dataset = with_given_flow(scratch, 20, true);
  const FlowIndex first = index_flow(dataset, OnError::Stop);
  std::filesystem::copy(scratch / "flow_images.tar", scratch / "copy.tar");
  std::filesystem::rename(scratch / "copy.tar", scratch / "flow_images.tar");
  EXPECT_EQ(index_flow(dataset, OnError::Stop).contents, first.contents);
  write_frames(scratch / "other/u", 19);
  write_frames(scratch / "other/v", 19, 30);
  pack(scratch / "other", scratch / "flow_images.tar");
  const FlowIndex other = index_flow(dataset, OnError::Stop);
  EXPECT_NE(other.contents, first.contents);
  EXPECT_EQ(other.clips[1]->count, 15);
}

// The stride depends on the number of frames.
TEST(GivenFlow, IsLookedUpAgainIfOnlyTheFramesChange) {
  const ScratchFolder scratch;
  Dataset dataset = with_given_flow(scratch, 10, false);
  for (Clip& clip : dataset.clips) {
    clip.start_frame = 1;
    clip.stop_frame = 10;
  }
  while (video_state(scratch / "flow_images").empty()) {  // until its state is stored
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(index_flow(dataset, OnError::Stop).clips[0]->count, 4);
  for (int i = 11; i <= 20; ++i) {
    std::filesystem::remove(scratch / fmt::format("rgb/frame_{:010}.jpg", i));
  }
  EXPECT_EQ(index_flow(dataset, OnError::Stop).clips[0]->count, 9);
}

TEST(GivenFlow, ThatDoesNotFitTheFramesIsAnError) {
  const ScratchFolder scratch;
  const Dataset dataset = with_given_flow(scratch, 14, false);
  EXPECT_EQ(
      error_of(scratch, [&] { compute_flow(dataset, {}, OnError::Stop); }),
      "clip 'a': flow_images: has 14 flow images for 20 frames; expected one for each, or one "
      "for 2 to 8");
  std::filesystem::remove_all(scratch / "flow_images");
  const FlowReport report = compute_flow(dataset, {}, OnError::Skip);
  EXPECT_EQ(report.problems.size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(scratch / "flow/flow.json"));
}

TEST(GivenFlow, MustBeGivenForAllClips) {
  const ScratchFolder scratch;
  Dataset dataset = with_given_flow(scratch, 20, false);
  dataset.clips[1].flow.clear();
  EXPECT_EQ(error_of(scratch, [&] { index_flow(dataset, OnError::Stop); }),
            "clip 'b': it has no flow in clips.csv, but other clips have");
}

}  // namespace
}  // namespace manyverbs
