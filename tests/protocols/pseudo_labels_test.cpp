// SPDX-License-Identifier: MIT
#include <chrono>

#include "manyverbs/labels/internal/pseudo_label_file.h"
#include "manyverbs/support/internal/files.h"
#include "tests/clip_rows.h"
#include "tests/one_thread.h"
#include "tests/protocols/kitchen.h"

namespace manyverbs {
namespace {

NeighbourSettings nearest(int k) {
  NeighbourSettings settings;
  settings.k = k;
  return settings;
}

NeighbourSettings nearest_in_learned_space(int k) {
  NeighbourSettings settings = nearest(k);
  settings.space.space = "learned";
  settings.space.learned = quick_run("ce");
  return settings;
}

PseudoLabelSettings made_by(PseudoLabelMethod method) {
  PseudoLabelSettings settings;
  settings.method = method;
  return settings;
}

TEST(PipelineNeighbours, EveryClipGetsTrainingClipsAsRowsOfTheDataSet) {
  const ScratchFolder scratch;
  const Dataset line = write_line(scratch / "line");
  const Neighbours found = find_neighbours(line, nearest(2));
  // The training clips are 0, 2 and 3, at 0, 3 and 7.
  EXPECT_EQ(found.clips, clip_rows(6, 2, {2, 3, 0, 2, 0, 3, 2, 0, 3, 2, 2, 3}));
  EXPECT_EQ(found.distances, Matrix<float>(6, 2, {3, 7, 1, 2, 3, 4, 4, 7, 1, 5, 1, 3}));
}

TEST(PipelineNeighbours, AreSearchedOnce) {
  const ScratchFolder scratch;
  const Dataset kitchen = write_kitchen(scratch / "kitchen");
  const Neighbours first = find_neighbours(kitchen, nearest(5));
  const auto file = scratch / "kitchen/neighbours/features-euclidean.npy";
  const ino_t before = identity(file);
  const Neighbours again = find_neighbours(kitchen, nearest(5));
  EXPECT_EQ(identity(file), before);
  EXPECT_EQ(again.clips, first.clips);
  EXPECT_EQ(again.distances, first.distances);
}

TEST(PipelineNeighbours, FewerThanStoredNeedNoSearchAndMoreDo) {
  const ScratchFolder scratch;
  const Dataset kitchen = write_kitchen(scratch / "kitchen");
  find_neighbours(kitchen, nearest(5));
  const auto file = scratch / "kitchen/neighbours/features-euclidean.npy";
  const ino_t before = identity(file);
  const Neighbours three = find_neighbours(kitchen, nearest(3));
  EXPECT_EQ(identity(file), before);
  EXPECT_EQ(three.clips.columns(), 3);
  const Neighbours six = find_neighbours(kitchen, nearest(6));
  EXPECT_NE(identity(file), before);
  for (std::size_t i = 0; i < kitchen.clips.size(); ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(three.clips(i, j), six.clips(i, j));
  }
}

TEST(PipelineNeighbours, AreSearchedAgainIfLabelsOrFeaturesChange) {
  const ScratchFolder scratch;
  Dataset kitchen = write_kitchen(scratch / "kitchen");
  const auto file = scratch / "kitchen/neighbours/features-euclidean.npy";
  find_neighbours(kitchen, nearest(5));
  const ino_t first = identity(file);
  kitchen.clips[0].labels[0] = kitchen.clips[0].labels[0] == 0 ? 1 : 0;
  find_neighbours(kitchen, nearest(5));
  const ino_t second = identity(file);
  EXPECT_NE(second, first);
  replace_features(scratch / "kitchen/features/rgb.npy");
  find_neighbours(kitchen, nearest(5));
  EXPECT_NE(identity(file), second);
}

TEST(PipelineNeighbours, AreReusedInACopyWithAnyFileTimes) {
  const ScratchFolder scratch;
  find_neighbours(write_kitchen(scratch / "kitchen"), nearest(5));
  std::filesystem::copy(scratch / "kitchen", scratch / "copy",
                        std::filesystem::copy_options::recursive);
  const auto features = scratch / "copy/features/rgb.npy";
  std::filesystem::last_write_time(
      features, std::filesystem::last_write_time(features) + std::chrono::hours(1));
  const ino_t before = identity(scratch / "copy/neighbours/features-euclidean.npy");
  find_neighbours(read_dataset(scratch / "copy"), nearest(5));
  EXPECT_EQ(identity(scratch / "copy/neighbours/features-euclidean.npy"), before);
}

TEST(PipelineNeighbours, OfOtherStreamsHaveSeparateFiles) {
  const ScratchFolder scratch;
  const Dataset kitchen = write_kitchen(scratch / "kitchen");
  NeighbourSettings rgb = nearest(5);
  rgb.space.streams = {"rgb"};
  const Neighbours of_all = find_neighbours(kitchen, nearest(5));
  const Neighbours of_rgb = find_neighbours(kitchen, rgb);
  EXPECT_NE(of_rgb.clips, of_all.clips);
  const ino_t before = identity(scratch / "kitchen/neighbours/features-euclidean.npy");
  EXPECT_EQ(find_neighbours(kitchen, nearest(5)).clips, of_all.clips);
  EXPECT_EQ(identity(scratch / "kitchen/neighbours/features-euclidean.npy"), before);
  EXPECT_TRUE(std::filesystem::exists(scratch / "kitchen/neighbours/features-rgb-euclidean.npy"));
}

TEST(PipelineNeighbours, AreUsedIfTheyCannotBeStored) {
  const ScratchFolder scratch;
  const Dataset kitchen = write_kitchen(scratch / "kitchen");
  scratch.write("kitchen/neighbours", "a file in the place of the folder");
  testing::internal::CaptureStderr();
  const Neighbours found = find_neighbours(kitchen, nearest(5));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "the neighbours are used but not stored: " + (scratch / "kitchen/neighbours").string() +
                ": cannot be created: Not a directory\n");
  EXPECT_THROW(find_neighbours(kitchen, nearest(5), Keep::Must), std::exception);
  std::filesystem::remove(scratch / "kitchen/neighbours");
  EXPECT_EQ(find_neighbours(kitchen, nearest(5), Keep::Must).clips, found.clips);
}

TEST(PipelineNeighbours, MoreThanTheNumberOfClipsIsAnError) {
  const ScratchFolder scratch;
  const Dataset line = write_line(scratch / "line");
  EXPECT_EQ(error_of(scratch, [&] { find_neighbours(line, nearest(3)); }),
            "invalid number of neighbours 3; expected 1 to 2 for 3 training clips");
}

TEST(LearnedSpace, IsTheLastHiddenLayerAndIsTrainedOnce) {
  const ScratchFolder scratch;
  const Dataset kitchen = write_kitchen(scratch / "kitchen");
  const SpaceSettings settings = nearest_in_learned_space(5).space;
  const FeatureTable space = open_space(kitchen, settings);
  EXPECT_EQ(space.rows(), 300);
  EXPECT_EQ(space.columns(), 16);
  const auto file = scratch / "kitchen/spaces/learned/space.npy";
  const ino_t before = identity(file);
  open_space(kitchen, settings);
  EXPECT_EQ(identity(file), before);
}

TEST(LearnedSpace, OfAnotherSeedOrOtherStreamsHasASeparateFolder) {
  const ScratchFolder scratch;
  const Dataset kitchen = write_kitchen(scratch / "kitchen");
  SpaceSettings settings = nearest_in_learned_space(5).space;
  open_space(kitchen, settings);
  const std::string first = read_file(scratch / "kitchen/spaces/learned/space.npy");
  settings.learned.seed = 2;
  open_space(kitchen, settings);
  settings.streams = {"rgb"};
  open_space(kitchen, settings);
  EXPECT_EQ(read_file(scratch / "kitchen/spaces/learned/space.npy"), first);
  EXPECT_NE(read_file(scratch / "kitchen/spaces/learned-seed2/space.npy"), first);
  EXPECT_TRUE(std::filesystem::exists(scratch / "kitchen/spaces/learned-rgb-seed2/space.npy"));
}

TEST(LearnedSpace, IsTrainedAgainIfLabelsFeaturesOrSettingsChange) {
  const ScratchFolder scratch;
  Dataset kitchen = write_kitchen(scratch / "kitchen");
  SpaceSettings settings = nearest_in_learned_space(5).space;
  const auto file = scratch / "kitchen/spaces/learned/space.npy";
  open_space(kitchen, settings);
  std::string before = read_file(file);
  const auto expect_another = [&] {
    open_space(kitchen, settings);
    EXPECT_NE(read_file(file), before);
    before = read_file(file);
  };
  kitchen.clips[0].labels[0] = kitchen.clips[0].labels[0] == 0 ? 1 : 0;
  expect_another();
  replace_features(scratch / "kitchen/features/rgb.npy");
  expect_another();
  settings.learned.learning_rate *= 2;
  expect_another();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch / "kitchen/spaces"), {}), 1);
}

