// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/run.h"

#include <algorithm>

#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/learning/internal/run_record.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Rows = std::vector<int>;

// Clips of the splits in turn: test, train, val, train, then the rest of each kind.
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

Run full_run() {
  Run run;
  run.dataset = "/data/kitchen";
  run.made_from = {"0123456789abcdef", "", {{"flow", "12"}, {"rgb", "34"}}};
  run.streams = {"flow", "rgb"};
  run.feature_columns = 7;
  run.classes = {"cut", "peel"};
  run.protocol = Protocol::Paper;
  run.pseudo_labels = "default";
  run.pseudo_labels_hash = "fedcba9876543210";
  run.training.loss = "p+s";
  run.training.loss_settings = {Recipe::Released, 0.2, 0.3, 1.5, 0.4};
  run.training.hidden = {5, 4, 3};
  run.training.learning_rate = 0.0001;
  run.training.batch = 3;
  run.training.epochs = 12;
  run.training.patience = 4;
  run.training.seed = UINT64_MAX;
  return run;
}

TEST(Run, ValClipsChooseTheEpochWhateverTheProtocol) {
  const Dataset dataset = dataset_of(3, 2, 2);
  for (const Protocol protocol : {Protocol::Clean, Protocol::Paper}) {
    const ClipChoice choice = choose_clips(dataset, protocol, 1);
    EXPECT_EQ(choice.training, (Rows{1, 4, 6}));
    EXPECT_EQ(choice.validation, (Rows{2, 5}));
    EXPECT_FALSE(choice.validation_is_test);
  }
}

TEST(Run, WithoutValATenthOfTrainIsHeldOut) {
  const Dataset dataset = dataset_of(59, 0, 5);
  const ClipChoice choice = choose_clips(dataset, Protocol::Clean, 1);
  EXPECT_EQ(choice.validation.size(), 5);
  EXPECT_EQ(choice.training.size(), 54);
  EXPECT_FALSE(choice.validation_is_test);
  EXPECT_TRUE(std::is_sorted(choice.training.begin(), choice.training.end()));
  EXPECT_TRUE(std::is_sorted(choice.validation.begin(), choice.validation.end()));
  Rows all;
  std::merge(choice.training.begin(), choice.training.end(), choice.validation.begin(),
             choice.validation.end(), std::back_inserter(all));
  EXPECT_EQ(all, dataset.clips_of(Split::Train));
}

TEST(Run, TheSeedDecidesWhichTenthIsHeldOut) {
  const Dataset dataset = dataset_of(60, 0, 0);
  const auto held_out = [&](std::uint64_t seed) {
    return choose_clips(dataset, Protocol::Clean, seed).validation;
  };
  EXPECT_EQ(held_out(1), held_out(1));
  EXPECT_NE(held_out(1), held_out(2));
}

TEST(Run, ThePaperProtocolChoosesOnTestWhereThereIsNoVal) {
  const ClipChoice choice = choose_clips(dataset_of(3, 0, 2), Protocol::Paper, 1);
  EXPECT_EQ(choice.training, (Rows{1, 3, 4}));
  EXPECT_EQ(choice.validation, (Rows{0, 2}));
  EXPECT_TRUE(choice.validation_is_test);
}

TEST(Run, TooFewClipsAreAnError) {
  const ScratchFolder scratch;
  const auto problem = [&](const Dataset& dataset, Protocol protocol) {
    return error_of(scratch, [&] { choose_clips(dataset, protocol, 1); });
  };
  EXPECT_EQ(problem(dataset_of(1, 5, 5), Protocol::Clean),
            "kitchen/clips.csv: has 1 clips of the split train; training needs two or more");
  EXPECT_EQ(problem(dataset_of(9, 0, 5), Protocol::Clean),
            "kitchen/clips.csv: 9 training clips are too few to hold a tenth of them out; give "
            "some the split val");
  EXPECT_EQ(problem(dataset_of(10, 0, 5), Protocol::Clean), "");
  EXPECT_EQ(problem(dataset_of(9, 0, 0), Protocol::Paper),
            "kitchen/clips.csv: has no clip of the split val or test to choose the best epoch by");
}

TEST(Run, WordsOfProtocolAndRecipe) {
  const ScratchFolder scratch;
  for (const Protocol protocol : {Protocol::Clean, Protocol::Paper}) {
    EXPECT_EQ(find_protocol(protocol_name(protocol)), protocol);
  }
  for (const Recipe recipe : {Recipe::Paper, Recipe::Released}) {
    EXPECT_EQ(find_recipe(recipe_name(recipe)), recipe);
  }
  EXPECT_EQ(error_of(scratch, [] { find_protocol("claen"); }),
            "no protocol 'claen', did you mean 'clean'?");
  EXPECT_EQ(error_of(scratch, [] { find_recipe("papr"); }),
            "no recipe 'papr', did you mean 'paper'?");
  EXPECT_EQ(error_of(scratch, [] { find_recipe("x"); }),
            "no recipe 'x', right are: paper, released");
}

