// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/inspection.h"

#include <cmath>
#include <limits>

#include "tests/dataset/npy.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Names = std::vector<std::string>;

Clip clip(std::string name, Split split, std::vector<ClassId> labels) {
  return {std::move(name), split, std::move(labels), {}, "", {}, {}};
}

Dataset dataset_of(const ScratchFolder& scratch, Names classes, std::vector<Clip> clips) {
  std::filesystem::create_directories(scratch / "features");
  return {scratch.path(), "kitchen", Vocabulary(std::move(classes)), std::move(clips)};
}

const Finding* find(const std::vector<Finding>& findings, const std::string& key) {
  for (const Finding& finding : findings) {
    if (finding.key == key) return &finding;
  }
  return nullptr;
}

TEST(Inspection, CountsClipsAndLabels) {
  const ScratchFolder scratch;
  Dataset dataset = dataset_of(
      scratch, {"cut", "peel", "wash"},
      {clip("a", Split::Train, {0}), clip("b", Split::Train, {0}), clip("c", Split::Train, {1}),
       clip("d", Split::Val, {2}), clip("e", Split::Test, {0, 1}), clip("f", Split::Test, {0})});
  dataset.clips[0].truth = {0, 1, 2};
  const Inspection found = inspect(dataset, {});
  EXPECT_EQ(found.clips_by_split, (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(found.classes[0].train, 2);
  EXPECT_EQ(found.classes[0].test, 2);
  EXPECT_EQ(found.classes[2].val, 1);
  EXPECT_EQ(found.test_labels.least, 1);
  EXPECT_EQ(found.test_labels.most, 2);
  EXPECT_EQ(found.test_labels.mean, 1.5);
  EXPECT_EQ(found.originals, 1) << "e has two labels and no original";
  EXPECT_EQ(found.truth.clips, 1);
  EXPECT_EQ(found.truth.mean, 3);
  EXPECT_EQ(found.full_clips, 3);
  EXPECT_EQ(found.classes_of_half, 1);
}

TEST(Inspection, WithoutTestClipsTheMeanIsUndefined) {
  const ScratchFolder scratch;
  const Inspection found =
      inspect(dataset_of(scratch, {"cut"}, {clip("a", Split::Train, {0})}), {});
  EXPECT_TRUE(std::isnan(found.test_labels.mean));
  EXPECT_TRUE(found.co_occurrences.empty());
}

TEST(Inspection, SharesOfCoOccurringClasses) {
  const ScratchFolder scratch;
  const Dataset dataset =
      dataset_of(scratch, {"cut", "peel"},
                 {clip("a", Split::Test, {0, 1}), clip("b", Split::Test, {0}),
                  clip("c", Split::Test, {1, 0}), clip("d", Split::Train, {1})});
  InspectionSettings settings;
  settings.least_clips = 1;
  const auto pairs = inspect(dataset, settings).co_occurrences;
  ASSERT_EQ(pairs.size(), 2);
  EXPECT_EQ(pairs[0].first, 1);
  EXPECT_EQ(pairs[0].second, 0);
  EXPECT_EQ(pairs[0].together, 2);
  EXPECT_EQ(pairs[0].clips, 2);
  EXPECT_EQ(pairs[1].first, 0);
  EXPECT_EQ(pairs[1].together, 2);
  EXPECT_EQ(pairs[1].clips, 3);
  settings.co_occurrences = 1;
  EXPECT_EQ(inspect(dataset, settings).co_occurrences.size(), 1);
  settings.least_clips = 4;
  EXPECT_TRUE(inspect(dataset, settings).co_occurrences.empty());
}

TEST(Inspection, ClassesWithoutTrainingClipsAreFound) {
  const ScratchFolder scratch;
  const Dataset dataset = dataset_of(scratch, {"cut", "peel", "wash", "dry", "Cut"},
                                     {clip("a", Split::Train, {0}), clip("b", Split::Train, {0}),
                                      clip("c", Split::Train, {1}), clip("d", Split::Test, {2})});
  const Inspection found = inspect(dataset, {});
  EXPECT_EQ(find(found.findings, "untrained_classes")->examples, (Names{"wash", "dry", "Cut"}));
  EXPECT_EQ(find(found.findings, "tested_but_untrained_classes")->examples, Names{"wash"});
  EXPECT_EQ(find(found.findings, "single_clip_classes")->examples, Names{"peel"});
  EXPECT_EQ(find(found.findings, "alike_class_names")->examples,
            Names{"'cut' (2 clips) and 'Cut' (0 clips)"});
}

TEST(Inspection, NamesAreComparedWithoutCaseAndSpaces) {
  const ScratchFolder scratch;
  const Dataset dataset = dataset_of(scratch, {"turn on", "Turn-on", "turn_on ", "turn"},
                                     {clip("a", Split::Train, {0})});
  EXPECT_EQ(find(inspect(dataset, {}).findings, "alike_class_names")->count, 2);
}

TEST(Inspection, AGoodDataSetHasNoFindings) {
  const ScratchFolder scratch;
  const Dataset dataset = dataset_of(scratch, {"cut"},
                                     {clip("a", Split::Train, {0}), clip("b", Split::Train, {0}),
                                      clip("c", Split::Val, {0}), clip("d", Split::Test, {0})});
  write_array(scratch / "features/rgb.npy", Matrix<float>(4, 2, {1, 2, 3, 4, 5, 6, 7, 8}));
  const Inspection found = inspect(dataset, {});
  EXPECT_TRUE(found.findings.empty()) << found.findings[0].what;
  ASSERT_EQ(found.streams.size(), 1);
  EXPECT_EQ(found.streams[0].columns, 2);
}

TEST(Inspection, MissingSplitsAreNotesAfterProblems) {
  const ScratchFolder scratch;
  const auto findings =
      inspect(dataset_of(scratch, {"cut"}, {clip("a", Split::Train, {0})}), {}).findings;
  ASSERT_EQ(findings.size(), 3);
  EXPECT_EQ(findings[0].key, "single_clip_classes");
  EXPECT_EQ(findings[1].key, "no_val");
  EXPECT_EQ(findings[1].severity, Severity::Note);
  EXPECT_EQ(findings[2].key, "no_test");
}

TEST(Inspection, SomeMissingVideosAreAProblemAndAllMissingANote) {
  const ScratchFolder scratch;
  Dataset dataset =
      dataset_of(scratch, {"cut"}, {clip("a", Split::Train, {0}), clip("b", Split::Train, {0})});
  dataset.clips[0].video = "films/a.avi";
  dataset.clips[1].video = "films/b.avi";
  EXPECT_EQ(find(inspect(dataset, {}).findings, "missing_videos")->severity, Severity::Note);
  scratch.write("films/a.avi", "");
  const auto findings = inspect(dataset, {}).findings;
  EXPECT_EQ(find(findings, "missing_videos")->severity, Severity::Problem);
  EXPECT_EQ(find(findings, "missing_videos")->examples, Names{"films/b.avi"});
}

// Rows: train a, zeros b, test c = a, NaN d, val e = a, f.
TEST(Inspection, UnusualRowsAndColumnsAreFound) {
  const ScratchFolder scratch;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Dataset dataset = dataset_of(
      scratch, {"cut"},
      {clip("a", Split::Train, {0}), clip("b", Split::Train, {0}), clip("c", Split::Test, {0}),
       clip("d", Split::Train, {0}), clip("e", Split::Val, {0}), clip("f", Split::Test, {0}),
       clip("g", Split::Train, {0})});
  write_array(
      scratch / "features/rgb.npy",
      Matrix<float>(7, 3, {1, 2,     0, 0, 0, 0, 1, 2, 0, nan, 1, 0, 1, 2, -0.0F, 3, 4, 0,  //
                           0, -0.0F, 0}));
  const auto findings = inspect_features(dataset, {}).findings;
  EXPECT_EQ(find(findings, "not_finite_rows")->examples, Names{"d (row 3)"});
  EXPECT_EQ(find(findings, "zero_rows")->examples, (Names{"b (row 1)", "g (row 6)"}));
  EXPECT_EQ(find(findings, "constant_columns")->count, 1);
  EXPECT_EQ(find(findings, "constant_columns")->examples[0].substr(0, 8), "column 2");
  EXPECT_EQ(find(findings, "leaked_rows")->examples, Names{"a (train) = c (test)"});
  EXPECT_EQ(find(findings, "duplicate_rows")->examples,
            (Names{"a (train) = c (test)", "a (train) = e (val)"}));
}

TEST(Inspection, DuplicatesAreEqualInEveryStream) {
  const ScratchFolder scratch;
  const Dataset dataset =
      dataset_of(scratch, {"cut"}, {clip("a", Split::Train, {0}), clip("b", Split::Test, {0})});
  write_array(scratch / "features/rgb.npy", Matrix<float>(2, 2, {1, 2, 1, 2}));
  write_array(scratch / "features/flow.npy", Matrix<float>(2, 1, {5, 6}));
  EXPECT_EQ(find(inspect_features(dataset, {}).findings, "duplicate_rows")->count, 0);
  write_array(scratch / "features/flow.npy", Matrix<float>(2, 1, {5, 5}));
  EXPECT_EQ(find(inspect_features(dataset, {}).findings, "leaked_rows")->count, 1);
}

TEST(Inspection, AnInvalidFeatureFileIsAFinding) {
  const ScratchFolder scratch;
  const Dataset dataset =
      dataset_of(scratch, {"cut"}, {clip("a", Split::Train, {0}), clip("b", Split::Test, {0})});
  scratch.write("features/flow.npy", "garbage");
  write_array(scratch / "features/rgb.npy", Matrix<float>(3, 2));
  const auto found = inspect_features(dataset, {});
  const Finding* broken = find(found.findings, "broken_features");
  EXPECT_EQ(broken->count, 2);
  EXPECT_TRUE(broken->examples[0].ends_with("flow.npy: is not an NPY file"));
  EXPECT_TRUE(broken->examples[1].ends_with(
      "rgb.npy: expected 2 rows, one per clip in clips.csv, found 3"));
}

TEST(Inspection, FeaturesThatTrainingRejectsAreFindings) {
  const ScratchFolder scratch;
  const Dataset dataset =
      dataset_of(scratch, {"cut"}, {clip("a", Split::Train, {0}), clip("b", Split::Test, {0})});
  write_array(scratch / "features/counts.npy", Matrix<std::int32_t>(2, 2));
  write_array(scratch / "features/empty.npy", Matrix<float>(2, 0));
  const auto found = inspect_features(dataset, {});
  const Finding* broken = find(found.findings, "broken_features");
  ASSERT_EQ(broken->count, 2);
  EXPECT_TRUE(broken->examples[0].ends_with(
      "counts.npy: expected float16, float32 or float64, found int32"));
  EXPECT_TRUE(broken->examples[1].ends_with("empty.npy: has no columns"));
  EXPECT_EQ(error_of(scratch, [&] { open_features(dataset, {"empty"}); }),
            "features/empty.npy: has no columns");
}

TEST(Inspection, OnlyTheFirstExamplesAreKept) {
  Finding finding;
  for (const char* name : {"a", "b", "c"}) finding.add(name, 2);
  EXPECT_EQ(finding.count, 3);
  EXPECT_EQ(finding.examples, (Names{"a", "b"}));
}

}  // namespace
}  // namespace manyverbs
