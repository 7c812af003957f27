// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/epic100.h"

#include "tests/interrupting.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

const std::string kHeader =
    "narration_id,participant_id,video_id,narration_timestamp,start_timestamp,stop_timestamp,"
    "start_frame,stop_frame,narration,verb,verb_class,noun,noun_class,all_nouns,all_noun_classes\n";
const std::string kTimedRow =
    "P01_11_0,P01,P01_11,00:00:00.560,00:00:00.00,00:01:01.89,1,113,take plate,take,0,plate,2,"
    "\"['plate', 'cup']\",\"[2, 13]\"\n";
const std::string kOtherRow = "P01_11_1,P01,P01_11,,00:00:01.56,00:00:02.45,93,147,,put,1,,2,,\n";
const std::string kUntimedRow = "P01_01_0,P01,P01_01,,,,30,105,,open,2,,3,,\n";

// Three verbs, one training narration without timestamps, two validation narrations.
class Epic100 : public testing::Test {
 protected:
  void SetUp() override {
    scratch_.write(
        "epic/EPIC_100_verb_classes.csv",
        "id,key,instances,category\n0,take,\"['get', 'grab']\",x\n1,put,[],x\n2,open,[],x\n");
    scratch_.write("epic/EPIC_100_train.csv", kHeader + kUntimedRow);
    scratch_.write("epic/EPIC_100_validation.csv", kHeader + kTimedRow + kOtherRow);
    settings_.annotations = scratch_ / "epic";
    settings_.out = scratch_ / "out";
  }

  std::string problem() {
    const auto before = scratch_.names();
    const std::string text = error_of(scratch_, [&] { import_epic100(settings_); });
    EXPECT_EQ(scratch_.names(), before);
    return text;
  }
  std::string problem_with_spmv(const std::string& rows) {
    settings_.spmv = scratch_.write("spmv.csv", "narration_id,verb_labels\n" + rows);
    return problem();
  }

  ScratchFolder scratch_;
  Epic100Import settings_;
};

TEST_F(Epic100, TimestampsAreSeconds) {
  EXPECT_EQ(timestamp_seconds("01:02:03.50"), 3723.5);
  EXPECT_EQ(timestamp_seconds("00:00:00.00"), 0);
  EXPECT_EQ(timestamp_seconds("00:01:01.56"), 61.56);
  for (const char* wrong : {"1:2", "00:61:00", "00:00:60", "", "a:b:c", "00:00:", "00:-1:00",
                            "00:00:nan", "00:00:01.5s"}) {
    EXPECT_EQ(timestamp_seconds(wrong), std::nullopt) << wrong;
  }
}

TEST_F(Epic100, NarrationsBecomeClips) {
  const Epic100Imported imported = import_epic100(settings_);
  EXPECT_EQ(imported.without_times, 1);
  const Dataset dataset = read_dataset(scratch_ / "out");
  EXPECT_EQ(dataset.classes.names(), (std::vector<std::string>{"take", "put", "open"}));
  EXPECT_EQ(dataset.clips, imported.dataset.clips);
  const std::vector<Clip> expected = {
      {"P01_01_0", Split::Train, {2}, {}, "P01_01.MP4", {}, {}},
      {"P01_11_0", Split::Val, {0}, {}, "P01_11.MP4", 0.0, 61.89},
      {"P01_11_1", Split::Val, {1}, {}, "P01_11.MP4", 1.56, 2.45},
  };
  EXPECT_EQ(dataset.clips, expected);
}

TEST_F(Epic100, AnInterruptionLeavesNothingBehind) {
  const auto before = scratch_.names();
  EXPECT_EQ(interrupted_at_once([&] { import_epic100(settings_); }), "");
  EXPECT_EQ(scratch_.names(), before);
}

TEST_F(Epic100, FrameNumbersAreUsedIfTimestampsAreEmpty) {
  settings_.fps = 30;
  settings_.videos = "/films";
  const Epic100Imported imported = import_epic100(settings_);
  EXPECT_EQ(imported.without_times, 0);
  EXPECT_EQ(imported.dataset.clips[0],
            (Clip{"P01_01_0", Split::Train, {2}, {}, "/films/P01_01.MP4", 1.0, 3.5}));
  EXPECT_EQ(imported.dataset.clips[1].stop, 61.89);
}

TEST_F(Epic100, ClipsOfTheSpmvFileBecomeTest) {
  settings_.spmv =
      scratch_.write("spmv.csv", "narration_id,votes,verb_labels\nP01_11_1,9,\"[1, 0]\"\n");
  const Dataset dataset = import_epic100(settings_).dataset;
  EXPECT_EQ(dataset.clips[1].split, Split::Val);
  EXPECT_EQ(dataset.clips[2].split, Split::Test);
  EXPECT_EQ(dataset.clips[2].labels, (std::vector<ClassId>{1, 0}));
}

