// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/clip_lists.h"

#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Names = std::vector<std::string>;

class ClipListsOf : public testing::Test {
 protected:
  ClipListImport lists(const std::string& train, const std::string& test = "") {
    ClipListImport settings;
    settings.lists = {{scratch_.write("train.txt", train), Split::Train}};
    if (!test.empty()) settings.lists.push_back({scratch_.write("test.txt", test), Split::Test});
    return settings;
  }
  std::string problem_of(const ClipListImport& settings) {
    return error_of(scratch_, [&] { read_clip_lists(settings); });
  }
  std::string labels_of(const ClipLists& lists, std::size_t clip) {
    return join_labels(lists.clips[clip].labels, lists.classes);
  }
  std::string path(const std::string& name) { return (scratch_ / name).string(); }
  static std::string video_of(const ClipLists& lists, std::size_t clip) {
    return std::filesystem::absolute(lists.clips[clip].video).lexically_normal().string();
  }

  ScratchFolder scratch_;
};

TEST_F(ClipListsOf, VideosHavePathAndLabel) {
  const ClipLists read = read_clip_lists(lists("cut/a b.mp4 0\npeel/c.mp4 1\n",
                                               "cut/d.mp4 0 1\n"
                                               "peel/e.mp4 1\n"));
  ASSERT_EQ(read.clips.size(), 4U);
  EXPECT_EQ(read.clips[0].name, "cut/a b");
  EXPECT_EQ(video_of(read, 0), path("cut/a b.mp4"));
  EXPECT_EQ(read.clips[0].split, Split::Train);
  EXPECT_EQ(read.clips[2].labels, (std::vector<ClassId>{0, 1}));
  EXPECT_EQ(read.clips[3].split, Split::Test);
  EXPECT_EQ(read.remarks[0],
            path("train.txt") + ": path and label, as in mmaction2 and PySlowFast, 2 clips");
}

TEST_F(ClipListsOf, FieldsCanBeSeparatedByCommasOrTabs) {
  for (const char* text : {"a.mp4,cut\nb.mp4,peel\n", "a.mp4\tcut\r\nb.mp4\tpeel\r\n"}) {
    const ClipLists read = read_clip_lists(lists(text));
    EXPECT_EQ(read.classes.names(), (Names{"cut", "peel"}));
    EXPECT_EQ(read.clips[1].name, "b");
    EXPECT_EQ(labels_of(read, 1), "peel");
  }
}

TEST_F(ClipListsOf, FoldersHaveANumberOfFrames) {
  const ClipLists read = read_clip_lists(lists("cut/a 120 0\npeel/b 8 1\n",
                                               "cut/c 90 0 1\n"
                                               "peel/d 70 1\n"));
  EXPECT_EQ(read.frames, (std::vector<std::optional<int>>{120, 8, 90, 70}));
  EXPECT_EQ(labels_of(read, 0), "0");
  EXPECT_EQ(labels_of(read, 2), "0;1");
  EXPECT_EQ(video_of(read, 0), path("cut/a"));
}

// Folders of Something-Something are numbers.
TEST_F(ClipListsOf, PathsCanBeNumbers) {
  const ClipLists read = read_clip_lists(lists("78687 120 0\n42326 40 1\n"));
  EXPECT_EQ(read.clips[0].name, "78687");
  EXPECT_EQ(read.frames[1], 40);
}

TEST_F(ClipListsOf, SegmentsHaveStartAndEnd) {
  const ClipLists read = read_clip_lists(lists("P01_01 4 101 3\nP01_01 131 185 6\n"));
  EXPECT_EQ(read.clips[0].name, "P01_01:4-101");
  EXPECT_EQ(read.clips[1].start_frame, 131);
  EXPECT_EQ(read.clips[1].stop_frame, 185);
  EXPECT_EQ(labels_of(read, 1), "6");
  const ClipLists timed = read_clip_lists(lists("a.mp4 1.5 4.25 0\n"));
  EXPECT_EQ(timed.clips[0].start, 1.5);
  EXPECT_EQ(timed.clips[0].stop, 4.25);
}

TEST_F(ClipListsOf, OffsetsAreReadIfAskedFor) {
  ClipListImport settings = lists("a 11 29 3\n");
  settings.layout = ListLayout::Offsets;
  const ClipLists read = read_clip_lists(settings);
  EXPECT_EQ(read.clips[0].start_frame, 12);
  EXPECT_EQ(read.clips[0].stop_frame, 40);
}

