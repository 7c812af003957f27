// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/import_videos.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "manyverbs/decoding/internal/flow_folders.h"
#include "manyverbs/support/internal/files.h"
#include "tests/decoding/numbered_pictures.h"
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
  scratch.write("in/clips.csv",
                "clip,split,labels,video,start,stop\n"
                "one,train,cut,a.mp4,0,1\n"
                "two,train,peel,a.mp4,1,2\n"
                "three,val,cut,b.avi,,\n"
                "four,test,cut;peel,frames,,\n");
  settings.clips.lists = {{scratch / "in/clips.csv", {}}};
  settings.out = scratch / "d";
  return settings;
}

TEST(ImportVideos, CreatesADataSetWithoutFeatures) {
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

// A folder in/a of six frames with flow images beside them, and a list of it.
VideosImport frames_beside_flow(const ScratchFolder& scratch) {
  std::filesystem::create_directories(scratch / "in/a");
  for (int i = 1; i <= 6; ++i) {
    for (const char* name : {"img_{:05}.jpg", "flow_x_{:05}.jpg", "flow_y_{:05}.jpg"}) {
      write_picture(scratch / "in/a" / fmt::format(fmt::runtime(name), i), numbered_picture(i));
    }
  }
  VideosImport settings;
  settings.clips.lists = {{scratch.write("in/train.txt", "a 9 0\n"), Split::Train}};
  settings.out = scratch / "d";
  return settings;
}

TEST(ImportVideos, FlowBesideTheFramesIsUsed) {
  const ScratchFolder scratch;
  const VideosImported imported = import_videos(frames_beside_flow(scratch));
  EXPECT_EQ(imported.dataset.clips[0].flow, "../in/a");
  EXPECT_EQ(imported.remarks.back(),
            "note: 1 of 1 clips have another number of frames than listed: a has 6, listed 9");
  const Dataset dataset = read_dataset(scratch / "d");
  EXPECT_EQ(flow_settings(dataset).method, FlowMethod::Given);
  EXPECT_EQ(index_flow(dataset, OnError::Stop).clips[0]->count, 5);
}

TEST(ImportVideos, FlowBesideTheFramesIsCopiedOrLinkedWithThem) {
  for (const VideoPlace place : {VideoPlace::Copied, VideoPlace::Linked}) {
    const ScratchFolder scratch;
    VideosImport settings = frames_beside_flow(scratch);
    settings.place = place;
    import_videos(settings);
    const Dataset dataset = read_dataset(scratch / "d");
    EXPECT_EQ(dataset.clips[0].video, "videos/a");
    EXPECT_EQ(dataset.clips[0].flow, "videos/a");
    if (place == VideoPlace::Copied) std::filesystem::remove_all(scratch / "in");
    EXPECT_EQ(index_flow(dataset, OnError::Stop).clips[0]->count, 5);
  }
}

TEST(ImportVideos, ResumesAfterAnInterruption) {
  const ScratchFolder scratch;
  VideosImport settings = kitchen(scratch);
  settings.place = VideoPlace::Copied;
  EXPECT_EQ(interrupted_at_once([&] { import_videos(settings); }),
            "the frames of 0 of 4 clips are counted");
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"in"}) << "nothing was found to keep";
  VideosImported imported;
  for (const std::string& text :
       interrupt_until_done([&] { imported = import_videos(settings); })) {
    EXPECT_TRUE(text.ends_with(" of 4 clips are counted") ||
                text.ends_with(" of 4 clips are copied"))
        << text;
  }
  EXPECT_EQ(imported.index.clips[0]->count, 25);
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"d", "in"}));
}

TEST(ImportVideos, ResumesWithNothingButIndicesOfTarFiles) {
  const ScratchFolder scratch;
  write_frames(scratch / "a", 3);
  const std::string whole = read_file(scratch / "a/frame_0000000001.jpg");
  scratch.write("a/frame_0000000001.jpg", "no picture");
  std::filesystem::create_directory(scratch / "in");
  pack(scratch / "a", scratch / "in/a.tar");
  VideosImport settings;
  scratch.write("in/clips.csv", "clip,split,labels,video\none,train,cut,a.tar\n");
  settings.clips.lists = {{scratch / "in/clips.csv", {}}};
  settings.out = scratch / "d";
  EXPECT_THROW(import_videos(settings), Error);
  for (const auto& entry : std::filesystem::directory_iterator(scratch / "d.partial")) {
    EXPECT_EQ(entry.path().filename().string(), "tars");
  }
  scratch.write("a/frame_0000000001.jpg", whole);
  pack(scratch / "a", scratch / "in/a.tar");
  EXPECT_EQ(import_videos(settings).index.clips[0]->count, 3);
}

