// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/hmdb51.h"

#include <fmt/ranges.h>

#include "manyverbs/dataset/internal/confuse.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "tests/interrupting.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

const std::filesystem::path kSplitFiles = MANYVERBS_TEST_FOLDER "/golden/hmdb51";

// Valid split files of two classes, to be changed by tests.
void write_splits(const ScratchFolder& scratch) {
  for (const char* name : {"run", "walk"}) {
    for (int split = 1; split <= 3; ++split) {
      scratch.write(fmt::format("splits/{}_test_split{}.txt", name, split),
                    "a.avi 1 \nb.avi 2 \nc.avi 0 \n");
    }
  }
}

std::string problem_of(const ScratchFolder& scratch) {
  const auto before = scratch.names();
  const std::string text = error_of(scratch, [&] {
    import_hmdb51({.splits = scratch / "splits", .videos = {}, .out = scratch / "out"});
  });
  EXPECT_EQ(scratch.names(), before);
  return text;
}

TEST(Hmdb51, ThreeDataSetsWithSortedClassesAndClipsInFileOrder) {
  const ScratchFolder scratch;
  write_splits(scratch);
  scratch.write("splits/README.txt", "not a split file");
  const auto splits =
      import_hmdb51({.splits = scratch / "splits", .videos = {}, .out = scratch / "out"});
  ASSERT_EQ(splits.size(), 3);
  for (const Hmdb51Split& split : splits) {
    EXPECT_EQ(split.unused.size(), 2U);
    const Dataset dataset = read_dataset(split.dataset.folder);
    EXPECT_EQ(dataset.classes.names(), (std::vector<std::string>{"run", "walk"}));
    ASSERT_EQ(dataset.clips.size(), 4);
    EXPECT_EQ(dataset.clips[0], (Clip{"run/a", Split::Train, {0}, {}, "run/a.avi", {}, {}}));
    EXPECT_EQ(dataset.clips[3], (Clip{"walk/b", Split::Test, {1}, {}, "walk/b.avi", {}, {}}));
  }
  EXPECT_EQ(read_dataset(scratch / "out/split2").name, "hmdb51-split2");
}

TEST(Hmdb51, VideoPathsAreRelativeToTheDataSet) {
  const ScratchFolder scratch;
  write_splits(scratch);
  const auto splits =
      import_hmdb51({.splits = scratch / "splits", .videos = "films", .out = scratch / "out"});
  EXPECT_EQ(splits[0].dataset.clips[0].video,
            (std::filesystem::current_path() / "films/run/a.avi").string());
}

TEST(Hmdb51, ConfusedLabelsEqualThePublishedOnes) {
  const ScratchFolder scratch;
  const auto splits = import_hmdb51(
      {.splits = kSplitFiles, .videos = {}, .ways = 2, .seed = 12, .out = scratch / "out"});
  const CsvTable golden = read_csv(MANYVERBS_TEST_FOLDER "/golden/confuse.csv");
  std::size_t row = 0;
  for (const Hmdb51Split& split : splits) {
    for (const Clip& clip : split.dataset.clips) {
      const auto& fields = golden.rows.at(row++).fields;
      EXPECT_EQ(split.dataset.folder.filename(), "split" + fields[0]);
      EXPECT_EQ(clip.name, fields[1]);
      EXPECT_EQ(split_name(clip.split), fields[2]);
      EXPECT_EQ(fmt::format("{}", fmt::join(clip.labels, " ")), fields[3]) << clip.name;
      EXPECT_EQ(clip.truth.size(), 2);
    }
  }
  EXPECT_EQ(row, golden.rows.size());
}

// Except for the videos, which stay in the original data set.
TEST(Hmdb51, ConfusingAfterTheImportGivesTheSame) {
  const ScratchFolder scratch;
  import_hmdb51({.splits = kSplitFiles, .videos = {}, .out = scratch / "plain"});
  import_hmdb51({.splits = kSplitFiles, .videos = {}, .ways = 2, .out = scratch / "at_once"});
  confuse({{scratch / "plain/split1", scratch / "plain/split2", scratch / "plain/split3"},
           2,
           12,
           scratch / "later"});
  for (const std::string split : {"split1", "split2", "split3"}) {
    const Dataset at_once = read_dataset(scratch / "at_once" / split);
    Dataset later = read_dataset(scratch / "later" / split);
    EXPECT_EQ(later.name, at_once.name);
    EXPECT_EQ(later.classes.names(), at_once.classes.names());
    for (std::size_t i = 0; i < later.clips.size(); ++i) {
      EXPECT_EQ(later.clips[i].video, "../../plain/" + split + "/" + at_once.clips[i].video);
      later.clips[i].video = at_once.clips[i].video;
    }
    EXPECT_EQ(later.clips, at_once.clips);
  }
}

TEST(Hmdb51, InvalidSplitFilesAreErrors) {
  const ScratchFolder scratch;
  EXPECT_EQ(problem_of(scratch), "splits: is not a folder");
  std::filesystem::create_directory(scratch / "splits");
  EXPECT_EQ(problem_of(scratch), "splits: has no split file such as brush_hair_test_split1.txt");
  write_splits(scratch);
  std::filesystem::remove(scratch / "splits/walk_test_split2.txt");
  EXPECT_EQ(problem_of(scratch),
            "splits/walk_test_split2.txt: is missing, but other splits of 'walk' exist");
  scratch.write("splits/walk_test_split2.txt", "\n \n");
  EXPECT_EQ(problem_of(scratch), "splits/walk_test_split2.txt: contains no clips");
  scratch.write("splits/walk_test_split2.txt", "a.avi 1\n\nb.avi 3\n");
  EXPECT_EQ(problem_of(scratch),
            "splits/walk_test_split2.txt:3: expected '<file>.avi' and 0 (unused), 1 (train) or 2 "
            "(test), found 'b.avi 3'");
  scratch.write("splits/walk_test_split2.txt", "1\n");
  EXPECT_EQ(problem_of(scratch),
            "splits/walk_test_split2.txt:1: expected '<file>.avi' and 0 (unused), 1 (train) or 2 "
            "(test), found '1'");
  scratch.write("splits/walk_test_split2.txt", "a.avi 1\r\nb.avi 1\r\na.avi 0\r\n");
  EXPECT_EQ(problem_of(scratch),
            "splits/walk_test_split2.txt:3: duplicate clip 'a.avi', see line 1");
}

TEST(Hmdb51, AnInterruptionLeavesNothingBehind) {
  const ScratchFolder scratch;
  write_splits(scratch);
  const auto before = scratch.names();
  EXPECT_EQ(interrupted_at_once([&] {
              import_hmdb51({.splits = scratch / "splits", .videos = {}, .out = scratch / "out"});
            }),
            "");
  EXPECT_EQ(scratch.names(), before);
}

TEST(Hmdb51, AFullDiskLeavesNothingBehind) {
  const ScratchFolder scratch;
  write_splits(scratch);
  const FullDisk full(20);
  EXPECT_NE(problem_of(scratch).find("cannot be written: File too large"), std::string::npos);
}

}  // namespace
}  // namespace manyverbs
