// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/clip_choice.h"

#include <algorithm>

#include "tests/clip_rows.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

// Clips of alternating splits: test, train, val, train, then the rest of each split.
Dataset dataset_of(int train, int val, int test) {
  Dataset dataset;
  dataset.folder = "kitchen";
  dataset.classes = Vocabulary({"cut", "peel"});
  while (train + val + test > 0) {
    for (const auto& [left, split] :
         {std::pair(&test, Split::Test), std::pair(&train, Split::Train),
          std::pair(&val, Split::Val)}) {
      if (*left == 0) continue;
      --*left;
      Clip clip;
      clip.name = std::to_string(dataset.clips.size());
      clip.split = split;
      clip.labels = {0};
      dataset.clips.push_back(clip);
    }
  }
  return dataset;
}

TEST(ClipChoice, ValClipsSelectTheEpochWithAnyProtocol) {
  const Dataset dataset = dataset_of(3, 2, 2);
  for (const Protocol protocol : {Protocol::Clean, Protocol::Paper}) {
    const ClipChoice choice = choose_clips(dataset, protocol, 1);
    EXPECT_EQ(choice.training, clip_rows({1, 4, 6}));
    EXPECT_EQ(choice.validation, clip_rows({2, 5}));
    EXPECT_FALSE(choice.validation_is_test);
  }
}

TEST(ClipChoice, WithoutValATenthOfTrainIsHeldOut) {
  const Dataset dataset = dataset_of(59, 0, 5);
  const ClipChoice choice = choose_clips(dataset, Protocol::Clean, 1);
  EXPECT_EQ(choice.validation.size(), 5);
  EXPECT_EQ(choice.training.size(), 54);
  EXPECT_FALSE(choice.validation_is_test);
  EXPECT_TRUE(std::is_sorted(choice.training.begin(), choice.training.end()));
  EXPECT_TRUE(std::is_sorted(choice.validation.begin(), choice.validation.end()));
  std::vector<ClipRow> all;
  std::merge(choice.training.begin(), choice.training.end(), choice.validation.begin(),
             choice.validation.end(), std::back_inserter(all));
  EXPECT_EQ(all, dataset.clips_of(Split::Train));
}

TEST(ClipChoice, TheHeldOutTenthDependsOnTheSeed) {
  const Dataset dataset = dataset_of(60, 0, 0);
  const auto held_out = [&](std::uint64_t seed) {
    return choose_clips(dataset, Protocol::Clean, seed).validation;
  };
  EXPECT_EQ(held_out(1), held_out(1));
  EXPECT_NE(held_out(1), held_out(2));
}

TEST(ClipChoice, WithoutValThePaperProtocolSelectsOnTest) {
  const ClipChoice choice = choose_clips(dataset_of(3, 0, 2), Protocol::Paper, 1);
  EXPECT_EQ(choice.training, clip_rows({1, 3, 4}));
  EXPECT_EQ(choice.validation, clip_rows({0, 2}));
  EXPECT_TRUE(choice.validation_is_test);
}

TEST(ClipChoice, TooFewClipsAreAnError) {
  const ScratchFolder scratch;
  const auto problem = [&](const Dataset& dataset, Protocol protocol) {
    return error_of(scratch, [&] { choose_clips(dataset, protocol, 1); });
  };
  EXPECT_EQ(problem(dataset_of(1, 5, 5), Protocol::Clean),
            "kitchen/clips.csv: expected at least 2 clips of the split train, found 1");
  EXPECT_EQ(problem(dataset_of(9, 0, 5), Protocol::Clean),
            "kitchen/clips.csv: 9 training clips are too few to hold out a tenth; add clips of the "
            "split val");
  EXPECT_EQ(problem(dataset_of(10, 0, 5), Protocol::Clean), "");
  EXPECT_EQ(
      problem(dataset_of(9, 0, 0), Protocol::Paper),
      "kitchen/clips.csv: has no clips of the split val or test, which select the best epoch");
}

}  // namespace
}  // namespace manyverbs
