// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/import_benchmarks.h"

#include "manyverbs/decoding/internal/flow_folders.h"
#include "manyverbs/support/internal/csv.h"
#include "tests/decoding/numbered_pictures.h"
#include "tests/interrupting.h"

namespace manyverbs {
namespace {

using Numbers = std::vector<int>;

// A video of EPIC-Kitchens-55 with 40 frames and one of the extension with 30, two overlapping
// segments each.
class Epic100WithFrames : public testing::Test {
 protected:
  void SetUp() override {
    scratch_.write("epic/EPIC_100_verb_classes.csv", "id,key\n0,take\n1,put\n");
    const std::string header = "narration_id,video_id,start_frame,stop_frame,verb_class\n";
    scratch_.write("epic/EPIC_100_train.csv",
                   header + "P01_01_0,P01_01,1,20,0\nP01_01_1,P01_01,11,40,1\n");
    scratch_.write("epic/EPIC_100_validation.csv",
                   header + "P02_101_0,P02_101,1,10,0\nP02_101_1,P02_101,6,30,1\n");
    settings_.annotations = scratch_ / "epic";
    settings_.frames = scratch_ / "EPIC-KITCHENS";
    settings_.out = scratch_ / "d";
    write_video("P01", "P01_01", 40, 19);  // ceil((40 - 3) / 2)
    write_video("P02", "P02_101", 30, 29);
  }

  void write_video(const std::string& person, const std::string& video, int frames, int flow) {
    write_frames(settings_.frames / person / "rgb_frames" / video, frames);
    for (const char* direction : {"u", "v"}) {
      write_frames(settings_.frames / person / "flow_frames" / video / direction, flow);
    }
  }
  void pack_video(const std::string& person, const std::string& video) {
    for (const char* kind : {"rgb_frames", "flow_frames"}) {
      const std::filesystem::path folder = settings_.frames / person / kind / video;
      pack(folder, folder.string() + ".tar");
      std::filesystem::remove_all(folder);
    }
  }
  void expect_right_pictures() const {
    const Dataset dataset = read_dataset(settings_.out);
    const FrameIndex frames = index_frames(dataset, OnError::Stop);
    EXPECT_EQ(frames.clips[1]->count, 30);
    EXPECT_EQ(frames.clips[1]->frame_rate, 60);
    EXPECT_EQ(frames.clips[3]->frame_rate, 50);
    EXPECT_EQ(numbers_of(read_frames(*frames.clips[1], Numbers{0, 29})), (Numbers{10, 39}));
    EXPECT_EQ(numbers_of(read_frames(*frames.clips[3], Numbers{0})), Numbers{5});
    const FlowIndex flow = index_flow(dataset, OnError::Stop);
    EXPECT_EQ(flow.clips[1]->first, 5);   // frame 11 has flow image 6 (from 1)
    EXPECT_EQ(flow.clips[1]->count, 14);  // to the one before that of frame 40; 19 is the last
    EXPECT_EQ(flow.clips[3]->first, 5);
    EXPECT_EQ(flow.clips[3]->count, 24);
    EXPECT_EQ(numbers_of(read_flow(*flow.clips[1], Numbers{0, 13})), (Numbers{5, 18}));
  }

