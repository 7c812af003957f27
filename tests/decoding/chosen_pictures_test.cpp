// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/chosen_pictures.h"

#include "manyverbs/decoding/internal/flow_in_memory.h"
#include "manyverbs/decoding/internal/video_file.h"
#include "manyverbs/support/internal/files.h"
#include "tests/decoding/video_dataset.h"

namespace manyverbs {
namespace {

using Positions = std::vector<int>;

// The first, the middle and the last frame.
Positions three(int frames) { return {0, frames / 2, frames - 1}; }

// The numbers drawn in the chosen pictures, with their positions.
std::map<int, int> numbers_in(const std::map<int, Image>& pictures) {
  std::map<int, int> numbers;
  for (const auto& [position, image] : pictures) numbers[position] = number_of(image);
  return numbers;
}

TEST(ChosenPictures, AreThoseThatTheNumberOfFramesCallsFor) {
  const ScratchFolder scratch;
  write_numbered_video(scratch / "a.mp4", 21);
  const std::vector<PictureChoice> choices = {{{Colour::Rgb, 0}, three},
                                              {{Colour::Grey, 24}, [](int frames) {
                                                 return Positions{frames - 2, frames - 2};
                                               }}};
  const ChosenPictures chosen = read_chosen_pictures(scratch / "a.mp4", choices);
  EXPECT_EQ(chosen.frames, 21);
  EXPECT_EQ(numbers_in(chosen.pictures[0]), (std::map<int, int>{{0, 0}, {10, 10}, {20, 20}}));
  EXPECT_EQ(numbers_in(chosen.pictures[1]), (std::map<int, int>{{19, 19}}));
  EXPECT_EQ(chosen.pictures[0].at(10).channels, 3);
  EXPECT_EQ(chosen.pictures[1].at(19).channels, 1);
  EXPECT_EQ(chosen.pictures[1].at(19).height, 24);
}

TEST(ChosenPictures, AreTheFramesThatReadFramesReads) {
  const ScratchFolder scratch;
  write_drifting_video(scratch / "a.mp4", 17, 1.5);
  const std::vector<PictureChoice> choices = {{{Colour::Rgb, 50}, three}};
  const ChosenPictures chosen = read_chosen_pictures(scratch / "a.mp4", choices);
  const std::vector<Image> read =
      read_frames(find_frames(scratch / "a.mp4"), Positions{0, 8, 16}, {Colour::Rgb, 50});
  EXPECT_EQ(chosen.pictures[0], (std::map<int, Image>{{0, read[0]}, {8, read[1]}, {16, read[2]}}));
}

TEST(ChosenPictures, OfAFolderAreItsPictures) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "a");
  for (int i = 0; i < 5; ++i) {
    write_picture(scratch / fmt::format("a/img_{:05}.jpg", i + 1), numbered_picture(i));
  }
  const std::vector<PictureChoice> choices = {{{}, three}};
  const ChosenPictures chosen = read_chosen_pictures(scratch / "a", choices);
  EXPECT_EQ(chosen.frames, 5);
  EXPECT_EQ(numbers_in(chosen.pictures[0]), (std::map<int, int>{{0, 0}, {2, 2}, {4, 4}}));
}

// MPEG-2 in a program stream has no index: the number of frames is guessed from the bit rate.
TEST(ChosenPictures, AreRightWhereTheFileMisstatesItsNumberOfFrames) {
  const ScratchFolder scratch;
  write_numbered_video(scratch / "a.mpg", 60, {.codec = "mpeg2video"});
  const auto announced = VideoFile(scratch / "a.mpg").announced_frames();
  ASSERT_GT(std::abs(announced - 60), 2) << "the file announces its frames rightly";
  const std::vector<PictureChoice> choices = {{{}, three}};
  const ChosenPictures chosen = read_chosen_pictures(scratch / "a.mpg", choices);
  EXPECT_EQ(chosen.frames, 60);
  EXPECT_EQ(numbers_in(chosen.pictures[0]), (std::map<int, int>{{0, 0}, {30, 30}, {59, 59}}));
}

TEST(ChosenPictures, OfABadFileAreTheErrorOfFindFrames) {
  const ScratchFolder scratch;
  write_numbered_video(scratch / "a.mp4", 40);
  const std::string bytes = read_file(scratch / "a.mp4");
  scratch.write("cut.mp4", bytes.substr(0, bytes.size() / 2));
  scratch.write("bad.mp4", "no video");
  const std::vector<PictureChoice> choices = {{{}, three}};
  for (const char* file : {"lost.mp4", "bad.mp4", "cut.mp4"}) {
    const std::string error =
        error_of(scratch, [&] { read_chosen_pictures(scratch / file, choices); });
    EXPECT_NE(error, "");
    EXPECT_EQ(error, error_of(scratch, [&] { find_frames(scratch / file); }));
  }
}

TEST(FlowInMemory, LiesBetweenFrames) {
  EXPECT_EQ(num_flow_fields(9), 8);
  EXPECT_EQ(num_flow_fields(1), 1);
  EXPECT_EQ(frames_for_flow(Positions{5, 0, 1}, 9), (Positions{0, 1, 2, 5, 6}));
  EXPECT_EQ(frames_for_flow(Positions{0, 0}, 1), Positions{0});
}

class FlowInMemoryBy : public testing::TestWithParam<FlowMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, FlowInMemoryBy,
                         testing::Values(FlowMethod::Tvl1, FlowMethod::Dis));

TEST_P(FlowInMemoryBy, IsWhatTheFlowOfADataSetHolds) {
  const ScratchFolder scratch;
  write_drifting_video(scratch / "a.mp4", 9, 2.0);
  write_drifting_video(scratch / "one.mp4", 1, 0);
  const Dataset dataset = video_dataset(scratch, {{"a", "a.mp4"}, {"one", "one.mp4"}});
  const FlowSettings settings{GetParam(), 20, 60};
  compute_flow(dataset, settings, OnError::Stop);
  const auto check = [&](const std::string& name, const Positions& fields) {
    const std::vector<PictureChoice> choices = {
        {{Colour::Grey, settings.short_side},
         [&](int frames) { return frames_for_flow(fields, frames); }}};
    const ChosenPictures chosen = read_chosen_pictures(scratch / (name + ".mp4"), choices);
    const FlowFrames stored = find_flow(scratch / ("flow/" + name));
    EXPECT_EQ(stored.count, num_flow_fields(chosen.frames));
    for (const int short_side : {0, 40}) {
      EXPECT_EQ(flow_in_memory(chosen.pictures[0], fields, settings, short_side),
                read_flow(stored, fields, short_side));
    }
  };
  check("a", {6, 2, 3, 6});
  check("one", {0, 0});
}

}  // namespace
}  // namespace manyverbs
