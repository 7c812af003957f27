// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/reference.h"

#include "manyverbs/dataset/internal/class_list.h"
#include "manyverbs/dataset/internal/feature_files.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Names = std::vector<std::string>;
using Labels = std::vector<ClassId>;

const std::filesystem::path kReferenceFolder =
    std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden";

// feature_files.py wrote the files.
class ImportReference : public testing::Test {
 protected:
  ImportReference() {
    for (const std::string stream : {"rgb", "flow"}) {
      settings_.train.push_back(
          {stream, kReferenceFolder / "reference" / (stream + "_train.pkl"), ""});
      settings_.test.push_back(
          {stream, kReferenceFolder / "reference" / (stream + "_test.pkl"), ""});
    }
    settings_.out = scratch_ / "confusing";
  }

  // The error of an import, which leaves nothing behind.
  std::string problem() {
    const Names before = scratch_.names();
    std::string text = error_of(scratch_, [&] { import_reference(settings_); });
    EXPECT_EQ(scratch_.names(), before);
    const std::string prefix = kReferenceFolder.string() + "/";
    for (std::size_t at = 0; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
    return text;
  }

  ScratchFolder scratch_;
  ReferenceImport settings_;
};

TEST_F(ImportReference, StreamsAreJoinedById) {
  import_reference(settings_);
  const Dataset dataset = read_dataset(settings_.out);
  EXPECT_EQ(feature_streams(dataset), (Names{"flow", "rgb"}));
  const FeatureTable features = open_features(dataset, {"rgb", "flow"});
  const CsvTable expected = read_csv(kReferenceFolder / "reference/reference.csv");
  ASSERT_EQ(dataset.clips.size(), expected.rows.size());
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    const ClipRow row{static_cast<std::int32_t>(i)};
    EXPECT_EQ(dataset.clips[i].name, expected.rows[i].fields[0]);
    std::vector<float> numbers(4);
    features.read({&row, 1}, numbers.data());
    for (int j = 0; j < 4; ++j) EXPECT_EQ(numbers[j], std::stof(expected.rows[i].fields[j + 1]));
  }
}

TEST_F(ImportReference, LabelsAndSplitsComeFromTheFiles) {
  const ReferenceImported imported = import_reference(settings_);
  const Dataset dataset = read_dataset(settings_.out);
  EXPECT_EQ(dataset.classes.names(), (Names{"0", "1", "2", "3"}));
  EXPECT_EQ(dataset.clips_of(Split::Train).size(), 5U);
  EXPECT_EQ(dataset.clips[1].labels, Labels{3});
  EXPECT_EQ(dataset.clips[5].split, Split::Test);
  EXPECT_EQ(dataset.clips[5].labels, (Labels{0, 2}));
  EXPECT_TRUE(dataset.clips[1].truth.empty());
  EXPECT_EQ(imported.streams[1].layouts[1],
            "pickle, 'clip_features' 4 x 8 x 2 float32, mean of 8 frames, clips by 'video_ids'");
}

TEST_F(ImportReference, HalfAsManyNamesMakeConfusingClasses) {
  settings_.classes = scratch_.write("classes.txt", "cut\npeel\n");
  import_reference(settings_);
  const Dataset dataset = read_dataset(settings_.out);
  EXPECT_EQ(dataset.classes.names(), (Names{"cut^0", "peel^0", "cut^1", "peel^1"}));
  EXPECT_EQ(dataset.clips[1].labels, Labels{3});
  EXPECT_EQ(dataset.clips[1].truth, (Labels{1, 3}));
  EXPECT_EQ(dataset.clips[5].truth, (Labels{0, 2}));
}

TEST_F(ImportReference, IdsOfTwoSplitsGetTheNameOfTheSplit) {
  settings_.val = settings_.test;
  import_reference(settings_);
  const Dataset dataset = read_dataset(settings_.out);
  EXPECT_EQ(dataset.clips[0].name, "train/11");
  EXPECT_EQ(dataset.clips[5].name, "val/8");
  EXPECT_EQ(dataset.clips[8].name, "test/8");
}

