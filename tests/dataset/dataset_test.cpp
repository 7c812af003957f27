// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/dataset.h"

#include <limits>

#include "tests/clip_rows.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

Dataset kitchen(const std::filesystem::path& folder) {
  Dataset dataset;
  dataset.folder = folder;
  dataset.name = "kitchen";
  dataset.classes = Vocabulary({"cut", "peel"});
  dataset.clips = {{"a", Split::Train, {1}, {}, "", {}, {}},
                   {"b", Split::Test, {0, 1}, {}, "", {}, {}},
                   {"c", Split::Train, {0}, {}, "", {}, {}}};
  return dataset;
}

TEST(Dataset, AFolderIsReadBack) {
  const ScratchFolder scratch;
  write_dataset(scratch.path(), kitchen(scratch.path()));
  const Dataset dataset = read_dataset(scratch.path());
  EXPECT_EQ(dataset.name, "kitchen");
  EXPECT_EQ(dataset.classes.names(), kitchen("").classes.names());
  EXPECT_EQ(dataset.clips, kitchen("").clips);
  EXPECT_EQ(dataset.clips_of(Split::Train), clip_rows({0, 2}));
  EXPECT_EQ(dataset.clips_of(Split::Val), clip_rows({}));
  EXPECT_EQ(dataset.labels_of(clip_rows({0, 2})), (std::vector<ClassId>{1, 0}));
}

TEST(Dataset, AFolderThatIsNotADataSetIsAnError) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [&] { read_dataset(scratch / "no"); }),
            "no: the folder does not exist; create a data set with 'manyverbs import'");
  scratch.write("empty/notes.txt", "");
  EXPECT_EQ(error_of(scratch, [&] { read_dataset(scratch / "empty"); }),
            "empty: is not a data set: it has no dataset.json; create one with 'manyverbs import'");
  scratch.write("old/dataset.json", "{\"format\": 7, \"name\": \"x\"}");
  EXPECT_EQ(error_of(scratch, [&] { read_dataset(scratch / "old"); }),
            "old/dataset.json: expected data set format 1, found 7");
}

TEST(Dataset, StreamsAreSortedAndConcatenated) {
  const ScratchFolder scratch;
  const Dataset dataset = kitchen(scratch.path());
  EXPECT_EQ(feature_streams(dataset), std::vector<std::string>{});
  std::filesystem::create_directory(scratch / "features");
  write_array(scratch / "features/rgb.npy", Matrix<float>(3, 2, {1, 2, 3, 4, 5, 6}));
  write_array(scratch / "features/flow.npy", Matrix<float>(3, 1, {7, 8, 9}));
  EXPECT_EQ(feature_streams(dataset), (std::vector<std::string>{"flow", "rgb"}));

  const FeatureTable all = open_features(dataset);
  std::vector<float> rows(6);
  all.read(clip_rows({2, 0}), rows.data());
  EXPECT_EQ(rows, (std::vector<float>{9, 5, 6, 7, 1, 2}));
  EXPECT_EQ(open_features(dataset, {"rgb"}).columns(), 2);
  EXPECT_EQ(error_of(scratch, [&] { open_features(dataset, {"rbg"}); })
                .substr(scratch.path().string().size()),
            ": unknown feature stream 'rbg'; existing streams: flow, rgb, did you mean 'rgb'?");
}

TEST(Dataset, FeaturesHaveOneRowPerClip) {
  const ScratchFolder scratch;
  const Dataset dataset = kitchen(scratch.path());
  EXPECT_NE(error_of(scratch, [&] { open_features(dataset); }).find("has no features"),
            std::string::npos);
  std::filesystem::create_directory(scratch / "features");
  write_array(scratch / "features/rgb.npy", Matrix<float>(4, 2));
  EXPECT_EQ(error_of(scratch, [&] { open_features(dataset); }),
            "features/rgb.npy: expected 3 rows, one per clip in clips.csv, found 4");
}

TEST(Dataset, ANumberThatIsNotFiniteIsAnErrorWhenItIsRead) {
  const ScratchFolder scratch;
  const Dataset dataset = kitchen(scratch.path());
  std::filesystem::create_directory(scratch / "features");
  Matrix<float> features(3, 40, 1.0F);
  features(1, 37) = std::numeric_limits<float>::quiet_NaN();
  write_array(scratch / "features/rgb.npy", features);
  const FeatureTable table = open_features(dataset);
  std::vector<float> rows(80);
  table.read(clip_rows({0, 2}), rows.data());
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       table.read(clip_rows({0, 1}), rows.data());
                     }),
            "features/rgb.npy: row 1, column 37: expected a finite number, found nan");
}

TEST(FeatureTable, RowsInMemoryAreReadUnchanged) {
  const FeatureTable table(Matrix<float>(2, 2, {1, 2, 3, 4}));
  std::vector<float> rows(4);
  table.read(clip_rows({1, 1}), rows.data());
  EXPECT_EQ(rows, (std::vector<float>{3, 4, 3, 4}));
}

TEST(FeatureTable, FilesMustHaveTheSameNumberOfRows) {
  const ScratchFolder scratch;
  write_array(scratch / "a.npy", Matrix<float>(3, 2));
  write_array(scratch / "b.npy", Matrix<float>(2, 2));
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       std::vector<ArrayFile> files;
                       files.emplace_back(scratch / "a.npy");
                       files.emplace_back(scratch / "b.npy");
                       FeatureTable table(std::move(files));
                     }),
            "b.npy: expected 3 rows as in a.npy, found 2");
  EXPECT_NE(error_of(scratch, [&] { FeatureTable table(std::vector<ArrayFile>{}); }), "");
}

TEST(FeatureTable, IntegersAreNotFeatures) {
  const ScratchFolder scratch;
  write_array(scratch / "ids.npy", Matrix<std::int32_t>(3, 2));
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       std::vector<ArrayFile> files;
                       files.emplace_back(scratch / "ids.npy");
                       FeatureTable table(std::move(files));
                     }),
            "ids.npy: expected float16, float32 or float64, found int32");
}

}  // namespace
}  // namespace manyverbs
