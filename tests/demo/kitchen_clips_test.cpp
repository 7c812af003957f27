// SPDX-License-Identifier: MIT
#include "manyverbs/demo/internal/kitchen_clips.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

#include "manyverbs/decoding/internal/frame_index.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/parallel.h"

namespace manyverbs {
namespace {

constexpr KitchenSettings kSmall = {.train = 6, .val = 2, .test = 4, .scenes = {.frames = 10}};

std::filesystem::path fresh_folder(const std::string& name) {
  const std::filesystem::path folder = testing::TempDir() + "/kitchen_clips_" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

TEST(KitchenClips, TrainAndValHaveOneTrueVerbAndTestAll) {
  const Dataset dataset = choose_kitchen_clips({}).dataset;
  ASSERT_EQ(dataset.clips.size(), 1400);
  for (const Clip& clip : dataset.clips) {
    EXPECT_TRUE(std::is_sorted(clip.truth.begin(), clip.truth.end()));
    if (clip.split == Split::Test) {
      EXPECT_EQ(clip.labels, clip.truth);
    } else {
      ASSERT_EQ(clip.labels.size(), 1);
      EXPECT_TRUE(std::binary_search(clip.truth.begin(), clip.truth.end(), clip.labels[0]));
    }
  }
  EXPECT_EQ(dataset.clips_of(Split::Train).size(), 960);
  EXPECT_EQ(dataset.clips_of(Split::Val).size(), 120);
}

TEST(KitchenClips, TheOriginalOfATestClipIsARandomVerbNotTheFirst) {
  const Dataset dataset = choose_kitchen_clips({}).dataset;
  int several = 0;
  int first = 0;
  for (const ClipRow row : dataset.clips_of(Split::Test)) {
    const Clip& clip = dataset.clip(row);
    ASSERT_TRUE(clip.original.has_value());
    EXPECT_TRUE(std::binary_search(clip.truth.begin(), clip.truth.end(), *clip.original));
    several += clip.truth.size() > 1 ? 1 : 0;
    first += clip.truth.size() > 1 && clip.original == clip.truth.front() ? 1 : 0;
  }
  EXPECT_GT(several, 100);
  EXPECT_LT(first, 3 * several / 4);
}

TEST(KitchenClips, EveryVerbIsATrainingLabel) {
  const Dataset dataset = choose_kitchen_clips({}).dataset;
  std::map<ClassId, int> labels;
  for (const ClassId verb : dataset.labels_of(dataset.clips_of(Split::Train))) ++labels[verb];
  for (ClassId verb = 0; verb < dataset.classes.size(); ++verb) {
    EXPECT_GE(labels[verb], 5) << dataset.classes.name(verb);
  }
}

TEST(KitchenClips, AnotherSeedGivesOtherClips) {
  const KitchenClips one = choose_kitchen_clips({.seed = 1});
  const KitchenClips two = choose_kitchen_clips({.seed = 2});
  EXPECT_NE(one.dataset.clips, two.dataset.clips);
  EXPECT_NE(one.scenes[0].seed, two.scenes[0].seed);
  EXPECT_EQ(one.dataset.clips, choose_kitchen_clips({.seed = 1}).dataset.clips);
}

TEST(KitchenClips, FilesAreTheSameOnOneThreadAndOnSeveral) {
  const std::filesystem::path alone = fresh_folder("alone");
  const std::filesystem::path together = fresh_folder("together");
  const int threads = num_threads();
  set_num_threads(1);
  write_kitchen_clips(alone, kSmall);
  set_num_threads(3);
  write_kitchen_clips(together, kSmall);
  set_num_threads(threads);
  EXPECT_EQ(read_file(alone / "clips.csv"), read_file(together / "clips.csv"));
  for (const Clip& clip : read_dataset(alone).clips) {
    EXPECT_EQ(read_file(alone / clip.video), read_file(together / clip.video)) << clip.name;
  }
}

TEST(KitchenClips, VideosDecodeToTheRenderedFrames) {
  const std::filesystem::path folder = fresh_folder("decoded");
  write_kitchen_clips(folder, kSmall);
  const KitchenClips made = choose_kitchen_clips(kSmall);
  const Dataset dataset = read_dataset(folder);
  EXPECT_EQ(dataset.clips, made.dataset.clips);
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    const ClipFrames frames = find_frames(folder / dataset.clips[i].video);
    ASSERT_EQ(frames.count, 10);
    EXPECT_EQ(frames.width, 96);
    EXPECT_EQ(frames.height, 72);
    EXPECT_NEAR(frames.frame_rate, 12, 1e-6);
    const Image seen = read_frames(frames, std::vector{7}).front();
    const Image drawn = ScenePainter(made.scenes[i]).draw(7);
    double sum = 0;
    for (std::size_t p = 0; p < seen.pixels.size(); ++p) {
      sum += std::abs(seen.pixels[p] - drawn.pixels[p]);
    }
    EXPECT_LT(sum / static_cast<double>(seen.pixels.size()), 10);
  }
}

TEST(KitchenClips, AnExistingFolderIsUnchanged) {
  const std::filesystem::path folder = fresh_folder("taken");
  std::filesystem::create_directory(folder);
  EXPECT_THROW(write_kitchen_clips(folder, kSmall), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace manyverbs