  ScratchFolder scratch_;
  Epic100Import settings_;
};

TEST_F(Epic100WithFrames, UsesFoldersInPlace) {
  const Epic100Frames result = import_epic100_frames(settings_, OnError::Stop);
  EXPECT_TRUE(result.has_flow);
  EXPECT_TRUE(result.imported.skipped.empty());
  expect_right_pictures();
  EXPECT_EQ(scratch_.names(), (std::vector<std::string>{"EPIC-KITCHENS", "d", "epic"}));
}

TEST_F(Epic100WithFrames, UsesTarFilesInPlace) {
  pack_video("P01", "P01_01");
  pack_video("P02", "P02_101");
  import_epic100_frames(settings_, OnError::Stop);
  EXPECT_TRUE(std::filesystem::exists(settings_.out / "tars"));
  expect_right_pictures();
}

TEST_F(Epic100WithFrames, MovesWithItsFrames) {
  pack_video("P01", "P01_01");
  std::filesystem::create_directory(scratch_ / "a");
  std::filesystem::rename(scratch_ / "EPIC-KITCHENS", scratch_ / "a/EPIC-KITCHENS");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(scratch_ / "a");
  settings_.frames = "EPIC-KITCHENS";
  settings_.out = "d";
  import_epic100_frames(settings_, OnError::Stop);
  std::filesystem::current_path(before);
  std::filesystem::rename(scratch_ / "a", scratch_ / "b");
  settings_.out = scratch_ / "b/d";
  expect_right_pictures();
}

TEST_F(Epic100WithFrames, FindsTheFoldersOfEpicKitchens55) {
  for (const char* kind : {"rgb", "flow"}) {
    std::filesystem::create_directories(scratch_ / "55" / kind / "train/P01");
    std::filesystem::create_directories(scratch_ / "55" / kind / "test/P02");
    const std::string folder = fmt::format("{}_frames", kind);
    std::filesystem::rename(settings_.frames / "P01" / folder / "P01_01",
                            scratch_ / "55" / kind / "train/P01/P01_01");
    std::filesystem::rename(settings_.frames / "P02" / folder / "P02_101",
                            scratch_ / "55" / kind / "test/P02/P02_101");
  }
  settings_.frames = scratch_ / "55";
  import_epic100_frames(settings_, OnError::Stop);
  expect_right_pictures();
}

TEST_F(Epic100WithFrames, MissingFramesOrFlowAreErrors) {
  std::filesystem::remove_all(settings_.frames / "P02/flow_frames");
  EXPECT_EQ(error_of(scratch_, [&] { import_epic100_frames(settings_, OnError::Stop); }),
            "clip 'P02_101_0': EPIC-KITCHENS/P02/flow_frames/P02_101: the folder of flow does not "
            "exist");
  const Epic100Frames result = import_epic100_frames(settings_, OnError::Skip);
  EXPECT_EQ(result.imported.skipped.size(), 2U);
  EXPECT_EQ(result.imported.dataset.clips.size(), 2U);
  std::filesystem::remove_all(scratch_ / "d");
  std::filesystem::remove_all(settings_.frames / "P01/rgb_frames");
  EXPECT_EQ(error_of(scratch_, [&] { import_epic100_frames(settings_, OnError::Stop); }),
            "clip 'P01_01_0': EPIC-KITCHENS/P01/rgb_frames/P01_01: the file does not exist");
}

TEST_F(Epic100WithFrames, WithoutFlowHasNone) {
  for (const char* person : {"P01", "P02"}) {
    std::filesystem::remove_all(settings_.frames / person / "flow_frames");
  }
  EXPECT_FALSE(import_epic100_frames(settings_, OnError::Stop).has_flow);
  EXPECT_FALSE(has_given_flow(read_dataset(settings_.out)));
}

TEST_F(Epic100WithFrames, ResumesAfterAnInterruption) {
  interrupt_until_done([&] { import_epic100_frames(settings_, OnError::Stop); });
  expect_right_pictures();
}

// Split files of two classes and three videos each; each split leaves out another one.
class Hmdb51WithVideos : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"run", "walk"}) {
      for (int split = 1; split <= 3; ++split) {
        std::string text;
        for (int i = 0; i < 3; ++i) {
          const int use = i + 1 == split ? 0 : 1 + (i + split) % 2;
          text += fmt::format("{}.avi {}\n", i, use);
        }
        scratch_.write(fmt::format("splits/{}_test_split{}.txt", name, split), text);
      }
      std::filesystem::create_directories(scratch_ / "films" / name);
      for (int i = 0; i < 3; ++i) {
        write_drifting_video(scratch_ / fmt::format("films/{}/{}.avi", name, i), 8 + i, i, "mpeg4");
      }
    }
    settings_ = {
        .splits = scratch_ / "splits", .videos = scratch_ / "films", .out = scratch_ / "out"};
  }

  ScratchFolder scratch_;
  Hmdb51Import settings_;
};

