// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/picture_source.h"

#include "manyverbs/decoding/internal/flow.h"
#include "manyverbs/decoding/internal/frame_index.h"
#include "manyverbs/support/internal/files.h"
#include "tests/decoding/numbered_pictures.h"
#include "tests/decoding/video_dataset.h"

namespace manyverbs {
namespace {

using Numbers = std::vector<int>;

// A data set with clips of these frames of the video "a" or "a.tar".
Dataset clips_of_frames(const ScratchFolder& scratch, const std::string& video,
                        const std::vector<std::pair<int, int>>& parts) {
  std::vector<NamedVideo> videos;
  for (std::size_t i = 0; i < parts.size(); ++i) videos.push_back({std::to_string(i), video});
  Dataset dataset = video_dataset(scratch, videos);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    dataset.clips[i].start_frame = parts[i].first;
    dataset.clips[i].stop_frame = parts[i].second;
  }
  return dataset;
}

TEST(PartsOfFolders, AreNumberedLikeTheirFiles) {
  const ScratchFolder scratch;
  write_frames(scratch / "a", 20);
  const Dataset dataset = clips_of_frames(scratch, "a", {{1, 4}, {3, 3}, {11, 20}});
  const FrameIndex index = index_frames(dataset, OnError::Stop);
  EXPECT_EQ(numbers_of(read_frames(*index.clips[0], Numbers{0, 3})), (Numbers{0, 3}));
  EXPECT_EQ(numbers_of(read_frames(*index.clips[1], Numbers{0})), Numbers{2});
  EXPECT_EQ(index.clips[2]->count, 10);
  EXPECT_EQ(numbers_of(read_frames(*index.clips[2], Numbers{9, 0})), (Numbers{19, 10}));
  EXPECT_EQ(index.clips[0]->pictures, index.clips[2]->pictures);
}

TEST(PartsOfFolders, OutsideOfTheFramesAreErrors) {
  const ScratchFolder scratch;
  write_frames(scratch / "a", 20);
  const Dataset dataset =
      clips_of_frames(scratch, "a", {{0, 4}, {21, 24}, {1, 21}, {15, 30}, {20, 20}});
  const FrameIndex index = index_frames(dataset, OnError::Skip);
  ASSERT_EQ(index.problems.size(), 3U);
  EXPECT_TRUE(
      index.problems[0].what.ends_with("a: the clip starts at frame 0, but the first frame is 1"));
  EXPECT_TRUE(
      index.problems[1].what.ends_with("a: the clip starts at frame 21, but the last frame is 20"));
  EXPECT_TRUE(
      index.problems[2].what.ends_with("a: the clip stops at frame 30, but the last frame is 20"));
  // One frame too many is a rounding error in the lists.
  EXPECT_EQ(index.clips[2]->count, 20);
}

TEST(PartsOfFolders, CanBeTimesIfTheFrameRateIsKnown) {
  const ScratchFolder scratch;
  write_frames(scratch / "a", 20);
  Dataset dataset = video_dataset(scratch, {{"a", "a"}, {"b", "a"}});
  dataset.clips[0].start = 0.5;
  dataset.clips[0].stop = 1.0;
  dataset.clips[0].frame_rate = 10;
  dataset.clips[1].frame_rate = 10;
  const FrameIndex index = index_frames(dataset, OnError::Stop);
  EXPECT_EQ(index.clips[0]->count, 5);
  EXPECT_EQ(numbers_of(read_frames(*index.clips[0], Numbers{0, 4})), (Numbers{5, 9}));
  EXPECT_EQ(index.clips[1]->count, 20);
  EXPECT_EQ(index.clips[1]->frame_rate, 10);
  dataset.clips[0].frame_rate = 4;
  EXPECT_EQ(index_frames(dataset, OnError::Stop).clips[0]->first, 2);
  dataset.clips[0].stop = 9;
  EXPECT_EQ(error_of(scratch, [&] { index_frames(dataset, OnError::Stop); }),
            "clip 'a': a: the clip stops at 9 s, but the video ends at 5.00 s");
}

TEST(PartsOfVideos, CanBeFrameNumbersFromOne) {
  const ScratchFolder scratch;
  write_numbered_video(scratch / "a.mp4", 30);
  const Dataset dataset = clips_of_frames(scratch, "a.mp4", {{1, 5}, {11, 30}});
  const FrameIndex index = index_frames(dataset, OnError::Stop);
  EXPECT_EQ(numbers_of(read_frames(*index.clips[0], Numbers{0, 4})), (Numbers{0, 4}));
  EXPECT_EQ(numbers_of(read_frames(*index.clips[1], Numbers{0, 19})), (Numbers{10, 29}));
}

TEST(PicturesInTar, AreThoseOfTheFolder) {
  const ScratchFolder scratch;
  write_frames(scratch / "a", 12);
  pack(scratch / "a", scratch / "a.tar");
  const ClipFrames clip = find_frames(scratch / "a.tar");
  EXPECT_EQ(clip.count, 12);
  EXPECT_EQ(clip.width, kDrawnSize.width);
  EXPECT_EQ(read_frames(clip, Numbers{0, 11, 5}),
            read_frames(find_frames(scratch / "a"), Numbers{0, 11, 5}));
}

TEST(PicturesInTar, CanBeInAFolder) {
  const ScratchFolder scratch;
  write_frames(scratch / "a/P01_01", 3);
  pack(scratch / "a", scratch / "a.tar");
  EXPECT_EQ(numbers_of(read_frames(find_frames(scratch / "a.tar"), Numbers{2})), Numbers{2});
  write_frames(scratch / "a/P01_02", 3);
  pack(scratch / "a", scratch / "b.tar");
  EXPECT_EQ(error_of(scratch, [&] { find_frames(scratch / "b.tar"); }),
            "b.tar: expected the images in one folder, found b.tar/P01_01 and b.tar/P01_02");
}

TEST(PicturesInTar, ThatAreInvalidAreErrors) {
  const ScratchFolder scratch;
  scratch.write("none/notes.txt", "nothing");
  pack(scratch / "none", scratch / "none.tar");
  EXPECT_EQ(
      error_of(scratch, [&] { find_frames(scratch / "none.tar"); }),
      "none.tar: expected numbered images such as img_00001.jpg, img_00002.jpg …, found none");
  write_frames(scratch / "gap", 5);
  std::filesystem::remove(scratch / "gap/frame_0000000003.jpg");
  pack(scratch / "gap", scratch / "gap.tar");
  EXPECT_EQ(error_of(scratch, [&] { find_frames(scratch / "gap.tar"); }),
            "gap.tar/frame_0000000003.jpg: is missing, but frame_0000000004.jpg exists");
  write_frames(scratch / "bad", 3);
  scratch.write("bad/frame_0000000002.jpg", "no picture");
  pack(scratch / "bad", scratch / "bad.tar");
  const ClipFrames bad = find_frames(scratch / "bad.tar");
  EXPECT_EQ(error_of(scratch, [&] { read_frames(bad, Numbers{1}); }).substr(0, 50),
            "bad.tar/frame_0000000002.jpg: is damaged or not a ");
}

TEST(PicturesInTar, WithNamesThatAreNotUtf8AreErrors) {
  const ScratchFolder scratch;
  write_frames(scratch / "a/caf\xe9", 3);
  pack(scratch / "a", scratch / "a.tar");
  const std::string expected = "a.tar: a name in it is not UTF-8";
  EXPECT_EQ(error_of(scratch, [&] { find_frames(scratch / "a.tar"); }), expected);
  const Dataset dataset = clips_of_frames(scratch, "a.tar", {{1, 2}});
  EXPECT_EQ(error_of(scratch, [&] { index_frames(dataset, OnError::Stop); }),
            "clip '0': " + expected);
  const FrameIndex index = index_frames(dataset, OnError::Skip);
  ASSERT_EQ(index.problems.size(), 1U);
  EXPECT_TRUE(index.problems[0].what.ends_with(expected));
}

TEST(PicturesInTar, HaveAStoredIndex) {
  const ScratchFolder scratch;
  write_frames(scratch / "a", 8);
  pack(scratch / "a", scratch / "a.tar");
  const PictureSource source(scratch / "a.tar", scratch / "tars");
  const std::string content = source.content();
  const std::filesystem::path file = scratch / "tars" / (content + ".index");
  ASSERT_TRUE(std::filesystem::exists(file));
  // The second image at the place of the first: only a reader of the index sees this.
  std::string index = read_file(file);
  const std::size_t places = index.find('\n') + 1;
  index.replace(places + 8, 8, index.substr(places, 8));
  write_file(file, index);
  const PictureSource known(scratch / "a.tar", scratch / "tars", content);
  EXPECT_EQ(number_of(known.read(PictureKind::Frames, 1, Colour::Grey)), 0);
  EXPECT_EQ(number_of(known.read(PictureKind::Frames, 2, Colour::Grey)), 2);
  EXPECT_EQ(known.name(PictureKind::Frames, 2), source.name(PictureKind::Frames, 2));
}

TEST(PicturesInTar, WithADamagedIndexAreReadAgain) {
  const ScratchFolder scratch;
  write_frames(scratch / "a", 8);
  pack(scratch / "a", scratch / "a.tar");
  const std::string content = PictureSource(scratch / "a.tar", scratch / "tars").content();
  const std::filesystem::path file = scratch / "tars" / (content + ".index");
  const std::string whole = read_file(file);
  for (const std::string& text : {std::string(), std::string("{}\n"), whole.substr(0, 30),
                                  whole.substr(0, whole.size() - 8), whole + "12345678"}) {
    write_file(file, text);
    const PictureSource source(scratch / "a.tar", scratch / "tars", content);
    EXPECT_EQ(number_of(source.read(PictureKind::Frames, 7, Colour::Grey)), 7);
    EXPECT_EQ(read_file(file), whole);
  }
}

TEST(PicturesInTar, NothingOfADamagedIndexIsUsed) {
  const ScratchFolder scratch;
  write_frames(scratch / "a", 3);
  pack(scratch / "a", scratch / "a.tar");
  const std::string content = PictureSource(scratch / "a.tar", scratch / "tars").content();
  const std::filesystem::path file = scratch / "tars" / (content + ".index");
  write_file(file, read_file(file) + "12345678");  // noticed behind the last sequence
  // A tar file of the same size with a gap.
  std::filesystem::rename(scratch / "a/frame_0000000003.jpg", scratch / "a/frame_0000000004.jpg");
  pack(scratch / "a", scratch / "a.tar");
  const PictureSource source(scratch / "a.tar", scratch / "tars", content);
  EXPECT_FALSE(source.has(PictureKind::Frames));
  EXPECT_EQ(error_of(scratch, [&] { source.sequence(PictureKind::Frames); }),
            "a.tar/frame_0000000003.jpg: is missing, but frame_0000000004.jpg exists");
}

TEST(PicturesInTar, AreKnownByContentNotByTime) {
  const ScratchFolder scratch;
  write_frames(scratch / "a", 8);
  pack(scratch / "a", scratch / "a.tar");
  const Dataset dataset = clips_of_frames(scratch, "a.tar", {{1, 4}, {3, 8}});
  const FrameIndex first = index_frames(dataset, OnError::Stop);
  EXPECT_EQ(first.videos_known, 0);
  std::filesystem::copy(scratch / "a.tar", scratch / "copy.tar");
  std::filesystem::rename(scratch / "copy.tar", scratch / "a.tar");
  const FrameIndex again = index_frames(dataset, OnError::Stop);
  EXPECT_EQ(again.videos_known, 1);
  EXPECT_EQ(again.clips, first.clips);
  EXPECT_EQ(numbers_of(read_frames(*again.clips[1], Numbers{5})), Numbers{7});
  write_frames(scratch / "a", 8, 20);
  pack(scratch / "a", scratch / "a.tar");
  const FrameIndex other = index_frames(dataset, OnError::Stop);
  EXPECT_EQ(other.videos_known, 0);
  EXPECT_EQ(numbers_of(read_frames(*other.clips[1], Numbers{5})), Numbers{27});
}

TEST(FlowInTar, IsThatOfTheFolder) {
  const ScratchFolder scratch;
  write_frames(scratch / "a/u", 6);
  write_frames(scratch / "a/v", 6, 10);
  pack(scratch / "a", scratch / "a.tar");
  for (const char* place : {"a", "a.tar"}) {
    FlowFrames flow = find_flow(scratch / place);
    EXPECT_EQ(flow.count, 6);
    flow.first = 2;
    flow.count = 3;
    const std::vector<Image> images = read_flow(flow, Numbers{0, 2});
    EXPECT_EQ(number_of(images[0]), 2) << place;
    EXPECT_EQ(number_of(images[1]), 4) << place;
    EXPECT_THROW(read_flow(flow, Numbers{3}), Error);
  }
}

// As denseflow and mmaction2 store them.
TEST(FramesAndFlow, CanShareAFolder) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "a");
  for (int i = 1; i <= 4; ++i) {
    for (const char* name : {"img_{:05}.jpg", "flow_x_{:05}.jpg", "flow_y_{:05}.jpg"}) {
      write_picture(scratch / "a" / fmt::format(fmt::runtime(name), i), numbered_picture(i));
    }
  }
  EXPECT_EQ(find_frames(scratch / "a").count, 4);
  EXPECT_EQ(find_flow(scratch / "a").count, 4);
}

}  // namespace
}  // namespace manyverbs