TEST_F(Epic100, TheVerbOfTheNarrationIsTheOriginalOfATestClip) {
  settings_.spmv = scratch_.write("spmv.csv", "narration_id,verb_labels\nP01_11_1,\"[0, 1, 2]\"\n");
  import_epic100(settings_);
  const Dataset dataset = read_dataset(scratch_ / "out");
  EXPECT_EQ(dataset.clips[2].labels, (std::vector<ClassId>{0, 1, 2}));
  EXPECT_EQ(dataset.clips[2].original, 1);
}

TEST_F(Epic100, InvalidSpmvRowsAreErrors) {
  EXPECT_EQ(problem_with_spmv("P01_11_0,[0]\nP01_11_9,[1]\n"),
            "spmv.csv:3: narration 'P01_11_9' is not one of the 2 validation clips, did you mean "
            "'P01_11_0'?");
  EXPECT_EQ(problem_with_spmv("P01_01_0,[0]\n").substr(0, 70),
            "spmv.csv:2: narration 'P01_01_0' is not one of the 2 validation clips,");
  EXPECT_EQ(problem_with_spmv("P01_11_0,[0]\nP01_11_0,[1]\n"),
            "spmv.csv:3: duplicate narration 'P01_11_0', see line 2");
  EXPECT_EQ(problem_with_spmv("P01_11_0,\"[0, 3]\"\n"),
            "spmv.csv:2: verb_labels: expected verbs from 0 to 2, found 3");
  EXPECT_EQ(problem_with_spmv("P01_11_0,[-1]\n"),
            "spmv.csv:2: verb_labels: expected verbs from 0 to 2, found -1");
  EXPECT_EQ(problem_with_spmv("P01_11_0,[18446744073709551615]\n"),
            "spmv.csv:2: verb_labels: expected verbs from 0 to 2, found 18446744073709551615");
  EXPECT_EQ(problem_with_spmv("P01_11_0,\"[\"\"take\"\"]\"\n"),
            "spmv.csv:2: verb_labels: expected verbs from 0 to 2, found \"take\"");
  EXPECT_EQ(problem_with_spmv("P01_11_0,\"[0, 0]\"\n"), "spmv.csv:2: duplicate verb 0");
  for (const std::string list : {"0;1", "0", "[]", "", "[0"}) {
    EXPECT_EQ(
        problem_with_spmv("P01_11_0," + list + "\n"),
        fmt::format("spmv.csv:2: verb_labels: expected a JSON list such as [3, 17], found '{}'",
                    list));
  }
  settings_.spmv = scratch_.write("spmv.csv", "narration_id,verbs\n");
  EXPECT_EQ(problem(), "spmv.csv:1: missing column 'verb_labels'; found narration_id, verbs");
}

TEST_F(Epic100, InvalidAnnotationsAreErrors) {
  const auto with_train = [&](const std::string& rows) {
    scratch_.write("epic/EPIC_100_train.csv", kHeader + rows);
    return problem();
  };
  EXPECT_EQ(with_train(""), "epic/EPIC_100_train.csv: contains no narrations");
  EXPECT_EQ(with_train("a,P01,P01_01,,,,30,105,,open,3,,3,,\n"),
            "epic/EPIC_100_train.csv:2: expected a verb_class from 0 to 2, found '3'");
  EXPECT_EQ(with_train("a,P01,P01_01,,,,30,105,,open,,,3,,\n"),
            "epic/EPIC_100_train.csv:2: expected a verb_class from 0 to 2, found ''");
  EXPECT_EQ(
      with_train(kUntimedRow + kUntimedRow),
      "epic/EPIC_100_train.csv:3: duplicate narration 'P01_01_0', see epic/EPIC_100_train.csv:2");
  EXPECT_EQ(with_train("a,P01,P01_01,,0:01,00:00:02,30,105,,open,2,,3,,\n"),
            "epic/EPIC_100_train.csv:2: expected a time such as 00:01:02.50, found '0:01'");
  EXPECT_EQ(with_train("a,P01,P01_01,,00:00:02,00:00:02,30,105,,open,2,,3,,\n"),
            "epic/EPIC_100_train.csv:2: narration 'a' stops at 2 s, expected a time after its "
            "start at 2 s");
  settings_.fps = 30;
  EXPECT_EQ(with_train("a,P01,P01_01,,,,x,105,,open,2,,3,,\n"),
            "epic/EPIC_100_train.csv:2: expected a frame number, found 'x'");
  scratch_.write("epic/EPIC_100_train.csv", "narration_id,video,verb_class\n");
  EXPECT_EQ(problem(),
            "epic/EPIC_100_train.csv:1: missing column 'video_id'; found narration_id, video, "
            "verb_class");
  std::filesystem::remove(scratch_ / "epic/EPIC_100_train.csv");
  EXPECT_EQ(problem(), "epic/EPIC_100_train.csv: No such file or directory");
  scratch_.write("epic/EPIC_100_verb_classes.csv", "id,key\n1,put\n");
  EXPECT_EQ(
      problem(),
      "epic/EPIC_100_verb_classes.csv:2: expected verb id 0, found '1'; ids must be 0, 1, 2 …");
}

}  // namespace
}  // namespace manyverbs