TEST_F(Hmdb51WithVideos, DecodesEachVideoOnceForAllSplits) {
  const Hmdb51Videos result = import_hmdb51_videos(settings_, OnError::Stop);
  ASSERT_EQ(result.splits.size(), 3U);
  std::filesystem::remove_all(scratch_ / "films/run");
  for (int split = 1; split <= 3; ++split) {
    const Dataset dataset = read_dataset(scratch_ / fmt::format("out/split{}", split));
    EXPECT_EQ(dataset.shared, "../shared");
    EXPECT_EQ(dataset.clips.size(), 4U);
    EXPECT_EQ(read_csv(dataset.folder / "frames.csv").rows.size(), 4U);
    EXPECT_EQ(index_frames(dataset, OnError::Skip).problems.size(), 2U);
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "out/shared/frames.csv"));
}

TEST_F(Hmdb51WithVideos, FlowIsComputedOnce) {
  import_hmdb51_videos(settings_, OnError::Stop);
  const FlowSettings settings{.method = FlowMethod::Dis, .short_side = 48};
  std::vector<int> computed;
  for (int split = 1; split <= 3; ++split) {
    const Dataset dataset = read_dataset(scratch_ / fmt::format("out/split{}", split));
    computed.push_back(compute_flow(dataset, settings, OnError::Stop).computed);
    EXPECT_FALSE(std::filesystem::exists(dataset.folder / "flow"));
  }
  EXPECT_EQ(computed, (std::vector<int>{4, 2, 0}));
  // A copy of the whole folder has the flow, a copy of one split works alone.
  std::filesystem::copy(scratch_ / "out", scratch_ / "copy",
                        std::filesystem::copy_options::recursive);
  EXPECT_EQ(compute_flow(read_dataset(scratch_ / "copy/split3"), settings, OnError::Stop).kept, 4);
  std::filesystem::create_directory(scratch_ / "alone");
  std::filesystem::copy(scratch_ / "out/split1", scratch_ / "alone/split1",
                        std::filesystem::copy_options::recursive);
  const Dataset alone = read_dataset(scratch_ / "alone/split1");
  EXPECT_EQ(compute_flow(alone, settings, OnError::Stop).computed, 4);
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "alone/split1/flow/flow.json"));
}

TEST_F(Hmdb51WithVideos, FramesAreCountedOnceEvenIfImportedWithoutVideos) {
  settings_.videos.clear();
  import_hmdb51(settings_);
  std::vector<int> known;
  for (int split = 1; split <= 3; ++split) {
    Dataset dataset = read_dataset(scratch_ / fmt::format("out/split{}", split));
    for (Clip& clip : dataset.clips) clip.video = (scratch_ / "films" / clip.video).string();
    known.push_back(index_frames(dataset, OnError::Stop).videos_known);
  }
  EXPECT_EQ(known, (std::vector<int>{0, 2, 4}));
}

TEST_F(Hmdb51WithVideos, AnUnreadableVideoIsSkippedInAllSplits) {
  scratch_.write("films/run/0.avi", "no video");
  EXPECT_EQ(
      error_of(scratch_, [&] { import_hmdb51_videos(settings_, OnError::Stop); }).substr(0, 50),
      "clip 'run/0': films/run/0.avi: is damaged or not a");
  const Hmdb51Videos result = import_hmdb51_videos(settings_, OnError::Skip);
  EXPECT_EQ(result.skipped.size(), 1U);
  EXPECT_GT(result.videos_known, 0);
  EXPECT_EQ(result.splits[0].dataset.clips.size(), 4U);  // it does not use the video
  EXPECT_EQ(result.splits[1].dataset.clips.size(), 3U);
}

TEST_F(Hmdb51WithVideos, AForeignPartialFolderIsLeftAlone) {
  scratch_.write("out.partial/notes.txt", "mine");
  EXPECT_EQ(
      error_of(scratch_, [&] { import_hmdb51_videos(settings_, OnError::Stop); }),
      "out.partial: exists but is not an interrupted import; rename it or choose another --out");
}

}  // namespace
}  // namespace manyverbs
