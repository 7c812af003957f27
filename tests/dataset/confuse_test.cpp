// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/confuse.h"

#include <set>

#include "tests/interrupting.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Ids = std::vector<ClassId>;

Dataset kitchen() {
  Dataset dataset;
  dataset.name = "kitchen";
  dataset.classes = Vocabulary({"cut", "peel"});
  for (int i = 0; i < 40; ++i) {
    dataset.clips.push_back(
        {fmt::format("t{}", i), i % 5 == 0 ? Split::Val : Split::Train, {i % 2}, {}, "", {}, {}});
  }
  dataset.clips.push_back({"x", Split::Test, {0}, {}, "", {}, {}});
  dataset.clips.push_back({"y", Split::Test, {1, 0}, {}, "", {}, {}});
  dataset.clips[3].truth = {0, 1};
  return dataset;
}

std::filesystem::path written(const ScratchFolder& scratch, const std::string& name) {
  std::filesystem::create_directories(scratch / (name + "/features"));
  write_dataset(scratch / name, kitchen());
  write_array(scratch / (name + "/features/rgb.npy"), Matrix<float>(42, 2));
  return scratch / name;
}

TEST(Confuse, ClassesAreOrderedByWay) {
  EXPECT_EQ(confused_classes(Vocabulary({"cut", "peel"}), 2).names(),
            (std::vector<std::string>{"cut^0", "peel^0", "cut^1", "peel^1"}));
}

TEST(Confuse, TrainAndValClipsHaveOneWayAndTestClipsAll) {
  Random random(12);
  const Dataset original = kitchen();
  const Dataset result = confused(original, 3, random);
  EXPECT_EQ(result.name, "confusing-kitchen");
  EXPECT_EQ(result.classes.size(), 6);
  std::set<ClassId> seen;
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(result.clips[i].labels.size(), 1);
    EXPECT_EQ(result.clips[i].labels[0] % 2, i % 2);
    seen.insert(result.clips[i].labels[0]);
  }
  EXPECT_EQ(seen.size(), 6);
  EXPECT_EQ(result.clips[40].labels, (Ids{0, 2, 4}));
  EXPECT_EQ(result.clips[41].labels, (Ids{1, 3, 5, 0, 2, 4}));
}

TEST(Confuse, ValClipsWithAllLabelsHaveAllWays) {
  Random random(12);
  Dataset original = kitchen();
  original.clips[5].labels = {1, 0};
  const Dataset result = confused(original, 2, random);
  EXPECT_EQ(result.clips[5].labels, (Ids{1, 3, 0, 2}));
  EXPECT_EQ(result.clips[10].labels, (Ids{0, 2})) << "also those with one label";
  EXPECT_EQ(result.clips[11].labels.size(), 1);
}

TEST(Confuse, TruthIsEveryWayOfTheTruth) {
  Random random(12);
  const Dataset result = confused(kitchen(), 2, random);
  EXPECT_EQ(result.clips[0].truth, (Ids{0, 2}));
  EXPECT_EQ(result.clips[3].truth, (Ids{0, 2, 1, 3}));
  EXPECT_EQ(result.clips[41].truth, (Ids{1, 3, 0, 2}));
}

TEST(Confuse, WithSeveralWaysATestClipHasNoOriginal) {
  Dataset dataset = kitchen();
  dataset.clips[41].original = 0;
  Random random(12);
  EXPECT_EQ(confused(dataset, 2, random).clips[41].original, std::nullopt);
  EXPECT_EQ(confused(dataset, 1, random).clips[41].original, 0);
}

TEST(Confuse, OneRandomNumberPerClipInOrder) {
  Random random(12);
  Random same(12);
  const Dataset result = confused(kitchen(), 2, random);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(result.clips[i].labels[0], static_cast<ClassId>(2 * same.below(2)) + i % 2);
  }
}

TEST(Confuse, OneDataSetBecomesTheFolderItself) {
  const ScratchFolder scratch;
  const auto results = confuse({{written(scratch, "a")}, 2, 12, scratch / "out"});
  ASSERT_EQ(results.size(), 1);
  const Dataset dataset = read_dataset(scratch / "out");
  EXPECT_EQ(dataset.clips, results[0].clips);
  EXPECT_EQ(std::filesystem::read_symlink(scratch / "out/features/rgb.npy"),
            std::filesystem::canonical(scratch / "a/features/rgb.npy"));
  EXPECT_EQ(open_features(dataset).columns(), 2);
}

TEST(Confuse, VideoPathsAreRelativeToTheNewFolder) {
  const ScratchFolder scratch;
  Dataset dataset = kitchen();
  dataset.clips[0].video = "videos/a.mp4";
  dataset.clips[1].video = "../b.mp4";
  dataset.clips[2].video = "/data/c.mp4";
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directories(scratch / name);
    write_dataset(scratch / name, dataset);
  }
  confuse({{scratch / "a"}, 2, 12, scratch / "one"});
  const auto one = read_dataset(scratch / "one").clips;
  EXPECT_EQ(one[0].video, "../a/videos/a.mp4");
  EXPECT_EQ(one[1].video, "../b.mp4");
  EXPECT_EQ(one[2].video, "/data/c.mp4");
  EXPECT_EQ(one[3].video, "");
  confuse({{scratch / "a", scratch / "b"}, 2, 12, scratch / "two"});
  EXPECT_EQ(read_dataset(scratch / "two/b").clips[0].video, "../../b/videos/a.mp4");
}

TEST(Confuse, FeaturesAreLinkedWithTheirRecords) {
  const ScratchFolder scratch;
  const auto a = written(scratch, "a");
  scratch.write("a/features/rgb.json", "{}");
  scratch.write("a/features/flow.partial", "");
  confuse({{a}, 2, 12, scratch / "out"});
  EXPECT_TRUE(std::filesystem::exists(scratch / "out/features/rgb.json"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "out/features/flow.partial"));
}

TEST(Confuse, SeveralDataSetsShareOneRandomSequence) {
  const ScratchFolder scratch;
  confuse({{written(scratch, "a"), written(scratch, "b/")}, 2, 12, scratch / "out"});
  Random random(12);
  EXPECT_EQ(read_dataset(scratch / "out/a").clips, confused(kitchen(), 2, random).clips);
  EXPECT_EQ(read_dataset(scratch / "out/b").clips, confused(kitchen(), 2, random).clips);
}

TEST(Confuse, AnInterruptionLeavesNothingBehind) {
  const ScratchFolder scratch;
  const auto a = written(scratch, "a");
  const auto before = scratch.names();
  EXPECT_EQ(interrupted_at_once([&] { confuse({{a}, 2, 12, scratch / "out"}); }), "");
  EXPECT_EQ(scratch.names(), before);
}

TEST(Confuse, AFailureLeavesNothingBehind) {
  const ScratchFolder scratch;
  const auto a = written(scratch, "a");
  const auto other = written(scratch, "other/a");
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       confuse({{a, other}, 2, 12, scratch / "out"});
                     }),
            "other/a: has the same folder name 'a' as a; confuse them separately");
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       confuse({{a, scratch / "no"}, 2, 12, scratch / "out"});
                     }),
            "no: the folder does not exist; create a data set with 'manyverbs import'");
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       confuse({{a}, 2, 12, other});
                     }),
            "other/a: already exists; choose another --out or remove it");
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"a", "other"}));
}

}  // namespace
}  // namespace manyverbs
