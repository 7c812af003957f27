// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/reference_features.h"

#include <limits>

#include "manyverbs/dataset/internal/epic100.h"
#include "manyverbs/dataset/internal/hmdb51.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Ids = std::vector<std::int64_t>;

Dataset named(const std::vector<std::pair<std::string, Split>>& clips) {
  Dataset dataset;
  dataset.classes = Vocabulary({"cut"});
  for (const auto& [name, split] : clips) {
    dataset.clips.push_back({name, split, {0}, {}, "", {}, {}});
  }
  return dataset;
}

// Row i is {i, 10 * i}.
std::filesystem::path write_rows(const ScratchFolder& scratch, int rows) {
  Matrix<float> matrix(rows, 2);
  for (int i = 0; i < rows; ++i) {
    matrix.row(i)[0] = static_cast<float>(i);
    matrix.row(i)[1] = static_cast<float>(10 * i);
  }
  write_array(scratch / "rgb.npy", matrix);
  return scratch / "rgb.npy";
}

TEST(ReferenceIds, OfEpicAreSortedByNumbersTrainFirst) {
  const Dataset dataset = named({{"P10_01_2", Split::Train},
                                 {"P02_109_10", Split::Train},
                                 {"P02_109_9", Split::Train},
                                 {"P02_11_0", Split::Train},
                                 {"P01_05_1", Split::Test},
                                 {"P01_05_0", Split::Val}});
  EXPECT_EQ(epic100_reference_ids(dataset), (Ids{3, 2, 1, 0, 5, 4}));
  for (const char* name : {"X01_1_1", "P01_1", "P01_1_x", "P01_-1_2", "P__", ""}) {
    const ScratchFolder scratch;
    EXPECT_EQ(error_of(scratch,
                       [&] {
                         epic100_reference_ids(named({{name, Split::Train}}));
                       }),
              fmt::format("expected a narration id such as P01_109_3, found '{}'", name));
  }
}

TEST(ReferenceIds, OfHmdbCountAllVideos) {
  const ScratchFolder scratch;
  for (int split = 1; split <= 3; ++split) {
    scratch.write(fmt::format("splits/run_test_split{}.txt", split), "b.avi 1\na.avi 0\nc.avi 2\n");
  }
  Hmdb51Import settings{.splits = scratch / "splits", .videos = {}, .out = scratch / "out"};
  const auto splits = read_hmdb51(settings);
  EXPECT_EQ(hmdb51_reference_ids(settings, splits, splits[0].dataset), (Ids{1, 2}));
  settings.video_list = scratch.write("list.txt", "/data/run/c.avi\nrun/b\nrun/a.avi\n");
  EXPECT_EQ(hmdb51_reference_ids(settings, splits, splits[0].dataset), (Ids{1, 0}));
  settings.video_list = scratch.write("list.txt", "run/c.avi\n");
  EXPECT_EQ(error_of(scratch, [&] { hmdb51_reference_ids(settings, splits, splits[0].dataset); }),
            "list.txt: has no video 'run/b', which is in the split files");
}

TEST(ReferenceFeatures, AreTheRowsOfTheIds) {
  const ScratchFolder scratch;
  const FeatureSource source{"rgb", write_rows(scratch, 5), ""};
  const Dataset dataset = named({{"a", Split::Train}, {"b", Split::Train}});
  const auto streams = import_reference_features({&source, 1}, dataset, Ids{4, 1}, scratch / "d");
  EXPECT_EQ(streams[0].rows, 2U);
  const Matrix<float> features = read_float_array(scratch / "d/features/rgb.npy");
  EXPECT_EQ(features.row(0)[1], 40);
  EXPECT_EQ(features.row(1)[0], 1);
}

TEST(ReferenceFeatures, OfSeveralFilesAreJoinedByIdOrByName) {
  const ScratchFolder scratch;
  const Dataset dataset = named({{"a", Split::Train}, {"b", Split::Test}});
  for (const auto& [one, two] : {std::pair("17", "8"), std::pair("a", "b")}) {
    const std::vector<FeatureSource> sources = {
        {"rgb", scratch.write("test.csv", fmt::format("video_id,0,1\n{},3,4\n9,0,0\n", two)), ""},
        {"rgb", scratch.write("train.csv", fmt::format("video_id,0,1\n{},1,2\n", one)), ""}};
    const auto streams = import_reference_features(sources, dataset, Ids{17, 8}, scratch / one);
    ASSERT_EQ(streams.size(), 1U);
    EXPECT_EQ(streams[0].unused, 1U);
    EXPECT_EQ(read_float_array(scratch / one / "features/rgb.npy"),
              (Matrix<float>(2, 2, {1, 2, 3, 4})));
  }
}

TEST(ReferenceFeatures, AClipWithoutARowIsAnError) {
  const ScratchFolder scratch;
  const Dataset dataset = named({{"a", Split::Train}, {"b", Split::Test}});
  const FeatureSource source{"rgb", scratch.write("rgb.csv", "video_id,0,1\n17,1,2\n9,0,0\n"), ""};
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       import_reference_features({&source, 1}, dataset, Ids{17, 8}, scratch / "d");
                     }),
            "rgb.csv: has no row for 1 of 2 clips in the data set, such as '8'; its names are like "
            "'9'");
}

TEST(ReferenceFeatures, InvalidFilesAreErrors) {
  const ScratchFolder scratch;
  FeatureSource source{"rgb", write_rows(scratch, 4), ""};
  const Dataset dataset = named({{"a", Split::Train}, {"b", Split::Train}});
  const auto problem = [&] {
    return error_of(scratch, [&] {
      import_reference_features({&source, 1}, dataset, Ids{4, 1}, scratch / "d");
    });
  };
  EXPECT_EQ(
      problem(),
      "rgb.npy: expected at least 5 rows, one for each clip in the order of the reference ids, "
      "found 4");
  Matrix<float> matrix(5, 2);
  matrix.row(4)[1] = std::numeric_limits<float>::infinity();
  write_array(scratch / "rgb.npy", matrix);
  EXPECT_EQ(problem(), "rgb.npy: row 4 (clip 'a'), column 1: expected a finite number, found inf");
  source.file = scratch.write("rgb.npz", "no zip");
  EXPECT_NE(problem(), "");
}

}  // namespace
}  // namespace manyverbs
