// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/clip.h"

#include "manyverbs/support/internal/files.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

const Vocabulary& kitchen_verbs() {
  static const Vocabulary classes({"cut", "peel", "wash"});
  return classes;
}

std::string problem_of(const ScratchFolder& scratch, const std::string& text) {
  scratch.write("clips.csv", text);
  return error_of(scratch, [&] { read_clips(scratch / "clips.csv", kitchen_verbs()); });
}

TEST(Clips, WhatIsWrittenIsReadBack) {
  const ScratchFolder scratch;
  const std::vector<Clip> clips = {
      {"a", Split::Train, {1}, {0, 1}, "a,b.mp4", 1.5, 2.25},
      {"b \"x\"", Split::Val, {0}, {}, "", {}, {}},
      {"c", Split::Test, {2, 0}, {2, 0}, "c.mp4", 0.1 + 0.2, {}},
      {"d", Split::Test, {0, 2}, {}, "", {}, {}, 2},
  };
  write_clips(scratch / "clips.csv", clips, kitchen_verbs());
  EXPECT_EQ(read_clips(scratch / "clips.csv", kitchen_verbs()), clips);
}

TEST(Clips, PartsCanBeFrameNumbers) {
  const ScratchFolder scratch;
  Clip clip{"a", Split::Train, {1}, {}, "P01_01", {}, {}};
  clip.start_frame = 12;
  clip.stop_frame = 40;
  clip.frame_rate = 59.94;
  clip.flow = "flow/P01_01";
  write_clips(scratch / "clips.csv", {clip}, kitchen_verbs());
  EXPECT_EQ(read_file(scratch / "clips.csv"),
            "clip,split,labels,video,start_frame,stop_frame,frame_rate,flow\n"
            "a,train,peel,P01_01,12,40,59.94,flow/P01_01\n");
  EXPECT_EQ(read_clips(scratch / "clips.csv", kitchen_verbs()), std::vector{clip});
}

TEST(Clips, InvalidFrameNumbersAreErrors) {
  const ScratchFolder scratch;
  const std::string header = "clip,split,labels,video,start,stop,start_frame,stop_frame\n";
  EXPECT_EQ(problem_of(scratch, header + "a,train,cut,a,,,12,11\n"),
            "clips.csv:2: the clip stops at frame 11, before its start at frame 12");
  EXPECT_EQ(problem_of(scratch, header + "a,train,cut,a,,,-1,11\n"),
            "clips.csv:2: start_frame: expected the number of a frame, found '-1'");
  EXPECT_EQ(problem_of(scratch, header + "a,train,cut,a,0.5,,1,11\n"),
            "clips.csv:2: the clip 'a' has times and frame numbers, expected one of them");
}

TEST(Clips, InvalidFrameRatesAreErrors) {
  const ScratchFolder scratch;
  for (const char* rate : {"0", "-25", "inf", "nan", "25 fps"}) {
    EXPECT_EQ(
        problem_of(scratch,
                   fmt::format("clip,split,labels,video,frame_rate\na,train,cut,a,{}\n", rate)),
        fmt::format("clips.csv:2: frame_rate: expected frames per second, found '{}'", rate));
  }
}

TEST(Clips, ColumnsWithoutValuesAreNotWritten) {
  const ScratchFolder scratch;
  write_clips(scratch / "clips.csv", {{"a", Split::Train, {1}, {}, "", {}, {}}}, kitchen_verbs());
  EXPECT_EQ(read_file(scratch / "clips.csv"), "clip,split,labels\na,train,peel\n");
}

TEST(Clips, TheOriginalIsBetweenLabelsAndTruth) {
  const ScratchFolder scratch;
  write_clips(
      scratch / "clips.csv",
      {{"a", Split::Test, {0, 2}, {0, 2}, "", {}, {}, 2}, {"b", Split::Train, {1}, {}, "", {}, {}}},
      kitchen_verbs());
  EXPECT_EQ(read_file(scratch / "clips.csv"),
            "clip,split,labels,original,truth\na,test,cut;wash,wash,cut;wash\nb,train,peel,,\n");
}

TEST(Clips, TheOriginalIsTheKnownOneOrTheOnlyLabel) {
  EXPECT_EQ(original_label({"a", Split::Test, {0, 1}, {}, "", {}, {}, 1}), 1);
  EXPECT_EQ(original_label({"a", Split::Test, {0}, {}, "", {}, {}}), 0);
  EXPECT_EQ(original_label({"a", Split::Train, {2}, {}, "", {}, {}}), 2);
  EXPECT_EQ(original_label({"a", Split::Test, {0, 1}, {}, "", {}, {}}), std::nullopt);
}

