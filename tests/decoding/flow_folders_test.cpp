// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/flow_folders.h"

#include <algorithm>

#include "manyverbs/decoding/internal/peek.h"
#include "manyverbs/support/internal/files.h"
#include "tests/decoding/drawn.h"
#include "tests/decoding/video_dataset.h"
#include "tests/interrupting.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

// Three clips of a texture that drifts to the right, 5, 3 and 1 frames long.
Dataset drifting(const ScratchFolder& scratch) {
  for (const int frames : {5, 3, 1}) {
    write_drifting_video(scratch / fmt::format("{}.mp4", frames), frames, 2.0);
  }
  return video_dataset(scratch, {{"five", "5.mp4"}, {"three", "3.mp4"}, {"one", "1.mp4"}});
}

constexpr FlowSettings kFast = {FlowMethod::Dis, 20, 0};

std::int64_t files_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder),
                       std::filesystem::directory_iterator());
}

TEST(FlowFolders, HaveOnePairLessThanFrames) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  const FlowReport report = compute_flow(dataset, kFast, OnError::Stop);
  EXPECT_EQ(report.computed, 3);
  EXPECT_EQ(report.pairs, 4 + 2 + 1);
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(find_flow(flow_folder(dataset, dataset.clips[0])).count, 4);
  EXPECT_EQ(find_flow(flow_folder(dataset, dataset.clips[1])).count, 2);
  EXPECT_EQ(files_in(scratch / "flow/five"), 2 * 4 + 1);
  EXPECT_EQ(flow_settings(dataset), kFast);
}

TEST(FlowFolders, OfOneFrameHaveNoMotion) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  compute_flow(dataset, kFast, OnError::Stop);
  const FlowFrames flow = find_flow(flow_folder(dataset, dataset.clips[2]));
  EXPECT_EQ(flow.count, 1);
  const Image still = read_flow(flow, std::vector{0}).front();
  for (const std::uint8_t code : still.pixels) ASSERT_EQ(code, 128);
}

TEST(FlowFolders, HaveTheDrawnMotion) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  compute_flow(dataset, {FlowMethod::Tvl1, 20, 0}, OnError::Stop);
  const FlowFrames flow = find_flow(flow_folder(dataset, dataset.clips[0]));
  const Image picture = read_flow(flow, std::vector{1}).front();
  const std::size_t centre =
      2 * (static_cast<std::size_t>(flow.height) / 2 * flow.width + flow.width / 2);
  EXPECT_NEAR(decode_flow(picture.pixels[centre], 20), 2.0, 0.4);
  EXPECT_NEAR(decode_flow(picture.pixels[centre + 1], 20), 0.0, 0.4);
}

TEST(FlowFolders, AreComputedFromResizedFrames) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  compute_flow(dataset, {FlowMethod::Dis, 20, 48}, OnError::Stop);
  const FlowFrames flow = find_flow(flow_folder(dataset, dataset.clips[0]));
  EXPECT_EQ(flow.height, 48);
  EXPECT_EQ(flow.width, 64);  // 96 x 72
}

TEST(FlowFolders, TooSmallForANetworkAreRejected) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       compute_flow(dataset, {FlowMethod::Dis, 20, 36}, OnError::Stop);
                     }),
            "a short side of 36 pixels is too small for a network; expected at least 37, or 0");
  EXPECT_FALSE(std::filesystem::exists(scratch / "flow"));
  EXPECT_EQ(compute_flow(dataset, {FlowMethod::Dis, 20, 37}, OnError::Stop).computed, 3);
}

TEST(FlowFolders, AreComputedAgainWhenTheVideoIsAnotherOfTheSameSize) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  compute_flow(dataset, kFast, OnError::Stop);
  std::string bytes = read_file(scratch / "5.mp4");
  bytes[bytes.find("Lavf")] = 'l';  // the name of the program that wrote it
  const auto time = std::filesystem::last_write_time(scratch / "5.mp4");
  scratch.write("5.mp4", bytes);
  std::filesystem::last_write_time(scratch / "5.mp4", time);
  EXPECT_EQ(compute_flow(dataset, kFast, OnError::Stop).computed, 1);
}

