// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/frame_index.h"

#include "manyverbs/support/internal/files.h"
#include "tests/decoding/video_dataset.h"
#include "tests/interrupting.h"
#include "tests/one_thread.h"

namespace manyverbs {
namespace {

Dataset two_videos(const ScratchFolder& scratch) {
  write_numbered_video(scratch / "a.mp4", 20);
  write_numbered_video(scratch / "b.mp4", 30);
  return video_dataset(scratch, {{"a", "a.mp4"}, {"b", "b.mp4"}});
}

TEST(FrameIndex, HasTheFramesOfEveryClip) {
  const ScratchFolder scratch;
  const Dataset dataset = two_videos(scratch);
  const FrameIndex index = index_frames(dataset, OnError::Stop);
  EXPECT_EQ(index.clips[0]->count, 20);
  EXPECT_EQ(index.clips[1]->count, 30);
  EXPECT_EQ(index.clips[1]->path, scratch / "b.mp4");
}

// d is seen through a link from elsewhere, where ../a.mp4 would be another video.
TEST(FrameIndex, ParentFoldersAreRelativeToTheTargetOfALink) {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "real/d");
  std::filesystem::create_directories(scratch / "other");
  write_numbered_video(scratch / "real/a.mp4", 20);
  write_numbered_video(scratch / "other/a.mp4", 30);
  std::filesystem::create_directory_symlink(scratch / "real/d", scratch / "other/link");
  Dataset dataset = video_dataset(scratch, {{"a", "../a.mp4"}});
  dataset.folder = scratch / "other/link";
  const FrameIndex index = index_frames(dataset, OnError::Stop);
  EXPECT_EQ(index.clips[0]->count, 20);
  EXPECT_EQ(index.clips[0]->path, std::filesystem::canonical(scratch / "real/a.mp4"));
  dataset.folder = scratch / "real/d";
  EXPECT_EQ(video_path(dataset, dataset.clips[0]), scratch / "real/a.mp4");
}

TEST(FrameIndex, IsReadBack) {
  const ScratchFolder scratch;
  Dataset dataset = two_videos(scratch);
  dataset.clips[1].start = 0.1;
  dataset.clips[1].stop = 0.7;
  const FrameIndex first = index_frames(dataset, OnError::Stop);
  const FrameIndex again = index_frames(dataset, OnError::Stop);
  EXPECT_EQ(again.clips, first.clips);
  EXPECT_EQ(first.videos_known, 0);
  EXPECT_EQ(again.videos_known, 2);
}

TEST(FrameIndex, AVideoWithTheSameContentIsNotDecodedAgain) {
  const ScratchFolder scratch;
  const Dataset dataset = two_videos(scratch);
  index_frames(dataset, OnError::Stop);
  std::filesystem::copy(scratch / "a.mp4", scratch / "copy.mp4");
  std::filesystem::rename(scratch / "copy.mp4", scratch / "a.mp4");
  EXPECT_EQ(index_frames(dataset, OnError::Stop).videos_known, 2);
}

// The new video has the size and the time of the old one.
TEST(FrameIndex, AVideoWithOtherContentIsDecodedAgain) {
  const ScratchFolder scratch;
  const Dataset dataset = two_videos(scratch);
  index_frames(dataset, OnError::Stop);
  std::string bytes = read_file(scratch / "a.mp4");
  bytes[bytes.find("Lavf")] = 'l';  // the name of the program that wrote it
  const auto time = std::filesystem::last_write_time(scratch / "a.mp4");
  scratch.write("a.mp4", bytes);
  std::filesystem::last_write_time(scratch / "a.mp4", time);
  EXPECT_EQ(index_frames(dataset, OnError::Stop).videos_known, 1);
}

TEST(FrameIndex, ATruncatedPartialIndexIsUsed) {
  const ScratchFolder scratch;
  const Dataset dataset = two_videos(scratch);
  const FrameIndex whole = index_frames(dataset, OnError::Stop);
  std::string text = read_file(scratch / "frames.csv");
  text.resize(text.size() - 3);  // in the row of b
  std::filesystem::remove(scratch / "frames.csv");
  scratch.write("frames.partial.csv", text);
  const FrameIndex resumed = index_frames(dataset, OnError::Stop);
  EXPECT_EQ(resumed.videos_known, 1);
  EXPECT_EQ(resumed.clips, whole.clips);
  EXPECT_FALSE(std::filesystem::exists(scratch / "frames.partial.csv"));
}

TEST(FrameIndex, IsUsedIfItCannotBeStored) {
  const ScratchFolder scratch;
  const Dataset dataset = two_videos(scratch);
  scratch.write("frames.csv/in_the_way", "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(index_frames(dataset, OnError::Stop).clips[1]->count, 30);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("the frame index cannot be stored: "),
            std::string::npos);
}

TEST(FrameIndex, ResumesAfterAnInterruption) {
  const ScratchFolder scratch;
  std::vector<NamedVideo> videos;
  for (int i = 1; i <= 12; ++i) {
    const std::string name = fmt::format("{}.mp4", i);
    write_numbered_video(scratch / name, i);
    videos.push_back({name, name});
  }
  const Dataset dataset = video_dataset(scratch, videos);
  const FrameIndex undisturbed = index_frames(dataset, OnError::Stop);
  std::filesystem::remove(scratch / "frames.csv");
  EXPECT_EQ(interrupted_at_once([&] { index_frames(dataset, OnError::Stop); }),
            "the frames of 0 of 12 clips are counted");
  FrameIndex index;
  const auto kept = interrupt_until_done([&] { index = index_frames(dataset, OnError::Stop); });
  EXPECT_EQ(index.clips, undisturbed.clips);
  EXPECT_TRUE(std::filesystem::exists(scratch / "frames.csv"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "frames.partial.csv"));
  for (const std::string& text : kept) {
    EXPECT_TRUE(text.ends_with(" of 12 clips are counted")) << text;
  }
}

TEST(FrameIndex, DecodesChangedVideosAgain) {
  const ScratchFolder scratch;
  Dataset dataset = two_videos(scratch);
  index_frames(dataset, OnError::Stop);
  write_numbered_video(scratch / "a.mp4", 25);
  dataset.clips[1].stop = 0.4;
  const FrameIndex index = index_frames(dataset, OnError::Stop);
  EXPECT_EQ(index.clips[0]->count, 25);
  EXPECT_EQ(index.clips[1]->count, 10);
}

TEST(FrameIndex, IsComputedAgainIfItsFileIsDamaged) {
  const ScratchFolder scratch;
  const Dataset dataset = two_videos(scratch);
  index_frames(dataset, OnError::Stop);
  for (const char* damage : {"", "clip\n\"", "clip,video\na,b\n"}) {
    scratch.write("frames.csv", damage);
    EXPECT_EQ(index_frames(dataset, OnError::Stop).clips[1]->count, 30);
  }
  std::string text = read_file(scratch / "frames.csv");
  text.replace(text.find(",20,"), 4, ",-7,");
  scratch.write("frames.csv", text);
  EXPECT_EQ(index_frames(dataset, OnError::Stop).clips[0]->count, 20);
}

TEST(FrameIndex, ListsProblemsInTheOrderOfTheClips) {
  const ScratchFolder scratch;
  two_videos(scratch);
  scratch.write("empty.mp4", "");
  const Dataset dataset = video_dataset(
      scratch, {{"bad", "none.mp4"}, {"good", "a.mp4"}, {"without", ""}, {"empty", "empty.mp4"}});
  const FrameIndex index = index_frames(dataset, OnError::Skip);
  EXPECT_FALSE(index.clips[0]);
  EXPECT_TRUE(index.clips[1]);
  const std::string place = scratch.path().string();
  EXPECT_EQ(problem_lines(dataset, index.problems),
            "  bad: " + place + "/none.mp4: the file does not exist\n" +
                "  without: it has no video in clips.csv\n  empty: " + place +
                "/empty.mp4: is empty\n");
  EXPECT_EQ(error_of(scratch, [&] { index_frames(dataset, OnError::Stop); }),
            "clip 'bad': none.mp4: the file does not exist");
}

TEST(FrameIndex, OnErrorHasNames) {
  const ScratchFolder scratch;
  EXPECT_EQ(find_on_error("skip"), OnError::Skip);
  EXPECT_EQ(find_on_error("stop"), OnError::Stop);
  EXPECT_EQ(error_of(scratch, [] { find_on_error("skp"); }),
            "expected stop or skip, found 'skp', did you mean 'skip'?");
}

}  // namespace
}  // namespace manyverbs