TEST_F(ClipListsOf, ClassesAreNamedAfterUniqueFolders) {
  const ClipLists read = read_clip_lists(lists("x/cut/a 9 1\nx/wash/b 9 0\nx/cut/c 9 1\n"));
  EXPECT_EQ(read.classes.names(), (Names{"wash", "cut"}));
  EXPECT_EQ(
      read.remarks.back(),
      "note: classes are named after the folders of their clips; --classes gives other names");
  const ClipLists shared = read_clip_lists(lists("x/a 9 2\nx/b 9 0\n"));
  EXPECT_EQ(shared.classes.names(), (Names{"0", "1", "2"}));
}

TEST_F(ClipListsOf, ClassNamesComeFromAFile) {
  const auto names_with = [&](const std::string& text, const std::string& label) {
    ClipListImport settings = lists("a.mp4 " + label + "\n");
    settings.classes = scratch_.write("names", text);
    return labels_of(read_clip_lists(settings), 0);
  };
  EXPECT_EQ(names_with("cut\npeel the carrot\n", "1"), "peel the carrot");
  EXPECT_EQ(names_with("0 cut\n1 peel\n", "1"), "peel");
  EXPECT_EQ(names_with("1 cut\n2 peel\n", "1"), "cut");  // as of UCF-101
  EXPECT_EQ(names_with("0,cut\n1,peel\n", "peel"), "peel");
  EXPECT_EQ(names_with("id,name\n0,cut\n1,peel\n", "1"), "peel");
}

TEST_F(ClipListsOf, AbsolutePathsAreNamedFromTheFolderTheyShare) {
  const ClipLists read = read_clip_lists(lists("/data/k/cut/a 9 0\n/data/k/peel/b 9 1\n"));
  EXPECT_EQ(read.clips[0].name, "cut/a");
  EXPECT_EQ(read.clips[1].video, "/data/k/peel/b");
}

TEST_F(ClipListsOf, KineticsHasFilesByIdAndTime) {
  const std::string header = "label,youtube_id,time_start,time_end,split\n";
  scratch_.write("v/train/play harp/0wR5jVB-WPk_000417_000427.mp4", "");
  scratch_.write("v/3caPS4FHFF8.mkv", "");
  ClipListImport settings;
  settings.lists = {{scratch_.write("k.csv", header + "play harp,0wR5jVB-WPk,417,427,train\n"
                                                      "yoga,3caPS4FHFF8,36,46,validate\n"
                                                      "yoga,3NaOwmQ9E-0,53,63,test\n"),
                     {}}};
  settings.videos = scratch_ / "v";
  const ClipLists read = read_clip_lists(settings);
  EXPECT_EQ(read.clips[0].name, "0wR5jVB-WPk_000417_000427");
  EXPECT_EQ(video_of(read, 0), path("v/train/play harp/0wR5jVB-WPk_000417_000427.mp4"));
  EXPECT_FALSE(read.clips[0].start);
  EXPECT_EQ(read.clips[1].split, Split::Val);
  EXPECT_EQ(video_of(read, 1), path("v/3caPS4FHFF8.mkv"));
  EXPECT_EQ(read.clips[1].start, 36);
  EXPECT_EQ(read.clips[1].stop, 46);
  EXPECT_EQ(video_of(read, 2), path("v/3NaOwmQ9E-0_000053_000063.mp4"));
  EXPECT_EQ(read.classes.names(), (Names{"play harp", "yoga"}));
}

TEST_F(ClipListsOf, JsonOfMmactionHasFilesOrFolders) {
  ClipListImport settings;
  settings.lists = {{scratch_.write("a.json", R"([{"filename": "a.mp4", "label": 1},
      {"frame_dir": "b", "total_frames": 30, "label": [0, 1]}])"),
                     Split::Val}};
  const ClipLists read = read_clip_lists(settings);
  EXPECT_EQ(labels_of(read, 0), "1");
  EXPECT_EQ(labels_of(read, 1), "0;1");
  EXPECT_EQ(read.frames[1], 30);
}