TEST_F(ImportReference, MissingAndContradictoryFilesAreErrors) {
  settings_.classes = scratch_.write("classes.txt", "cut\npeel\nwash\n");
  EXPECT_EQ(problem(), "classes.txt: has 3 classes, but the labels are 4 classes");
  settings_.classes.clear();
  std::swap(settings_.test[0], settings_.test[1]);
  EXPECT_EQ(problem(),
            "test: expected the streams rgb, flow in the same order as for train, found flow, rgb");
  settings_.test.clear();
  settings_.train[1].file = kReferenceFolder / "reference/flow_test.pkl";
  EXPECT_EQ(problem(),
            "reference/flow_test.pkl: has no row for 5 of 5 clips in reference/rgb_train.pkl, such "
            "as '11'; its names are like '21'");
  settings_.train = {{"rgb", kReferenceFolder / "reference/rgb_test.pkl", ""}};
  EXPECT_EQ(problem(),
            "reference/rgb_test.pkl: the train clip '8' has 2 labels, expected exactly one");
  settings_.train = {{"rgb", kReferenceFolder / "feature_files/array.pkl", ""}};
  EXPECT_EQ(problem(),
            "feature_files/array.pkl: has no ids of clips, expected an array such as 'video_ids'");
  settings_.train = {{"rgb", kReferenceFolder / "feature_files/dict.pkl", ""}};
  EXPECT_EQ(problem(), "feature_files/dict.pkl: has no labels, expected an array 'labels'");
  settings_.train = {{"rgb", kReferenceFolder / "feature_files/matrix.h5", ""}};
  EXPECT_EQ(problem(),
            "feature_files/matrix.h5: has no ids of clips, expected an array such as 'video_ids'");
}

TEST_F(ImportReference, NamesMustBePrintable) {
  settings_.train = {{"x", scratch_.write("x.csv", "id,u\n\"a\tb\",1\n"), ""}};
  settings_.test.clear();
  EXPECT_EQ(problem(), "x.csv: 'a b' is not a valid name of a clip");
}

TEST_F(ImportReference, StreamsMayNotDifferInTheirLabels) {
  settings_.train = {{"a", kReferenceFolder / "feature_files/protocol5.pkl", ""},
                     {"b", kReferenceFolder / "feature_files/tuple.pkl", ""}};
  settings_.test.clear();
  EXPECT_EQ(problem(),
            "feature_files/tuple.pkl: the clip '17' has the labels 0;2, but 2 in "
            "feature_files/protocol5.pkl");
}

TEST(ClassList, TablesAndListsAreRead) {
  const ScratchFolder scratch;
  using Classes = std::map<ClassId, std::string>;
  EXPECT_EQ(read_class_list(scratch.write("a.csv", "id,name\n1,peel\n0,cut\n")),
            (Classes{{0, "cut"}, {1, "peel"}}));
  EXPECT_EQ(read_class_list(scratch.write("b.csv", "id,key,instances\n0,take,\"['a']\"\n")),
            (Classes{{0, "take"}}));
  EXPECT_EQ(read_class_list(scratch.write("c.csv", "Index,Count,Name\n7,10,Game\n")),
            (Classes{{7, "Game"}}));
  EXPECT_EQ(read_class_list(scratch.write("d.txt", "cut\r\n\r\npeel off")),
            (Classes{{0, "cut"}, {1, "peel off"}}));
  const auto problem = [&](const std::string& text) {
    return error_of(scratch, [&] { read_class_list(scratch.write("x.csv", text)); });
  };
  EXPECT_EQ(problem("no,nom\n1,a\n"),
            "x.csv: expected the columns id and name, id and key, or Index and Name");
  EXPECT_EQ(problem("id,name\nx,a\n"), "x.csv:2: expected a class id, found 'x'");
  EXPECT_EQ(problem("id,name\n1,a\n1,b\n"), "x.csv:3: duplicate class id 1");
  EXPECT_EQ(problem("\n"), "x.csv: contains no classes");
}

}  // namespace
}  // namespace manyverbs
