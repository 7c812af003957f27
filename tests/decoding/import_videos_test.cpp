// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/import_videos.h"

#include "manyverbs/support/files.h"
#include "tests/decoding/video_dataset.h"
#include "tests/interrupting.h"
#include "tests/one_thread.h"

namespace manyverbs {
namespace {

// Two videos and a folder of frames under in/, and a table of four clips of them.
VideosImport kitchen(const ScratchFolder& scratch) {
  std::filesystem::create_directories(scratch / "in/frames");
  write_numbered_video(scratch / "in/a.mp4", 50);
  write_numbered_video(scratch / "in/b.avi", 30, {.codec = "mpeg4"});
  for (int i = 1; i <= 6; ++i) {
    write_picture(scratch / fmt::format("in/frames/img_{:05}.jpg", i), numbered_picture(i));
  }
  VideosImport settings;
  settings.clips = scratch.write("in/clips.csv",
                                 "clip,split,labels,video,start,stop\n"
                                 "one,train,cut,a.mp4,0,1\n"
                                 "two,train,peel,a.mp4,1,2\n"
                                 "three,val,cut,b.avi,,\n"
                                 "four,test,cut;peel,frames,,\n");
  settings.out = scratch / "d";
  return settings;
}

TEST(ImportVideos, MakesADataSetWithoutFeatures) {
  const ScratchFolder scratch;
  const VideosImported imported = import_videos(kitchen(scratch));
  EXPECT_TRUE(imported.skipped.empty());
  const Dataset dataset = read_dataset(scratch / "d");
  EXPECT_EQ(dataset.clips, imported.dataset.clips);
  EXPECT_EQ(dataset.classes.names(), (std::vector<std::string>{"cut", "peel"}));
  EXPECT_TRUE(feature_streams(dataset).empty());
  EXPECT_EQ(dataset.clips[0].video, "../in/a.mp4");
  EXPECT_EQ(imported.index.clips[1]->first, 25);
  EXPECT_EQ(imported.index.clips[1]->count, 25);
  EXPECT_EQ(imported.index.clips[3]->count, 6);
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"d", "in"}));
}

TEST(ImportVideos, AnInterruptionLeavesNothingBehind) {
  const ScratchFolder scratch;
  const VideosImport settings = kitchen(scratch);
  EXPECT_EQ(interrupted_at_once([&] { import_videos(settings); }), "");
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"in"});
}

TEST(ImportVideos, WhatItCountedIsKnownLater) {
  const ScratchFolder scratch;
  const VideosImported imported = import_videos(kitchen(scratch));
  const std::string stamp = file_stamp(scratch / "d/frames.csv");
  const FrameIndex index = index_frames(read_dataset(scratch / "d"), OnError::Stop);
  EXPECT_EQ(index.clips, imported.index.clips);
  EXPECT_EQ(file_stamp(scratch / "d/frames.csv"), stamp);
}

TEST(ImportVideos, VideosCanBeCopiedOrLinked) {
  for (const VideoPlace place : {VideoPlace::Copied, VideoPlace::Linked}) {
    const ScratchFolder scratch;
    VideosImport settings = kitchen(scratch);
    settings.place = place;
    import_videos(settings);
    const Dataset dataset = read_dataset(scratch / "d");
    EXPECT_EQ(dataset.clips[0].video, "videos/a.mp4");
    EXPECT_EQ(dataset.clips[1].video, "videos/a.mp4");
    EXPECT_EQ(dataset.clips[3].video, "videos/frames");
    EXPECT_EQ(std::filesystem::is_symlink(scratch / "d/videos/a.mp4"), place == VideoPlace::Linked);
    const std::string stamp = file_stamp(scratch / "d/frames.csv");
    const FrameIndex index = index_frames(dataset, OnError::Stop);
    EXPECT_EQ(file_stamp(scratch / "d/frames.csv"), stamp) << "counted again";
    EXPECT_EQ(number_of(read_frames(*index.clips[1], std::vector{0}).front()), 25);
  }
}