TEST(ImportVideos, DoesNotUseAFolderOfTheUser) {
  const ScratchFolder scratch;
  const VideosImport settings = kitchen(scratch);
  scratch.write("d.partial/videos/mine.mp4", "mine");
  EXPECT_EQ(error_of(scratch, [&] { import_videos(settings); }),
            "d.partial: exists but is not an interrupted import; rename it or choose another "
            "--out");
  EXPECT_EQ(read_file(scratch / "d.partial/videos/mine.mp4"), "mine");
}

TEST(ImportVideos, StoresTheFrameIndex) {
  const ScratchFolder scratch;
  const VideosImported imported = import_videos(kitchen(scratch));
  const FrameIndex index = index_frames(read_dataset(scratch / "d"), OnError::Stop);
  EXPECT_EQ(index.clips, imported.index.clips);
  EXPECT_EQ(index.videos_known, 3);
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
    const FrameIndex index = index_frames(dataset, OnError::Stop);
    EXPECT_EQ(index.videos_known, 3);
    EXPECT_EQ(number_of(read_frames(*index.clips[1], std::vector{0}).front()), 25);
  }
}

TEST(ImportVideos, TheDataSetCanBeBelowALink) {
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

TEST(ImportVideos, TheDataSetMayMoveWithItsVideosOrWithoutThem) {
  const ScratchFolder scratch;
  import_videos(kitchen(scratch));
  const auto first_number = [&](const std::string& folder) {
    const FrameIndex index = index_frames(read_dataset(scratch / folder), OnError::Stop);
    EXPECT_EQ(index.videos_known, 3);
    return number_of(read_frames(*index.clips[1], std::vector{0}).front());
  };
  std::filesystem::create_directories(scratch / "far/away");
  std::filesystem::rename(scratch / "d", scratch / "far/away/d");
  EXPECT_EQ(first_number("far/away/d"), 25);
  std::filesystem::rename(scratch / "in", scratch / "far/away/in");
  EXPECT_EQ(first_number("far/away/d"), 25);
  std::filesystem::rename(scratch / "far/away/in", scratch / "lost");
  EXPECT_EQ(error_of(scratch, [&] { first_number("far/away/d"); }),
            "clip 'one': far/away/in/a.mp4: the file does not exist");
}

TEST(ImportVideos, CopiesWithEqualNamesGetNumbers) {
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

TEST(ImportVideos, AFolderForRelativeVideosCanBeSet) {
  const ScratchFolder scratch;
  VideosImport settings = kitchen(scratch);
  std::filesystem::rename(scratch / "in/clips.csv", scratch / "clips.csv");
  settings.clips.lists = {{scratch / "clips.csv", {}}};
  settings.clips.videos = scratch / "in";
  EXPECT_EQ(import_videos(settings).dataset.clips[0].video, "../in/a.mp4");
}

TEST(ImportVideos, AbsoluteVideosStayAbsolute) {
  const ScratchFolder scratch;
  VideosImport settings = kitchen(scratch);
  const std::string video = (scratch / "in/a.mp4").string();
  scratch.write("in/clips.csv", "clip,split,labels,video\none,train,cut," + video + "\n");
  EXPECT_EQ(import_videos(settings).dataset.clips[0].video, video);
}

TEST(ImportVideos, UnreadableVideosStopItOrAreSkipped) {
  const ScratchFolder scratch;
  VideosImport settings = kitchen(scratch);
  scratch.write("in/b.avi", "nothing that moves");
  EXPECT_EQ(error_of(scratch, [&] { import_videos(settings); }),
            "clip 'three': in/b.avi: is damaged or not a video: Invalid data found when "
            "processing input");
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"d.partial", "in"}));
  settings.on_error = OnError::Skip;
  const VideosImported imported = import_videos(settings);
  EXPECT_EQ(imported.index.videos_known, 1);  // a.mp4 was counted before it stopped at b.avi
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"d", "in"}));
  ASSERT_EQ(imported.skipped.size(), 1U);
  EXPECT_TRUE(imported.skipped[0].starts_with("three: "));
  const Dataset dataset = read_dataset(scratch / "d");
  ASSERT_EQ(dataset.clips.size(), 3U);
  EXPECT_EQ(dataset.clips[2].name, "four");
  EXPECT_EQ(imported.index.clips[2]->count, 6);
}

