// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/dataset_content.h"

#include <chrono>

#include "manyverbs/dataset/array_file.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

Dataset kitchen(const ScratchFolder& scratch) {
  Dataset dataset;
  dataset.folder = scratch / "kitchen";
  dataset.name = "kitchen";
  dataset.classes = Vocabulary({"cut", "peel"});
  dataset.clips = {{"a", Split::Train, {1}, {0, 1}, "", {}, {}},
                   {"b", Split::Test, {0, 1}, {}, "", {}, {}},
                   {"c", Split::Train, {0}, {0}, "", {}, {}}};
  std::filesystem::create_directories(dataset.folder / "features");
  write_array(dataset.folder / "features/flow.npy", Matrix<float>(3, 2, 1));
  write_array(dataset.folder / "features/rgb.npy", Matrix<float>(3, 2, 2));
  return dataset;
}

TEST(DatasetContent, ChangesWithClipsLabelsAndClasses) {
  const ScratchFolder scratch;
  Dataset dataset = kitchen(scratch);
  const DatasetContent then = labels_content(dataset);
  EXPECT_EQ(changed_file(dataset, then), "");
  dataset.clips[0].labels = {0};
  EXPECT_EQ(changed_file(dataset, then), (scratch / "kitchen/clips.csv").string());
  dataset = kitchen(scratch);
  dataset.clips[0].split = Split::Val;
  EXPECT_NE(changed_file(dataset, then), "");
  dataset = kitchen(scratch);
  dataset.classes = Vocabulary({"cut", "Peel"});
  EXPECT_NE(changed_file(dataset, then), "");
}

TEST(DatasetContent, TheTruthMattersOnlyIfItWasUsed) {
  const ScratchFolder scratch;
  Dataset dataset = kitchen(scratch);
  const DatasetContent with = truth_content(dataset);
  const DatasetContent without = labels_content(dataset);
  dataset.clips[2].truth = {0, 1};
  EXPECT_EQ(changed_file(dataset, with), (scratch / "kitchen/clips.csv").string());
  EXPECT_EQ(changed_file(dataset, without), "");
}

TEST(DatasetContent, ChangedFeaturesOfTheSameSizeAndTimeAreDetected) {
  const ScratchFolder scratch;
  const Dataset dataset = kitchen(scratch);
  const auto file = scratch / "kitchen/features/rgb.npy";
  const DatasetContent both = features_content(dataset, {});
  const DatasetContent flow = features_content(dataset, {"flow"});
  const auto time = std::filesystem::last_write_time(file);
  write_array(file, Matrix<float>(3, 2, 3));
  std::filesystem::last_write_time(file, time);
  EXPECT_EQ(changed_file(dataset, both), file.string());
  EXPECT_EQ(changed_features(dataset, both), file.string());
  EXPECT_EQ(changed_file(dataset, flow), "");
  std::filesystem::remove(file);
  EXPECT_EQ(changed_features(dataset, both), file.string());
}

TEST(DatasetContent, CopyingAndTouchingDoNotChangeIt) {
  const ScratchFolder scratch;
  Dataset dataset = kitchen(scratch);
  const DatasetContent then = features_content(dataset, {});
  const auto file = scratch / "kitchen/features/rgb.npy";
  std::filesystem::last_write_time(file,
                                   std::filesystem::last_write_time(file) + std::chrono::hours(1));
  EXPECT_EQ(changed_file(dataset, then), "");
  std::filesystem::copy(dataset.folder, scratch / "copy", std::filesystem::copy_options::recursive);
  dataset.folder = scratch / "copy";
  EXPECT_EQ(changed_file(dataset, then), "");
}

TEST(DatasetContent, IsReadBackAsItWas) {
  const ScratchFolder scratch;
  const Dataset dataset = kitchen(scratch);
  for (const DatasetContent& content :
       {labels_content(dataset), truth_content(dataset), features_content(dataset, {})}) {
    EXPECT_EQ(content_at({{"made_from", to_json(content)}}, "made_from", "run.json"), content);
  }
  EXPECT_EQ(error_of(scratch, [] { content_at(Json::object(), "made_from", "run.json"); }),
            "run.json: the key 'made_from' is missing");
}

}  // namespace
}  // namespace manyverbs