TEST(ImportVideos, TheDataSetMayGoBelowALink) {
  for (const VideoPlace place : {VideoPlace::There, VideoPlace::Copied, VideoPlace::Linked}) {
    const ScratchFolder scratch;
    VideosImport settings = kitchen(scratch);
    std::filesystem::create_directories(scratch / "far/away/disk");
    std::filesystem::create_directory_symlink(scratch / "far/away/disk", scratch / "disk");
    settings.place = place;
    settings.out = scratch / "disk/d";
    import_videos(settings);
    for (const char* folder : {"disk/d", "far/away/disk/d"}) {
      const FrameIndex index = index_frames(read_dataset(scratch / folder), OnError::Stop);
      EXPECT_EQ(number_of(read_frames(*index.clips[1], std::vector{0}).front()), 25);
    }
  }
}

TEST(ImportVideos, CopiesOfEqualNamesGetNumbers) {
  const ScratchFolder scratch;
  VideosImport settings = kitchen(scratch);
  std::filesystem::create_directory(scratch / "in/x");
  std::filesystem::rename(scratch / "in/b.avi", scratch / "in/x/a.mp4");
  scratch.write("in/clips.csv",
                "clip,split,labels,video\none,train,cut,a.mp4\ntwo,train,cut,x/a.mp4\n");
  settings.place = VideoPlace::Copied;
  const Dataset dataset = import_videos(settings).dataset;
  EXPECT_EQ(dataset.clips[0].video, "videos/a.mp4");
  EXPECT_EQ(dataset.clips[1].video, "videos/a-2.mp4");
}

TEST(ImportVideos, AFolderForRelativeVideosCanBeNamed) {
  const ScratchFolder scratch;
  VideosImport settings = kitchen(scratch);
  std::filesystem::rename(scratch / "in/clips.csv", scratch / "clips.csv");
  settings.clips = scratch / "clips.csv";
  settings.videos = scratch / "in";
  EXPECT_EQ(import_videos(settings).dataset.clips[0].video, "../in/a.mp4");
}

TEST(ImportVideos, AbsoluteVideosStayAbsolute) {
  const ScratchFolder scratch;
  VideosImport settings = kitchen(scratch);
  const std::string video = (scratch / "in/a.mp4").string();
  scratch.write("in/clips.csv", "clip,split,labels,video\none,train,cut," + video + "\n");
  EXPECT_EQ(import_videos(settings).dataset.clips[0].video, video);
}

TEST(ImportVideos, BadOnesStopItOrAreLeftOut) {
  const ScratchFolder scratch;
  VideosImport settings = kitchen(scratch);
  scratch.write("in/b.avi", "nothing that moves");
  EXPECT_EQ(error_of(scratch, [&] { import_videos(settings); }),
            "clip 'three': in/b.avi: is damaged or not a video: Invalid data found when "
            "processing input");
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"in"}));
  settings.on_error = OnError::Skip;
  const VideosImported imported = import_videos(settings);
  ASSERT_EQ(imported.skipped.size(), 1U);
  EXPECT_TRUE(imported.skipped[0].starts_with("three: "));
  const Dataset dataset = read_dataset(scratch / "d");
  ASSERT_EQ(dataset.clips.size(), 3U);
  EXPECT_EQ(dataset.clips[2].name, "four");
  EXPECT_EQ(imported.index.clips[2]->count, 6);
}

TEST(ImportVideos, ATableThatDoesNotFitIsRefused) {
  const ScratchFolder scratch;
  VideosImport settings = kitchen(scratch);
  const auto error = [&] { return error_of(scratch, [&] { import_videos(settings); }); };
  scratch.write("in/clips.csv", "clip,split,labels\none,train,cut\n");
  EXPECT_EQ(error(),
            "in/clips.csv: the clip 'one' names no video; the column 'video' holds a file or a "
            "folder");
  scratch.write("in/clips.csv", "clip,split,labels,video\none,train,cut,none.mp4\n");
  EXPECT_EQ(error(), "clip 'one': in/none.mp4: there is no such file");
  settings.on_error = OnError::Skip;
  EXPECT_EQ(error(),
            "in/clips.csv: no clip is left; the first: one: in/none.mp4: there is no such file");
}

}  // namespace
}  // namespace manyverbs