TEST(Clips, AnOriginalIsOneClassAndForATrainingClipItsLabel) {
  const ScratchFolder scratch;
  const std::string header = "clip,split,labels,original\n";
  EXPECT_EQ(problem_of(scratch, header + "a,test,cut;peel,pel\n"),
            "clips.csv:2: unknown class 'pel' (there are 3 classes), did you mean 'peel'?");
  EXPECT_EQ(problem_of(scratch, header + "a,test,cut,cut;peel\n"),
            "clips.csv:2: the clip 'a' has 2 original labels, expected one or none");
  EXPECT_EQ(problem_of(scratch, header + "a,train,cut,peel\n"),
            "clips.csv:2: the train clip 'a' has the label 'cut' and the original 'peel'; the "
            "original of a train clip must be its label");
  EXPECT_EQ(problem_of(scratch, header + "a,train,cut,cut\n"), "");
  EXPECT_EQ(problem_of(scratch, header + "a,val,cut,peel\n"), "") << "people disagreed with it";
}

TEST(Clips, TimesAreKeptIfNoClipHasAVideo) {
  const ScratchFolder scratch;
  const std::vector<Clip> clips = {{"a", Split::Train, {1}, {}, "", 1.5, 2.25}};
  write_clips(scratch / "clips.csv", clips, kitchen_verbs());
  EXPECT_EQ(read_clips(scratch / "clips.csv", kitchen_verbs()), clips);
}

TEST(Clips, WhiteSpaceAroundLabelsIsRemoved) {
  const ScratchFolder scratch;
  scratch.write("clips.csv", "clip,split,labels\na,train, cut \nb,test,peel ;\twash\n");
  EXPECT_EQ(classes_in_clips(scratch / "clips.csv").names(), kitchen_verbs().names());
  const std::vector<Clip> clips = read_clips(scratch / "clips.csv", kitchen_verbs());
  EXPECT_EQ(clips[0].labels, std::vector<ClassId>{0});
  EXPECT_EQ(clips[1].labels, (std::vector<ClassId>{1, 2}));
  EXPECT_EQ(
      problem_of(scratch, "clip,split,labels\na,test,cut; ;peel\n"),
      "clips.csv:2: labels 'cut; ;peel' contains an empty name; labels are separated by one ';'");
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\na,test, \n"),
            "clips.csv:2: the test clip 'a' has no label");
}

TEST(Clips, AMissingColumnGetsASuggestion) {
  const ScratchFolder scratch;
  EXPECT_EQ(
      problem_of(scratch, "clip,split,label\na,train,cut\n"),
      "clips.csv:1: missing column 'labels'; found clip, split, label, did you mean 'label'?");
}

TEST(Clips, AnUnknownClassGetsASuggestion) {
  const ScratchFolder scratch;
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\na,train,cut\nb,train,peal\n"),
            "clips.csv:3: unknown class 'peal' (there are 3 classes), did you mean 'peel'?");
}

TEST(Clips, AnUnknownSplitGetsASuggestion) {
  const ScratchFolder scratch;
  EXPECT_EQ(
      problem_of(scratch, "clip,split,labels\na,trian,cut\n"),
      "clips.csv:2: expected the split train, val or test, found 'trian', did you mean 'train'?");
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\na,validation,cut\n"),
            "clips.csv:2: expected the split train, val or test, found 'validation', did you mean "
            "'val'?");
}

TEST(Clips, ATrainingClipHasExactlyOneLabel) {
  const ScratchFolder scratch;
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\na,train,cut;peel\n"),
            "clips.csv:2: the train clip 'a' has 2 labels, expected exactly one");
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\na,train,\n"),
            "clips.csv:2: the train clip 'a' has 0 labels, expected exactly one");
}

TEST(Clips, ValidationIsCompleteIfAValClipHasSeveralLabels) {
  const Clip one{"a", Split::Val, {0}, {}, "", {}, {}};
  const Clip several{"b", Split::Val, {0, 2}, {}, "", {}, {}};
  const Clip test{"c", Split::Test, {0, 2}, {}, "", {}, {}};
  EXPECT_FALSE(has_complete_validation({}));
  EXPECT_FALSE(has_complete_validation({one, test}));
  EXPECT_TRUE(has_complete_validation({one, test, several}));
}

TEST(Clips, ATestClipHasALabelAndNoDuplicates) {
  const ScratchFolder scratch;
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\na,test,\n"),
            "clips.csv:2: the test clip 'a' has no label");
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\na,val,\n"),
            "clips.csv:2: the val clip 'a' has no label");
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\na,test,cut;peel;cut\n"),
            "clips.csv:2: duplicate label 'cut'");
}