TEST(FlowFolders, OfACopiedDataSetAreKept) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "a");
  for (const int frames : {5, 3}) {
    write_drifting_video(scratch / fmt::format("a/{}.mp4", frames), frames, 2.0);
  }
  Dataset dataset = video_dataset(scratch, {{"five", "5.mp4"}, {"three", "3.mp4"}});
  dataset.folder = scratch / "a";
  compute_flow(dataset, kFast, OnError::Stop);
  std::filesystem::copy(scratch / "a", scratch / "b", std::filesystem::copy_options::recursive);
  dataset.folder = scratch / "b";
  EXPECT_EQ(compute_flow(dataset, kFast, OnError::Stop).kept, 2);
  EXPECT_EQ(index_frames(dataset, OnError::Stop).videos_known, 2);
}

TEST(FlowFolders, ResumeAfterAnInterruptionWithoutIncompleteFolders) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  const std::vector<std::string> kept = interrupt_until_done([&] {
    compute_flow(dataset, {FlowMethod::Tvl1, 20, 0}, OnError::Stop);
  });
  EXPECT_TRUE(std::any_of(kept.begin(), kept.end(), [](const std::string& text) {
    return text.starts_with("the flow of ") && text.ends_with(" of 3 clips is saved");
  }));
  EXPECT_EQ(files_in(scratch / "flow"), 1 + 3) << "no temporary folder is left";
  EXPECT_EQ(files_in(scratch / "flow/five"), 2 * 4 + 1);
}

TEST(FlowFolders, AreKeptAndMissingOnesComputed) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  compute_flow(dataset, kFast, OnError::Stop);
  const ino_t stamp = identity(scratch / "flow/five/flow_x_00001.jpg");
  std::filesystem::remove_all(scratch / "flow/three");
  scratch.write("flow/three.99-0.tmp/flow_x_00001.jpg", "of a process that was killed");
  const FlowReport report = compute_flow(dataset, kFast, OnError::Stop);
  EXPECT_EQ(report.computed, 1);
  EXPECT_EQ(report.kept, 2);
  EXPECT_EQ(report.pairs, 2);
  EXPECT_EQ(identity(scratch / "flow/five/flow_x_00001.jpg"), stamp);
  EXPECT_FALSE(std::filesystem::exists(scratch / "flow/three.99-0.tmp"));
}

TEST(FlowFolders, OfAClipWhoseNameEndsInTmpAreKeptToo) {
  const ScratchFolder scratch;
  Dataset dataset = drifting(scratch);
  dataset.clips[0].name = "five.tmp";
  compute_flow(dataset, kFast, OnError::Stop);
  EXPECT_EQ(compute_flow(dataset, kFast, OnError::Stop).kept, 3);
}

TEST(FlowFolders, AreComputedAgainWhenTheVideoChanges) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  compute_flow(dataset, kFast, OnError::Stop);
  write_drifting_video(scratch / "3.mp4", 7, 1.0);
  const FlowReport report = compute_flow(dataset, kFast, OnError::Stop);
  EXPECT_EQ(report.computed, 1);
  EXPECT_EQ(find_flow(flow_folder(dataset, dataset.clips[1])).count, 6);
}

TEST(FlowFolders, OfOtherSettingsAreReplacedOnlyOnRequest) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  compute_flow(dataset, kFast, OnError::Stop);
  const FlowSettings other = {FlowMethod::Dis, 10, 0};
  EXPECT_EQ(error_of(scratch, [&] { compute_flow(dataset, other, OnError::Stop); }),
            "flow: expected flow with dis, bound 10, short side 0, found flow with dis, bound 20, "
            "short side 0; use --replace to compute it again");
  EXPECT_EQ(compute_flow(dataset, other, OnError::Stop, true).computed, 3);
  EXPECT_EQ(flow_settings(dataset), other);
}