TEST(ImportVideos, AnInvalidTableIsAnError) {
  const ScratchFolder scratch;
  VideosImport settings = kitchen(scratch);
  const auto error = [&] { return error_of(scratch, [&] { import_videos(settings); }); };
  scratch.write("in/clips.csv", "clip,split,labels\none,train,cut\n");
  EXPECT_EQ(error(),
            "in/clips.csv: the clip 'one' has no video; expected a file or a folder in the column "
            "'video'");
  scratch.write("in/clips.csv", "clip,split,labels,video\none,train,cut,none.mp4\n");
  EXPECT_EQ(error(), "clip 'one': in/none.mp4: the file does not exist");
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"in"});
  settings.on_error = OnError::Skip;
  EXPECT_EQ(error(),
            "in/clips.csv: no clip can be imported; first error: one: in/none.mp4: the file does "
            "not exist");
}

std::int64_t lines_of(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return 0;
  const std::string text = read_file(file);
  return std::count(text.begin(), text.end(), '\n');
}

// Starts an import in a separate process and kills it when a condition is met.
template <typename Condition>
void import_and_kill(const VideosImport& settings, const Condition& when) {
  const pid_t process = fork();
  if (process == 0) {
    import_videos(settings);
    _exit(0);
  }
  constexpr int kMostTries = 24'000;  // two minutes, if it is never met
  int tries = 0;
  while (!when() && ++tries < kMostTries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_LT(tries, kMostTries);
  kill(process, SIGKILL);
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the import ended before it was killed";
}

// b.avi is a pipe without a writer, which blocks the import.
TEST(ImportVideos, ResumesIfKilledWhileCounting) {
  const ScratchFolder scratch;
  const VideosImport settings = kitchen(scratch);
  std::filesystem::rename(scratch / "in/b.avi", scratch / "b.avi");
  ASSERT_EQ(mkfifo((scratch / "in/b.avi").c_str(), 0600), 0);
  const auto partial = scratch / "d.partial/frames.partial.csv";
  import_and_kill(settings, [&] { return lines_of(partial) == 3; });  // header and two clips
  EXPECT_FALSE(std::filesystem::exists(scratch / "d"));
  std::filesystem::rename(scratch / "b.avi", scratch / "in/b.avi");
  const VideosImported resumed = import_videos(settings);
  EXPECT_EQ(resumed.index.videos_known, 1);
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"d", "in"}));
  VideosImport undisturbed = settings;
  undisturbed.out = scratch / "e";
  undisturbed.name = "d";
  const VideosImported whole = import_videos(undisturbed);
  EXPECT_EQ(whole.index.videos_known, 0);
  EXPECT_EQ(resumed.index.clips, whole.index.clips);
  EXPECT_EQ(resumed.dataset.name, whole.dataset.name);
  for (const char* file : {"classes.csv", "clips.csv"}) {
    EXPECT_EQ(read_file(scratch / "d" / file), read_file(scratch / "e" / file)) << file;
  }
}

TEST(ImportVideos, CompleteCopiesOfAKilledCallAreReused) {
  const ScratchFolder scratch;
  VideosImport settings = kitchen(scratch);
  settings.place = VideoPlace::Copied;
  import_videos(settings);
  const std::string whole = read_file(scratch / "d/clips.csv");
  std::filesystem::create_directories(scratch / "d.partial/videos");
  std::filesystem::rename(scratch / "d/frames.csv", scratch / "d.partial/frames.csv");
  std::filesystem::rename(scratch / "d/videos/a.mp4", scratch / "d.partial/videos/a.mp4");
  scratch.write("d.partial/videos/b.avi", "cut off");
  scratch.write("d.partial/videos/frames.partial/img_00001.jpg", "cut off");
  scratch.write("d.partial/videos/gone.mp4", "not asked for any more");
  std::filesystem::remove_all(scratch / "d");
  const ino_t before = identity(scratch / "d.partial/videos/a.mp4");
  const VideosImported resumed = import_videos(settings);
  EXPECT_EQ(identity(scratch / "d/videos/a.mp4"), before);
  EXPECT_EQ(read_file(scratch / "d/clips.csv"), whole);
  EXPECT_EQ(read_file(scratch / "d/videos/b.avi"), read_file(scratch / "in/b.avi"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch / "d/videos"), {}), 3);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch / "d/videos/frames"), {}), 6);
}

}  // namespace
}  // namespace manyverbs