TEST(Clips, EmptyLabelsAreErrorsWithAndWithoutClasses) {
  const ScratchFolder scratch;
  const std::string problem =
      "clips.csv:2: labels 'cut;;peel' contains an empty name; labels are separated by one ';'";
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\na,test,cut;;peel\n"), problem);
  EXPECT_EQ(error_of(scratch, [&] { classes_in_clips(scratch / "clips.csv"); }), problem);
  EXPECT_EQ(problem_of(scratch, "clip,split,labels,truth\na,train,cut,cut;\n"),
            "clips.csv:2: truth 'cut;' contains an empty name; labels are separated by one ';'");
}

TEST(Clips, ADuplicateClipIsAnError) {
  const ScratchFolder scratch;
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\na,train,cut\nb,train,cut\na,test,peel\n"),
            "clips.csv:4: duplicate clip 'a', see line 2");
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\n,train,cut\n"),
            "clips.csv:2: the clip has no name");
  EXPECT_EQ(problem_of(scratch, "clip,split,labels\n"), "clips.csv: contains no clips");
}

TEST(Clips, InvalidTimesAreErrors) {
  const ScratchFolder scratch;
  const std::string header = "clip,split,labels,video,start,stop\n";
  EXPECT_EQ(problem_of(scratch, header + "a,train,cut,a.mp4,2,1.5\n"),
            "clips.csv:2: the clip stops at 1.5 s, expected a time after its start at 2 s");
  EXPECT_EQ(problem_of(scratch, header + "a,train,cut,a.mp4,soon,\n"),
            "clips.csv:2: start: expected seconds, found 'soon'");
  EXPECT_EQ(problem_of(scratch, header + "a,train,cut,a.mp4,0,inf\n"),
            "clips.csv:2: stop: expected seconds, found 'inf'");
  EXPECT_EQ(problem_of(scratch, header + "a,train,cut,a.mp4,-1,2\n"),
            "clips.csv:2: start: expected seconds, found '-1'");
}

TEST(Clips, ClassesComeFromLabelsOriginalsAndTruthSorted) {
  const ScratchFolder scratch;
  scratch.write(
      "clips.csv",
      "clip,split,labels,original,truth\na,train,peel,,peel;wash\nb,test,cut;peel,dry,\n");
  EXPECT_EQ(classes_in_clips(scratch / "clips.csv").names(),
            (std::vector<std::string>{"cut", "dry", "peel", "wash"}));
}

TEST(Clips, LabelsAreJoinedBySemicolons) {
  EXPECT_EQ(join_labels({0, 1}, kitchen_verbs()), "cut;peel");
  EXPECT_EQ(join_labels({}, kitchen_verbs()), "");
}

TEST(Vocabulary, NamesAreUtf8) {
  const ScratchFolder scratch;
  EXPECT_EQ(Vocabulary({"schälen"}).name(0), "schälen");
  scratch.write("clips.csv", "clip,split,labels\na,train,sch\xe4len\n");
  EXPECT_EQ(error_of(scratch, [&] { classes_in_clips(scratch / "clips.csv"); }),
            "clips.csv: the name of class 0, 'sch\xe4len', is not UTF-8 text");
}

TEST(Vocabulary, NamesAreUniqueNotEmptyAndWithoutSemicolon) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [] { Vocabulary({"cut", ""}); }), "class 1 has no name");
  EXPECT_EQ(error_of(scratch,
                     [] {
                       Vocabulary({"cut", "peel", "cut"});
                     }),
            "classes 0 and 2 have the same name 'cut'");
  EXPECT_EQ(error_of(scratch, [] { Vocabulary({"a;b"}); }),
            "the name of class 0, 'a;b', contains a ';', which separates labels");
  EXPECT_EQ(kitchen_verbs().find("peel"), 1);
  EXPECT_EQ(kitchen_verbs().find("Peel"), -1);
}

TEST(Vocabulary, IdsInItsFileStartAtZero) {
  const ScratchFolder scratch;
  write_vocabulary(scratch / "classes.csv", Vocabulary({"cut", "wash, dry"}));
  EXPECT_EQ(read_file(scratch / "classes.csv"), "id,name\n0,cut\n1,\"wash, dry\"\n");
  EXPECT_EQ(read_vocabulary(scratch / "classes.csv").name(1), "wash, dry");
  const auto problem = [&](const std::string& text) {
    scratch.write("classes.csv", text);
    return error_of(scratch, [&] { read_vocabulary(scratch / "classes.csv"); });
  };
  EXPECT_EQ(problem("id,name\n0,cut\n2,peel\n"),
            "classes.csv:3: expected class id 1, found '2'; ids must be 0, 1, 2 …");
  EXPECT_EQ(problem("id,name\n0,cut\n1,cut\n"),
            "classes.csv: classes 0 and 1 have the same name 'cut'");
  EXPECT_EQ(problem("id,name\n"), "classes.csv: contains no classes");
  EXPECT_EQ(problem("id,title\n0,cut\n"), "classes.csv:1: missing column 'name'; found id, title");
}

}  // namespace
}  // namespace manyverbs