constexpr const char* kTasks = R"([
  {"id": 7, "data": {"video": "/data/local-files/?d=clips/a.mp4"}, "annotations": [
    {"completed_by": 1, "was_cancelled": false, "result": [
      {"type": "choices", "from_name": "verbs", "to_name": "video",
       "value": {"choices": ["cut", "peel"]}},
      {"type": "choices", "from_name": "confidence", "to_name": "video",
       "value": {"choices": ["confident"]}}]},
    {"completed_by": 2, "result": [
      {"type": "choices", "from_name": "verbs", "value": {"choices": ["wash", "cut"]}}]},
    {"completed_by": 3, "was_cancelled": true, "result": [
      {"type": "choices", "from_name": "verbs", "value": {"choices": ["never"]}}]}]},
  {"id": 8, "data": {"video": "/data/upload/1/b.mp4", "clip": "kitchen_8", "original": "wash"},
   "annotations": [{"result": [
      {"type": "choices", "from_name": "verbs", "value": {"choices": ["wash"]}}]}]},
  {"id": 9, "data": {"video": "c.mp4"}, "annotations": []}
])";

TEST_F(ClipListsOf, LabelStudioHasTheChoicesOfAllAnnotators) {
  ClipListImport settings;
  settings.lists = {{scratch_.write("tasks.json", kTasks), Split::Test}};
  scratch_.write("b.mp4", "");
  const ClipLists read = read_clip_lists(settings);
  ASSERT_EQ(read.clips.size(), 2U);
  EXPECT_EQ(read.classes.names(), (Names{"cut", "peel", "wash"}));
  EXPECT_EQ(labels_of(read, 0), "cut;peel;wash");
  EXPECT_EQ(video_of(read, 0), path("clips/a.mp4"));
  EXPECT_EQ(read.clips[1].name, "kitchen_8");
  EXPECT_EQ(video_of(read, 1), path("b.mp4"));
  EXPECT_EQ(read.clips[1].original, 2);
  EXPECT_EQ(read.remarks[1], path("tasks.json") + ": left out 1 of 3 tasks, which have no choice");
}

TEST_F(ClipListsOf, TrainClipsOfLabelStudioHaveOneLabel) {
  ClipListImport settings;
  settings.lists = {{scratch_.write("tasks.json", kTasks), Split::Train}};
  EXPECT_EQ(problem_of(settings),
            "tasks.json: task 1: the train clip 'clips/a' has 3 labels, expected exactly one");
}

TEST_F(ClipListsOf, InvalidLinesAreErrorsWithFileAndLine) {
  EXPECT_EQ(problem_of(lists("a.mp4 0\nb.mp4\n")),
            "train.txt:2: expected a path and a label, found 'b.mp4'");
  EXPECT_EQ(problem_of(lists("\n\n")), "train.txt: contains no clips");
  EXPECT_EQ(problem_of(lists("a.mp4 0\n", "a.mp4 0\n")),
            "test.txt:1: duplicate clip 'a', see train.txt:1");
  EXPECT_EQ(problem_of(lists("a.mp4 0\n\nb.mp4 peel\n")),
            "train.txt:3: expected a number as in the other lines, found the label 'peel'");
  EXPECT_EQ(problem_of(lists("a.mp4 cut\nb.mp4 cut;peel\n")),
            "train.txt:2: the label 'cut;peel' is empty, not UTF-8 or contains a ';'");
  EXPECT_EQ(problem_of(lists("path label\na.mp4 3\n")),
            "train.txt:2: expected a name as in the other lines, found the label '3'");
  EXPECT_EQ(problem_of(lists("a 9 0 1\nb 7 3\n")),
            "train.txt:1: the train clip 'a' has 2 labels, expected exactly one");
  EXPECT_EQ(problem_of(lists("a 9 0\n", "c 1 0 0\nd 1 0\n")), "test.txt:1: duplicate label '0'");
}

TEST_F(ClipListsOf, TimesOfKineticsAreLimited) {
  const auto problem_with_times = [&](const std::string& start, const std::string& stop) {
    ClipListImport settings;
    settings.lists = {
        {scratch_.write("k.csv", "label,youtube_id,time_start,time_end,split\nyoga,x," + start +
                                     "," + stop + ",train\n"),
         {}}};
    return problem_of(settings);
  };
  const std::string kExpected = "k.csv:2: expected time_start and time_end in seconds, found ";
  EXPECT_EQ(problem_with_times("nan", "10"), kExpected + "'nan' and '10'");
  EXPECT_EQ(problem_with_times("0", "nan"), kExpected + "'0' and 'nan'");
  EXPECT_EQ(problem_with_times("0", "inf"), kExpected + "'0' and 'inf'");
  EXPECT_EQ(problem_with_times("1e300", "2e300"), kExpected + "'1e300' and '2e300'");
  EXPECT_EQ(problem_with_times("-1", "10"), kExpected + "'-1' and '10'");
  EXPECT_EQ(problem_with_times("10", "10"), kExpected + "'10' and '10'");
}