TEST(Run, WhatIsWrittenIsReadBack) {
  const ScratchFolder scratch;
  write_json(scratch / "run.json", to_json(full_run()));
  const auto stored = read_run(scratch.path());
  EXPECT_EQ(to_json(stored), to_json(full_run()));
  EXPECT_EQ(stored.training.seed, UINT64_MAX);
  EXPECT_EQ(stored.training.loss_settings.recipe, Recipe::Released);
  EXPECT_EQ(difference(to_json(full_run()), to_json(stored)), "");
}

TEST(Run, FoldersThatAreNoneAreErrors) {
  const ScratchFolder scratch;
  const auto problem = [&] { return error_of(scratch, [&] { read_run(scratch / "run"); }); };
  EXPECT_EQ(problem(), "run: is not a run: it has no run.json; 'manyverbs train' makes one");
  scratch.write("run/run.json", "{");
  EXPECT_EQ(problem(), "run/run.json: is not JSON: wrong at byte 2");
  scratch.write("run/run.json", "{}");
  EXPECT_EQ(problem(), "run/run.json: the key 'kind' is missing");
  Json json = to_json(full_run());
  json["batch"] = "many";
  scratch.write("run/run.json", json.dump());
  EXPECT_EQ(problem(), "run/run.json: the key 'batch' holds \"many\", which does not fit");
}

TEST(Run, UnknownWordsAreErrorsThatNameTheFile) {
  const ScratchFolder scratch;
  for (const auto& [key, expected] : {std::pair("protocol", "run.json: no protocol 'no'"),
                                      std::pair("recipe", "run.json: no recipe 'no'"),
                                      std::pair("loss", "run.json: no loss 'no'")}) {
    Json json = to_json(full_run());
    json[key] = "no";
    scratch.write("run.json", json.dump());
    const std::string problem = error_of(scratch, [&] { read_run(scratch.path()); });
    EXPECT_EQ(problem.substr(0, problem.find(',')), expected);
  }
}

TEST(Run, TheDifferenceNamesTheSetting) {
  const auto found = full_run();
  const auto problem = [&](auto change) {
    auto wanted = full_run();
    change(wanted);
    return difference(to_json(wanted), to_json(found));
  };
  EXPECT_EQ(problem([](auto& run) { run.training.learning_rate = 0.001; }),
            "learning_rate is 0.0001 there, 0.001 here");
  EXPECT_EQ(problem([](auto& run) { run.training.hidden = {5}; }),
            "hidden is [5,4,3] there, [5] here");
  EXPECT_EQ(problem([](auto& run) { run.training.loss = "an"; }),
            "loss is \"p+s\" there, \"an\" here");
  EXPECT_EQ(problem([](auto& run) { run.made_from.labels = "x"; }),
            "clips.csv of its data set has changed since");
  EXPECT_EQ(problem([](auto& run) { run.made_from.features["rgb"] = "x"; }),
            "features/rgb.npy of its data set has changed since");
  EXPECT_EQ(problem([](auto& run) { run.classes.pop_back(); }),
            "classes.csv of its data set has changed since");
  EXPECT_EQ(problem([](auto& run) { run.dataset = "elsewhere"; }), "");
  EXPECT_EQ(problem([](auto& run) { run.pseudo_labels_hash = "x"; }),
            "its pseudo-labels have changed since");
  EXPECT_EQ(problem([](auto& run) { run.training.checkpoint_seconds = 0; }), "");
}

TEST(Run, TheModelComesBackWithItsWeights) {
  const ScratchFolder scratch;
  const Mlp mlp({7, {5, 4, 3}, 2}, 9);
  write_tensors(scratch / "model.safetensors", {mlp.state(), {}});
  const Mlp loaded = load_model(scratch.path(), full_run());
  const auto expected = mlp.state();
  const auto found = loaded.state();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(values_of(found[i].second), values_of(expected[i].second)) << found[i].first;
  }
}

TEST(Run, AModelThatIsMissingOrOfAnotherShapeIsAnError) {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "run");
  const auto problem = [&] {
    return error_of(scratch, [&] { load_model(scratch / "run", full_run()); });
  };
  EXPECT_EQ(problem(), "run: holds no model yet; run the same 'manyverbs train' again to resume");
  write_tensors(scratch / "run/model.safetensors", {Mlp({7, {6}, 2}, 9).state(), {}});
  EXPECT_EQ(problem(),
            "run/model.safetensors: 'hidden0.weight' has the shape 6 x 7 where 5 x 7 is right");
}

}  // namespace
}  // namespace manyverbs