TEST(FlowFolders, KeepTheirSettingsUntilAllFlowIsRemoved) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  compute_flow(dataset, kFast, OnError::Stop);
  const FlowSettings other = {FlowMethod::Dis, 10, 0};
  {
    const FullDisk full(1);  // the new settings cannot be written
    EXPECT_NE(error_of(scratch, [&] { compute_flow(dataset, other, OnError::Stop, true); }), "");
  }
  EXPECT_EQ(flow_settings(dataset), kFast);
  EXPECT_EQ(compute_flow(dataset, other, OnError::Stop, true).computed, 3);
}

TEST(FlowFolders, AreNotReplacedWhileInUseByAnotherProcess) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  compute_flow(dataset, kFast, OnError::Stop);
  const FlowSettings other = {FlowMethod::Dis, 10, 0};
  {
    const FileLock elsewhere(scratch / "flow");
    EXPECT_EQ(error_of(scratch, [&] { compute_flow(dataset, other, OnError::Stop, true); }),
              "flow: in use by another process");
  }
  EXPECT_EQ(compute_flow(dataset, kFast, OnError::Stop).kept, 3);
}

TEST(FlowFolders, OfOtherProgramsAreUsedUnchanged) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  std::filesystem::create_directories(scratch / "flow/five");
  write_flow(scratch / "flow/five", 0, Image(8, 8, 2));
  const FlowReport report = compute_flow(dataset, kFast, OnError::Stop);
  EXPECT_EQ(report.kept, 1);
  EXPECT_EQ(find_flow(flow_folder(dataset, dataset.clips[0])).count, 1);
}

TEST(FlowFolders, UnreadableVideosAreSkippedOrStopTheCommand) {
  const ScratchFolder scratch;
  Dataset dataset = drifting(scratch);
  scratch.write("3.mp4", "");
  EXPECT_EQ(error_of(scratch, [&] { compute_flow(dataset, kFast, OnError::Stop); }),
            "clip 'three': 3.mp4: is empty");
  const FlowReport report = compute_flow(dataset, kFast, OnError::Skip);
  EXPECT_EQ(report.computed, 2);
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_EQ(report.problems[0].clip, ClipRow(1));
}

TEST(FlowFolders, AFullDiskLeavesNoIncompleteFolder) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  index_frames(dataset, OnError::Stop);
  {
    const FullDisk full(200);
    EXPECT_NE(error_of(scratch, [&] { compute_flow(dataset, kFast, OnError::Stop); }), "");
  }
  EXPECT_FALSE(std::filesystem::exists(scratch / "flow/five"));
  EXPECT_EQ(compute_flow(dataset, kFast, OnError::Stop).computed, 3);
}

TEST(FlowFolders, HaveValidFileNames) {
  Dataset dataset;
  dataset.folder = "d";
  const auto name = [&](const std::string& clip) {
    Clip named;
    named.name = clip;
    return flow_folder(dataset, named).string();
  };
  EXPECT_EQ(name("P01_11_4"), "d/flow/P01_11_4");
  EXPECT_EQ(name("cut/7"), "d/flow/cut%2F7");
  EXPECT_EQ(name(".."), "d/flow/%2E.");
  EXPECT_EQ(name("50%"), "d/flow/50%25");
}

TEST(FlowFolders, MissingOnesAreAnErrorWithAdvice) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  EXPECT_TRUE(
      error_of(scratch, [&] {
        flow_settings(dataset);
      }).find("the data set has no flow; compute it with 'manyverbs flow ") != std::string::npos);
}

TEST(Peek, DrawsFramesAboveTheirFlow) {
  const ScratchFolder scratch;
  const Dataset dataset = drifting(scratch);
  compute_flow(dataset, kFast, OnError::Stop);
  const auto files = peek_at_flow(dataset, 2, scratch / "peek");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0], scratch / "peek/five.jpg");
  const Image sheet = read_picture(files[0]);
  EXPECT_EQ(sheet.width, 4 * 96 + 3 * 4);
  EXPECT_EQ(sheet.height, 2 * 72 + 4);
}

}  // namespace
}  // namespace manyverbs