TEST(LearnedSpace, OfACopiedDataSetIsReused) {
  const ScratchFolder scratch;
  const SpaceSettings settings = nearest_in_learned_space(5).space;
  open_space(write_kitchen(scratch / "kitchen"), settings);
  std::filesystem::copy(scratch / "kitchen", scratch / "copy",
                        std::filesystem::copy_options::recursive);
  const ino_t before = identity(scratch / "copy/spaces/learned/space.npy");
  open_space(read_dataset(scratch / "copy"), settings);
  EXPECT_EQ(identity(scratch / "copy/spaces/learned/space.npy"), before);
}

TEST(LearnedSpace, HasSeparateNeighbours) {
  const ScratchFolder scratch;
  const Dataset kitchen = write_kitchen(scratch / "kitchen");
  const Neighbours in_features = find_neighbours(kitchen, nearest(5));
  const Neighbours in_learned = find_neighbours(kitchen, nearest_in_learned_space(5));
  EXPECT_NE(in_features.clips, in_learned.clips);
  EXPECT_EQ(find_neighbours(kitchen, nearest(5)).clips, in_features.clips);
  EXPECT_TRUE(std::filesystem::exists(scratch / "kitchen/neighbours/learned-euclidean.npy"));
}

TEST(PipelinePseudoLabels, OfInstanceLevelFollowTheVotesOfNeighbours) {
  const ScratchFolder scratch;
  const Dataset line = write_line(scratch / "line");
  PseudoLabelSettings settings = made_by(PseudoLabelMethod::Instance);
  settings.neighbours = nearest(1);
  settings.name = "nearest";
  const PseudoLabels made = make_pseudo_labels(line, settings);
  // The nearest of 0 is 3, of 3 is 0, of 7 is 3.
  EXPECT_EQ(made.suggestions, (Suggestions{{1}, {0}, {1}}));
  EXPECT_EQ(made.file, scratch / "line/pseudo_labels/nearest.csv");
  EXPECT_EQ(read_pseudo_labels(made.file, line), made.suggestions);
  EXPECT_EQ(read_file(made.file),
            "clip,class,votes,share,suggested\n"
            "c0,peel,1,1.0000,1\n"
            "c2,cut,1,1.0000,1\n"
            "c3,peel,1,1.0000,1\n");
  // Of the clips with known truth, c0 is correct and c2 is wrong.
  EXPECT_EQ(made.quality.precision, 0.5);
  EXPECT_EQ(made.quality.recall, 1.0);
  EXPECT_EQ(made.quality.clips, 2);
  EXPECT_EQ(read_pseudo_label_record(made.file)->votes,
            (VoteSettings{1, 0.1, "features", "euclidean", "features-euclidean"}));
}

