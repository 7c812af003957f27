// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/frames.h"

#include <sys/resource.h>
#include <unistd.h>

#include <limits>
#include <numeric>
#include <regex>

#include "manyverbs/decoding/internal/video_file.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/parallel.h"
#include "tests/decoding/drawn.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Positions = std::vector<int>;

Positions first_numbers(int count) {
  Positions numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

struct Kind {
  const char* file;
  const char* codec;
};

// H.264 here has B-frames; MPEG-4 in AVI is what DivX and Xvid write.
class FramesOf : public testing::TestWithParam<Kind> {
 protected:
  std::filesystem::path make(const ScratchFolder& scratch, int frames) const {
    return write_numbered_video(scratch / GetParam().file, frames, {.codec = GetParam().codec});
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, FramesOf,
                         testing::Values(Kind{"a.mp4", "libx264"}, Kind{"a.avi", "mpeg4"},
                                         Kind{"a.mkv", "libx264"}, Kind{"a.mp4", "mpeg4"},
                                         Kind{"a.avi", "mjpeg"}));

TEST_P(FramesOf, AreCountedAndMeasured) {
  const ScratchFolder scratch;
  const ClipFrames clip = find_frames(make(scratch, 60));
  EXPECT_EQ(clip.count, 60);
  EXPECT_EQ(clip.first, 0);
  EXPECT_EQ(clip.width, kDrawnSize.width);
  EXPECT_EQ(clip.height, kDrawnSize.height);
  EXPECT_DOUBLE_EQ(clip.frame_rate, 25);
}

TEST_P(FramesOf, ComeInTheOrderTheyAreShown) {
  const ScratchFolder scratch;
  const ClipFrames clip = find_frames(make(scratch, 60));
  EXPECT_EQ(numbers_of(read_frames(clip, first_numbers(60))), first_numbers(60));
}

TEST_P(FramesOf, AreReadAtAnyPositions) {
  const ScratchFolder scratch;
  const ClipFrames clip = find_frames(make(scratch, 60));
  const Positions wanted = {41, 3, 3, 59, 0};
  EXPECT_EQ(numbers_of(read_frames(clip, wanted)), wanted);
  EXPECT_TRUE(read_frames(clip, Positions{}).empty());
}

TEST_P(FramesOf, AreCorrectInAPartFarFromTheStart) {
  const ScratchFolder scratch;
  const auto path = make(scratch, 400);
  for (const int first : {5, 49, 100, 113, 251, 379}) {
    const ClipFrames clip = find_frames(path, first / 25.0, (first + 20) / 25.0);
    EXPECT_EQ(clip.first, first);
    EXPECT_EQ(clip.count, 20);
    EXPECT_EQ(numbers_of(read_frames(clip, Positions{0, 7, 19})),
              (Positions{first, first + 7, first + 19}));
  }
}

TEST(Frames, OfAPartAreThoseDisplayedFromStartToStop) {
  const ScratchFolder scratch;
  const auto path = write_numbered_video(scratch / "a.mp4", 30, {.frame_rate = 10});
  const ClipFrames clip = find_frames(path, 0.5, 1.0);
  EXPECT_EQ(clip.first, 5);
  EXPECT_EQ(clip.count, 5);
  EXPECT_NEAR(clip.first_time, 0.5, 1e-6);
  EXPECT_EQ(find_frames(path, 0.55, {}).first, 6);
  EXPECT_EQ(find_frames(path, {}, 0.55).count, 6);
}

TEST(Frames, KeepTheirTimesWhenTheRateChanges) {
  const ScratchFolder scratch;
  VideoWriter video(scratch / "a.mp4", {.size = kDrawnSize, .frame_rate = 10});
  for (int i = 0; i < 100; ++i) video.write(numbered_picture(i));
  // Ten frames a second, then one.
  for (int i = 100; i < 120; ++i) video.write(numbered_picture(i), 10);
  video.commit();
  const ClipFrames all = find_frames(scratch / "a.mp4");
  EXPECT_EQ(all.count, 120);
  const ClipFrames late = find_frames(scratch / "a.mp4", 14.0, 19.0);
  EXPECT_EQ(late.count, 5);
  const int first = number_of(read_frames(late, Positions{0}).front());
  EXPECT_EQ(first, late.first);
  EXPECT_EQ(numbers_of(read_frames(late, Positions{0, 4})), (Positions{first, first + 4}));
  EXPECT_NEAR(late.first_time, 10.9 + (first - 100), 1e-6);
}

TEST(Frames, OfSeveralPartsAreFoundInOnePass) {
  const ScratchFolder scratch;
  const auto path = write_numbered_video(scratch / "a.mp4", 50);
  const std::vector<VideoPart> parts = {
      {0.0, 1.0}, {1.0, {}}, {5.0, 6.0}, {1.0, 4.0}, {0.01, 0.02}};
  const std::vector<FoundPart> found = find_parts(path, parts);
  EXPECT_EQ(found[0].frames->count, 25);
  EXPECT_EQ(found[1].frames->first, 25);
  EXPECT_EQ(found[1].frames->count, 25);
  EXPECT_EQ(found[2].problem, "the clip starts at 5 s, but the video ends at 2.00 s");
  EXPECT_EQ(found[3].problem, "the clip stops at 4 s, but the video ends at 2.00 s");
  EXPECT_EQ(found[4].problem, "there is no frame from 0.01 to 0.02 s");
}

TEST(Frames, AreResizedAndConvertedToGrey) {
  const ScratchFolder scratch;
  const ClipFrames clip = find_frames(write_numbered_video(scratch / "a.mp4", 5));
  const Image small = read_frames(clip, Positions{3}, {Colour::Grey, 24}).front();
  EXPECT_EQ(small.width, 80);
  EXPECT_EQ(small.height, 24);
  EXPECT_EQ(small.channels, 1);
  EXPECT_EQ(number_of(small), 3);
}

TEST(Frames, ColoursAreRedGreenBlue) {
  const ScratchFolder scratch;
  Image red(32, 32, 3);
  for (std::size_t i = 0; i < red.pixels.size(); i += 3) red.pixels[i] = 200;
  VideoWriter video(scratch / "a.mp4", {.size = {32, 32}});
  video.write(red);
  video.commit();
  const Image shown = read_frames(find_frames(scratch / "a.mp4"), Positions{0}).front();
  EXPECT_NEAR(shown.pixels[0], 200, 12);
  EXPECT_NEAR(shown.pixels[1], 0, 12);
  EXPECT_NEAR(shown.pixels[2], 0, 12);
}

TEST(Frames, OfAPhoneInPortraitOrientationAreRotated) {
  const ScratchFolder scratch;
  VideoWriter video(scratch / "a.mp4", {.size = kDrawnSize});
  video.write(numbered_picture(0b11111));  // the left half is bright
  video.commit();
  std::string bytes = read_file(scratch / "a.mp4");
  // The track header has a matrix behind 40 bytes; this one is a quarter turn clockwise.
  const std::string matrix("\0\0\0\0\0\1\0\0\0\0\0\0\xff\xff\0\0\0\0\0\0\0\0\0\0", 24);
  bytes.replace(bytes.find("tkhd") + 44, matrix.size(), matrix);
  scratch.write("a.mp4", bytes);
  const ClipFrames clip = find_frames(scratch / "a.mp4");
  EXPECT_EQ(clip.width, kDrawnSize.height);
  EXPECT_EQ(clip.height, kDrawnSize.width);
  const Image frame =
      read_frames(clip, Positions{0}, {.colour = Colour::Grey, .short_side = 0}).front();
  EXPECT_EQ(frame.width, clip.width);
  EXPECT_GT(frame.pixels[20 * frame.width + 20], 190);
  EXPECT_LT(frame.pixels[140 * frame.width + 20], 60);
}

TEST(Frames, AreVisitedOneByOne) {
  const ScratchFolder scratch;
  const ClipFrames clip = find_frames(write_numbered_video(scratch / "a.mp4", 30), 0.4, 0.8);
  Positions seen;
  for_each_frame(clip, {}, [&](int position, const Image& frame) {
    EXPECT_EQ(position, std::ssize(seen));
    seen.push_back(number_of(frame));
  });
  EXPECT_EQ(seen, (Positions{10, 11, 12, 13, 14, 15, 16, 17, 18, 19}));
}

TEST(Frames, AreReadByManyThreadsAtOnce) {
  const ScratchFolder scratch;
  const ClipFrames clip = find_frames(write_numbered_video(scratch / "a.mp4", 60));
  std::vector<Positions> seen(8);
  side_by_side(8, 4, [&](std::size_t i) {
    seen[i] = numbers_of(read_frames(clip, Positions{static_cast<int>(i), 30, 59}));
  });
  for (int i = 0; i < 8; ++i) EXPECT_EQ(seen[i], (Positions{i, 30, 59}));
}

TEST(Frames, OfALongVideoDoNotFillMemory) {
  const ScratchFolder scratch;
  const PictureSize size{640, 360};
  VideoWriter video(scratch / "a.mp4", {.size = size, .codec = "mpeg4"});
  const Image grey = resized(numbered_picture(5), size);
  for (int i = 0; i < 200; ++i) video.write(grey);  // 138 MB of pixels
  video.commit();
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const ClipFrames clip = find_frames(scratch / "a.mp4");
  int seen = 0;
  for_each_frame(clip, {}, [&](int, const Image&) { ++seen; });
  read_frames(clip, Positions{0, 100, 199});
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(seen, 200);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 48 * 1024) << "KB";
}

// Folders of pictures.

void write_numbered_pictures(const std::filesystem::path& folder, const char* format, int first,
                             int count) {
  std::filesystem::create_directories(folder);
  for (int i = 0; i < count; ++i) {
    write_picture(folder / fmt::format(fmt::runtime(format), first + i), numbered_picture(i));
  }
}

TEST(FrameFolders, CanHaveTheUsualNames) {
  const ScratchFolder scratch;
  for (const char* format : {"img_{:05}.jpg", "frame_{:010}.jpg", "{:06}.jpg", "image_{}.jpeg"}) {
    for (const int first : {0, 1}) {
      const auto folder = scratch / fmt::format("{}{}", format, first);
      write_numbered_pictures(folder, format, first, 12);
      const ClipFrames clip = find_frames(folder);
      EXPECT_EQ(clip.count, 12) << folder;
      EXPECT_EQ(clip.width, kDrawnSize.width);
      EXPECT_EQ(numbers_of(read_frames(clip, Positions{0, 11, 4})), (Positions{0, 11, 4}));
    }
  }
}

TEST(FrameFolders, InvalidOnesAreErrors) {
  const ScratchFolder scratch;
  const auto error = [&](const std::string& folder) {
    return error_of(scratch, [&] { find_frames(scratch / folder); });
  };
  std::filesystem::create_directory(scratch / "empty");
  EXPECT_EQ(error("empty"),
            "empty: expected numbered images such as img_00001.jpg, img_00002.jpg …, found none");
  write_numbered_pictures(scratch / "gap", "img_{:05}.jpg", 1, 5);
  std::filesystem::remove(scratch / "gap/img_00003.jpg");
  EXPECT_EQ(error("gap"), "gap/img_00003.jpg: is missing, but img_00004.jpg exists");
  write_numbered_pictures(scratch / "late", "img_{:05}.jpg", 7, 2);
  EXPECT_EQ(error("late"), "late: expected the first image to be number 0 or 1, found 7");
  write_numbered_pictures(scratch / "mixed", "img_{:05}.jpg", 1, 2);
  write_numbered_pictures(scratch / "mixed", "thumb_{:05}.jpg", 1, 2);
  EXPECT_EQ(error("mixed"), "mixed: expected images with one prefix, found img_… and thumb_…");
  write_numbered_pictures(scratch / "timed", "img_{:05}.jpg", 1, 2);
  EXPECT_EQ(error_of(scratch, [&] { find_frames(scratch / "timed", 0.0, 1.0); }),
            "timed: a folder of images has no times; remove start and stop");
}

TEST(FrameFolders, ANumberFarFromTheOthersIsAGap) {
  const ScratchFolder scratch;
  write_numbered_pictures(scratch / "a", "img_{}.jpg", 1, 1);
  // 2 in the lowest 32 bits.
  std::filesystem::copy(scratch / "a/img_1.jpg", scratch / "a/img_4294967298.jpg");
  EXPECT_EQ(error_of(scratch, [&] { find_frames(scratch / "a"); }),
            "a/img_2.jpg: is missing, but img_4294967298.jpg exists");
}

TEST(FrameFolders, PartsThatStopTooEarlyOrTooLateAreErrors) {
  const ScratchFolder scratch;
  write_numbered_pictures(scratch / "from0", "img_{:05}.jpg", 0, 5);
  write_numbered_pictures(scratch / "from1", "img_{:05}.jpg", 1, 5);
  std::vector<VideoPart> parts(3);
  parts[0].stop_frame = 0;
  parts[1].start_frame = 4;
  parts[1].stop_frame = 2;
  parts[2].stop_frame = std::numeric_limits<int>::max();
  const std::vector<FoundPart> from0 = find_parts(scratch / "from0", parts);
  ASSERT_TRUE(from0[0].frames.has_value());
  EXPECT_EQ(from0[0].frames->count, 1);
  EXPECT_EQ(from0[1].problem, "the clip stops at frame 2, before its start at frame 4");
  EXPECT_EQ(from0[2].problem, "the clip stops at frame 2147483647, but the last frame is 4");
  const std::vector<FoundPart> from1 = find_parts(scratch / "from1", parts);
  EXPECT_EQ(from1[0].problem, "the clip stops at frame 0, before its start at frame 1");
  EXPECT_EQ(from1[1].problem, "the clip stops at frame 2, before its start at frame 4");
  EXPECT_EQ(from1[2].problem, "the clip stops at frame 2147483647, but the last frame is 5");
}

TEST(FrameFolders, ADamagedImageIsReported) {
  const ScratchFolder scratch;
  write_numbered_pictures(scratch / "a", "img_{:05}.jpg", 1, 3);
  const ClipFrames clip = find_frames(scratch / "a");
  const std::string whole = read_file(scratch / "a/img_00002.jpg");
  const auto error = [&] { return error_of(scratch, [&] { read_frames(clip, Positions{1}); }); };
  scratch.write("a/img_00002.jpg", whole.substr(0, whole.size() - 99));
  EXPECT_EQ(error(), "a/img_00002.jpg: is damaged or not a JPEG image: Premature end of JPEG file");
  scratch.write("a/img_00002.jpg", "");
  EXPECT_EQ(error(), "a/img_00002.jpg: is empty");
  scratch.write("a/img_00002.jpg", "no picture at all");
  EXPECT_TRUE(error().starts_with("a/img_00002.jpg: is damaged or not a JPEG image: "));
}

// Files that are not what they should be.

TEST(BadVideos, AreReportedWithTheReason) {
  const ScratchFolder scratch;
  const auto error = [&](const std::string& file) {
    return error_of(scratch, [&] { find_frames(scratch / file); });
  };
  EXPECT_EQ(error("none.mp4"), "none.mp4: the file does not exist");
  scratch.write("empty.mp4", "");
  EXPECT_EQ(error("empty.mp4"), "empty.mp4: is empty");
  scratch.write("text.mp4", "this is no video, whatever its name says");
  EXPECT_EQ(error("text.mp4"),
            "text.mp4: is damaged or not a video: Invalid data found when processing input");
  write_numbered_video(scratch / "a.mp4", 100);
  const std::string whole = read_file(scratch / "a.mp4");
  scratch.write("headless.mp4", whole.substr(0, whole.size() / 2));
  EXPECT_EQ(error("headless.mp4"),
            "headless.mp4: is damaged or not a video: Invalid data found when processing input");
}

TEST(BadVideos, AFileWithoutReadPermissionIsNotReportedAsDamaged) {
  const ScratchFolder scratch;
  const auto error = [&](const std::string& file) {
    return error_of(scratch, [&] { VideoFile video(scratch / file); });
  };
  write_numbered_video(scratch / "locked.mp4", 3);
  std::filesystem::permissions(scratch / "locked.mp4", std::filesystem::perms::none);
  const uid_t user = geteuid();
  constexpr uid_t kNobody = 65534;
  if (user == 0) {
    ASSERT_EQ(seteuid(kNobody), 0);  // root may read everything
  }
  const std::string locked = error("locked.mp4");
  if (user == 0) {
    ASSERT_EQ(seteuid(user), 0);
  }
  EXPECT_EQ(locked, "locked.mp4: cannot be opened: Permission denied");
  std::filesystem::create_symlink("loop.mp4", scratch / "loop.mp4");
  EXPECT_EQ(error("loop.mp4"), "loop.mp4: cannot be opened: Too many levels of symbolic links");
  std::filesystem::create_directory(scratch / "folder.mp4");
  EXPECT_EQ(error("folder.mp4"), "folder.mp4: is a folder, not a video");
}

TEST(BadVideos, ATruncatedVideoIsReportedWithTheRemainingFrames) {
  const ScratchFolder scratch;
  write_numbered_video(scratch / "a.avi", 200, {.codec = "mpeg4"});
  const std::string whole = read_file(scratch / "a.avi");
  scratch.write("half.avi", whole.substr(0, whole.size() / 2));
  const std::string problem = error_of(scratch, [&] { find_frames(scratch / "half.avi"); });
  EXPECT_TRUE(std::regex_match(
      problem, std::regex("half.avi: is truncated: [0-9]+ of its 200 frames can be decoded")))
      << problem;
}

TEST(BadVideos, AnAudioFileIsNotAVideo) {
  const ScratchFolder scratch;
  // A WAV file of eight silent samples.
  const std::string sound(
      "RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0"
      "\x01\0\x08\0data\x08\0\0\0\x80\x80\x80\x80\x80\x80\x80\x80",
      52);
  scratch.write("sound.wav", sound);
  EXPECT_EQ(error_of(scratch, [&] { find_frames(scratch / "sound.wav"); }),
            "sound.wav: has no video stream");
}

TEST(BadVideos, DamageInTheMiddleIsIgnored) {
  const ScratchFolder scratch;
  write_numbered_video(scratch / "a.avi", 120, {.codec = "mpeg4"});
  std::string bytes = read_file(scratch / "a.avi");
  for (std::size_t i = bytes.size() / 3; i < bytes.size() / 3 + 400; ++i) bytes[i] = 'x';
  scratch.write("bad.avi", bytes);
  testing::internal::CaptureStderr();
  EXPECT_EQ(find_frames(scratch / "bad.avi").count, 120);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(BadVideos, AVideoThatHasBecomeShorterIsAnError) {
  const ScratchFolder scratch;
  const ClipFrames clip = find_frames(write_numbered_video(scratch / "a.mp4", 40));
  write_numbered_video(scratch / "a.mp4", 10);
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       read_frames(clip, Positions{0, 30});
                     }),
            "a.mp4: has changed: expected 40 frames of the clip, found 10");
}

}  // namespace
}  // namespace manyverbs