TEST_F(ClipListsOf, OffsetsDoNotOverflow) {
  const auto problem_with_line = [&](const std::string& line) {
    ClipListImport settings = lists(line);
    settings.layout = ListLayout::Offsets;
    return problem_of(settings);
  };
  EXPECT_EQ(problem_with_line("a 2147483647 1 3\n"),
            "train.txt:1: expected a last frame of at most 2147483647, found 2147483648");
  EXPECT_EQ(problem_with_line("a 11 2147483647 3\n"),
            "train.txt:1: expected a last frame of at most 2147483647, found 2147483658");
  EXPECT_EQ(problem_with_line("a 2147483646 1 3\n"), "");
}

TEST_F(ClipListsOf, LabelsOutsideOfTheClassesAreErrors) {
  ClipListImport settings = lists("a.mp4 0\nb.mp4 2\n");
  settings.classes = scratch_.write("names", "cut\npeel\n");
  EXPECT_EQ(problem_of(settings), "train.txt:2: unknown class 2; expected 0 to 1");
  settings = lists("a.mp4 cut\nb.mp4 peal\n");
  settings.classes = scratch_.write("names", "cut\npeel\n");
  EXPECT_EQ(problem_of(settings),
            "train.txt:2: unknown class 'peal' (there are 2 classes), did you mean 'peel'?");
  settings.classes = scratch_.write("names", "0 cut\n2 peel\n");
  EXPECT_EQ(problem_of(settings), "names:2: expected class id 1 and a name, found '2 peel'");
  EXPECT_EQ(problem_of(lists("a.mp4 2000000000\n")),
            "train.txt:1: expected a class from 0 to 1000000, found 2000000000");
}

TEST_F(ClipListsOf, OtherLayoutsThanExpectedAreErrors) {
  ClipListImport settings = lists("a.mp4 0\n");
  settings.layout = ListLayout::Segments;
  EXPECT_EQ(problem_of(settings),
            "train.txt:1: expected a path, start, end and a label, found 1 after the path");
  settings.layout = ListLayout::Frames;
  EXPECT_EQ(
      problem_of(settings),
      "train.txt:1: expected a path, a number of frames and a label, found '0' after the path");
  settings.layout = ListLayout::Kinetics;
  EXPECT_NE(problem_of(settings), "");
  settings.layout = ListLayout::Json;
  EXPECT_EQ(problem_of(settings).substr(0, 11), "train.txt: ");
  settings = lists("a.mp4 0\n");
  settings.lists[0].split = std::nullopt;
  EXPECT_EQ(problem_of(settings),
            "train.txt:1: the split is not known; use --train, --val or --test instead of --clips");
  settings = lists("clip,split,labels\na,train,cut\n");
  EXPECT_EQ(problem_of(settings),
            "train.txt: is a table of clips with a column split; use --clips and no other list");
}

TEST_F(ClipListsOf, WronglyTypedJsonIsAnError) {
  for (const char* text :
       {"[1]", "[{}]", "{\"a\": 1}", "[{\"filename\": 3, \"label\": 0}]", "[",
        "[{\"filename\": \"a\", \"label\": 0.5}]", "[{\"filename\": \"a\", \"label\": [[1]]}]",
        "[{\"annotations\": 3}]", "[{\"annotations\": [], \"data\": 3}]",
        "[{\"annotations\": [{\"result\": [{\"type\": \"choices\", \"value\": {\"choices\": "
        "[{}]}}]}], \"data\": {}}]",
        "[{\"annotations\": [{\"result\": [{\"type\": \"choices\", \"value\": {\"choices\": "
        "[\"a\"]}}]}], \"data\": {}}]",
        "[{\"annotations\": [{\"was_cancelled\": \"x\", \"result\": {\"a\": 1}}], \"data\": "
        "{}}]"}) {
    EXPECT_NE(problem_of(lists(text)), "") << text;
  }
}

}  // namespace
}  // namespace manyverbs