TEST(PipelinePseudoLabels, ReuseStoredNeighbours) {
  const ScratchFolder scratch;
  const Dataset kitchen = write_kitchen(scratch / "kitchen");
  PseudoLabelSettings settings = made_by(PseudoLabelMethod::Instance);
  settings.neighbours = nearest(10);
  const PseudoLabels first = make_pseudo_labels(kitchen, settings);
  const std::string text = read_file(first.file);
  const ino_t before = identity(scratch / "kitchen/neighbours/features-euclidean.npy");
  EXPECT_EQ(read_file(make_pseudo_labels(kitchen, settings).file), text);
  settings.tau = 0.5;
  EXPECT_NE(make_pseudo_labels(kitchen, settings).suggestions, first.suggestions);
  EXPECT_EQ(identity(scratch / "kitchen/neighbours/features-euclidean.npy"), before);
}

TEST(PipelinePseudoLabels, OfClassLevelFollowTheLabelSetsOfTestClips) {
  const ScratchFolder scratch;
  const Dataset line = write_line(scratch / "line");
  PseudoLabelSettings settings = made_by(PseudoLabelMethod::Class);
  // Half of the test clips with cut have peel, all with peel have cut.
  EXPECT_EQ(make_pseudo_labels(line, settings).suggestions, (Suggestions{{1}, {0}, {}}));
  settings.recipe = Recipe::Released;
  EXPECT_EQ(make_pseudo_labels(line, settings).suggestions, (Suggestions{{}, {0}, {}}));
}

TEST(PipelinePseudoLabels, OfTheIdealMethodAreTheHiddenLabels) {
  const ScratchFolder scratch;
  const Dataset line = write_line(scratch / "line");
  const PseudoLabels made = make_pseudo_labels(line, made_by(PseudoLabelMethod::Ideal));
  EXPECT_EQ(made.suggestions, (Suggestions{{1}, {}, {}}));
  EXPECT_EQ(made.quality.precision, 1);
  EXPECT_EQ(made.quality.recall, 1);
}

TEST(PipelinePseudoLabels, WithoutTruthOrTestClipsTheAblationsAreErrors) {
  const ScratchFolder scratch;
  Dataset line = write_line(scratch / "line");
  for (Clip& clip : line.clips) {
    clip.truth.clear();
    if (clip.split == Split::Test) {
      clip.split = Split::Val;
      clip.labels.resize(1);
    }
  }
  EXPECT_EQ(error_of(scratch, [&] { make_pseudo_labels(line, made_by(PseudoLabelMethod::Ideal)); }),
            "line/clips.csv: ideal pseudo-labels require the column truth");
  EXPECT_EQ(error_of(scratch, [&] { make_pseudo_labels(line, made_by(PseudoLabelMethod::Class)); }),
            "line/clips.csv: class-level pseudo-labels require test clips with label sets");
  EXPECT_FALSE(std::filesystem::exists(scratch / "line/pseudo_labels"));
}

}  // namespace
}  // namespace manyverbs
