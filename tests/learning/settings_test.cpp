// SPDX-License-Identifier: MIT
#include "manyverbs/learning/settings.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <type_traits>

#include <fmt/ranges.h>

#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/support/internal/files.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

// The value of a key in the settings of a run.
Json value_of(const RunSettings& settings, const std::string& key) {
  return to_json(settings).at(key);
}

TEST(Settings, DefaultsAreThoseOfThePaperForFeaturesAndOfTheReleasedCodeForClips) {
  const RunSettings features = default_settings(RunKind::Features);
  EXPECT_EQ(value_of(features, "learning_rate"), 5e-6);
  EXPECT_EQ(value_of(features, "hidden"), (Json{1024, 1024}));
  EXPECT_EQ(value_of(features, "loss"), "an");
  EXPECT_EQ(value_of(features, "recipe"), "paper");
  const RunSettings clips = default_settings(RunKind::Clips);
  EXPECT_EQ(value_of(clips, "learning_rate"), 1.28e-3);
  EXPECT_EQ(value_of(clips, "loss"), "ce");
  EXPECT_EQ(value_of(clips, "schedule"), "plateau");
  EXPECT_EQ(value_of(clips, "metric"), "euclidean");
}

TEST(Settings, AKeyAndAnOptionHaveOneRowPerKindOfRun) {
  for (const RunKind kind : {RunKind::Features, RunKind::Clips}) {
    std::set<std::string_view> keys;
    std::set<std::string_view> flags;
    for (const Setting& setting : all_settings()) {
      if (!setting.is_of(kind)) continue;
      EXPECT_TRUE(keys.insert(setting.key).second) << setting.key;
      EXPECT_TRUE(flags.insert(setting.flag).second) << setting.flag;
      EXPECT_TRUE(setting.flag.starts_with("--")) << setting.key;
      EXPECT_FALSE(setting.help.empty() || setting.help.ends_with('.')) << setting.key;
    }
  }
}

TEST(Settings, TheLossesOfEverySettingExist) {
  for (const Setting& setting : all_settings()) {
    std::string_view losses = setting.losses;
    while (!losses.empty()) {
      const std::size_t end = std::min(losses.find(','), losses.size());
      EXPECT_NO_THROW(find_loss(losses.substr(0, end))) << setting.key;
      losses.remove_prefix(std::min(end + 1, losses.size()));
    }
  }
}

TEST(Settings, TheNumbersOfALossAreStoredWithThisLossOnly) {
  RunSettings settings;
  EXPECT_FALSE(to_json(settings).contains("smoothing"));
  EXPECT_FALSE(to_json(settings).contains("gr_slope_end"));
  EXPECT_TRUE(to_json(settings).contains("pseudo_labels"));
  settings.loss = "splc";
  settings.loss_settings.splc_warm_up = 4;
  const Json json = to_json(settings);
  EXPECT_TRUE(json.contains("focal_focus") && json.contains("margin"));
  EXPECT_FALSE(json.contains("hill_lambda") || json.contains("focal_balance"));
  EXPECT_EQ(settings_of(json, RunKind::Features, "run.json").loss_settings.splc_warm_up, 4);
}

// Each setting of each loss, just outside its range.
TEST(Settings, ANumberOfALossOutsideItsRangeIsAnError) {
  const ScratchFolder scratch;
  int checked = 0;
  for (const Loss& loss : all_losses()) {
    for (const Setting& setting : all_settings()) {
      if (setting.losses.empty() || !setting.is_used_by(loss.name)) continue;
      for (const double wrong : {setting.range.low - 1, setting.range.high + 1}) {
        if (!setting.is_of(RunKind::Features) || std::isinf(wrong)) continue;
        RunSettings settings;
        settings.loss = loss.name;
        settings.loss_settings.expected_labels = 2;
        std::visit(
            [&](auto* value) {
              using T = std::remove_pointer_t<decltype(value)>;
              if constexpr (std::is_arithmetic_v<T>) *value = static_cast<T>(wrong);
            },
            setting.place(settings));
        const std::string problem = error_of(scratch, [&] { check_loss(settings, 5); });
        const std::string key =
            setting.key == "expected_labels" ? "labels" : std::string(setting.key);
        EXPECT_NE(problem.find(key), std::string::npos) << loss.name << ": " << problem;
        EXPECT_NE(problem.find(fmt::format("{}", wrong)), std::string::npos) << problem;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 50);
}

TEST(Settings, DefaultsAreValidForEveryLossThatRequiresNothing) {
  for (const RunKind kind : {RunKind::Features, RunKind::Clips}) {
    for (const Loss& loss : all_losses()) {
      const bool only_features = loss.memory != nullptr || loss.cross_fitted;
      if (loss.uses_expected_labels || (kind == RunKind::Clips && only_features)) continue;
      RunSettings settings = default_settings(kind);
      settings.loss = loss.name;
      EXPECT_NO_THROW(check_loss(settings, 40)) << loss.name;
    }
  }
}

TEST(Settings, TheErrorsOfALossNameItAndTheValidNumbers) {
  const ScratchFolder scratch;
  RunSettings settings;
  const auto problem = [&] { return error_of(scratch, [&] { check_loss(settings, 40); }); };
  settings.loss = "asl";
  EXPECT_EQ(problem(), "");
  settings.loss_settings.asl_clip = 1.5;
  EXPECT_EQ(problem(), "invalid asl_clip 1.5 for the loss asl; expected a number from 0 to 1");
  settings.loss_settings.asl_clip = NAN;
  EXPECT_EQ(problem(), "invalid asl_clip nan for the loss asl; expected a number from 0 to 1");
  settings.loss = "hill";
  EXPECT_EQ(problem(), "") << "which has no asl_clip";
  settings.loss = "em-apl";
  settings.loss_settings.apl_warm_up = -1;
  EXPECT_EQ(problem(), "invalid apl_warm_up -1 for the loss em-apl; expected a number from 0 up");
  settings.loss = "epr";
  EXPECT_EQ(problem(),
            "the loss epr requires the expected number of labels per clip: --expected-labels above "
            "0 and at most 40, the number of classes; found 0");
  settings.loss_settings.expected_labels = 40.5;
  EXPECT_TRUE(problem().ends_with("at most 40, the number of classes; found 40.5"));
  settings.loss_settings.expected_labels = 2.4;
  EXPECT_EQ(problem(), "");
}

TEST(Settings, RunsOnClipsRejectCrossFitting) {
  const ScratchFolder scratch;
  for (const Loss& loss : all_losses()) {
    RunSettings settings = default_settings(RunKind::Clips);
    settings.loss = loss.name;
    settings.loss_settings.expected_labels = 2;
    std::string expected;
    if (loss.cross_fitted) {
      expected = fmt::format(
          "the loss {} trains many networks, which only 'manyverbs train' supports", loss.name);
    }
    EXPECT_EQ(error_of(scratch, [&] { check_loss(settings, 5); }), expected);
  }
}

TEST(Settings, MembersDivideTheHiddenUnitsAndHaveNoMemory) {
  const ScratchFolder scratch;
  RunSettings settings;
  const auto problem = [&] { return error_of(scratch, [&] { check_loss(settings, 5); }); };
  settings.features.hidden = {12, 8};
  settings.features.members = 4;
  EXPECT_EQ(problem(), "");
  settings.features.members = 3;
  EXPECT_EQ(problem(), "a hidden layer of 8 units cannot be divided into 3 members of equal size");
  settings.features.members = 4;
  settings.loss = "em-apl";
  EXPECT_EQ(problem(),
            "the loss em-apl stores values for every training clip, which requires --members 1");
  settings.features.members = 1;
  EXPECT_EQ(problem(), "");
}

TEST(Settings, OnlySettingsThatChangeTheResultAreStored) {
  EXPECT_FALSE(to_json(RunSettings{}).contains("checkpoint_seconds"));
  EXPECT_TRUE(to_json(RunSettings{}).contains("patience"));
  EXPECT_FALSE(to_json(RunSettings{}).contains("momentum")) << "of runs on clips";
  EXPECT_FALSE(to_json(default_settings(RunKind::Clips)).contains("hidden"));
}

TEST(Settings, UnknownWordsAreErrorsWithTheFile) {
  const ScratchFolder scratch;
  const auto problem = [&](RunKind kind, const char* key, const char* word) {
    Json json = to_json(default_settings(kind));
    json[key] = word;
    return error_of(scratch, [&] { settings_of(json, kind, scratch / "run.json"); });
  };
  EXPECT_EQ(problem(RunKind::Features, "protocol", "claen"),
            "run.json: unknown protocol 'claen', did you mean 'clean'?");
  EXPECT_EQ(problem(RunKind::Features, "recipe", "papr"),
            "run.json: unknown recipe 'papr', did you mean 'paper'?");
  EXPECT_EQ(problem(RunKind::Features, "loss", "maks"),
            "run.json: unknown loss 'maks', did you mean 'mask'?");
  EXPECT_EQ(problem(RunKind::Clips, "schedule", "cosin"),
            "run.json: unknown schedule 'cosin', did you mean 'cosine'?");
  EXPECT_EQ(problem(RunKind::Clips, "metric", "cosin"),
            "run.json: unknown metric 'cosin', did you mean 'cosine'?");
  EXPECT_EQ(problem(RunKind::Clips, "backbone", ""), "") << "that of the weights";
}

TEST(Settings, AMissingKeyIsAnErrorWithTheFile) {
  const ScratchFolder scratch;
  Json json = to_json(RunSettings{});
  json.erase("patience");
  EXPECT_EQ(error_of(scratch, [&] { settings_of(json, RunKind::Features, scratch / "run.json"); }),
            "run.json: the key 'patience' is missing");
}

TEST(Settings, ANewKeyMayBeMissingInOlderFiles) {
  RunSettings settings = default_settings(RunKind::Clips);
  settings.clips.pseudo_labels = "ideal";
  Json json = to_json(settings);
  EXPECT_EQ(settings_of(json, RunKind::Clips, "run.json").clips.pseudo_labels, "ideal");
  json.erase("pseudo_labels");
  EXPECT_EQ(settings_of(json, RunKind::Clips, "run.json").clips.pseudo_labels, "");
}

TEST(Settings, RecipesAreFoundByName) {
  const ScratchFolder scratch;
  for (const Recipe recipe : {Recipe::Paper, Recipe::Released}) {
    EXPECT_EQ(find_recipe(recipe_name(recipe)), recipe);
  }
  EXPECT_EQ(error_of(scratch, [] { find_recipe("papr"); }),
            "unknown recipe 'papr', did you mean 'paper'?");
}

TEST(Settings, TheReleasedLearningRateDependsOnBatchAndGpusUpToAMaximum) {
  EXPECT_DOUBLE_EQ(released_learning_rate(16, 1), 8e-5);
  EXPECT_DOUBLE_EQ(released_learning_rate(8, 2), 1.6e-4);
  EXPECT_DOUBLE_EQ(released_learning_rate(16, 4), 1.28e-3);
  EXPECT_DOUBLE_EQ(released_learning_rate(32, 8), 1.28e-3);
}

TEST(Settings, TheReleasedRecipeHasItsOwnDefaults) {
  RunSettings features;
  features.recipe = Recipe::Released;
  apply_recipe(&features, {}, /*has_val=*/true);
  EXPECT_EQ(features.epochs, 500);
  apply_recipe(&features, {}, /*has_val=*/false);
  EXPECT_EQ(features.epochs, 1000);

  RunSettings rgb = default_settings(RunKind::Clips);
  rgb.recipe = Recipe::Released;
  rgb.clips.gpus = 2;
  apply_recipe(&rgb, {}, false);
  EXPECT_DOUBLE_EQ(rgb.learning_rate, 3.2e-4);
  EXPECT_EQ(rgb.clips.refresh.k, 15);
  EXPECT_EQ(rgb.clips.refresh.tau, 0.1);
  EXPECT_EQ(rgb.dropout, 0.5);
  EXPECT_FALSE(rgb.clips.partial_batch_norm);

  RunSettings flow = rgb;
  flow.clips.stream = Stream::Flow;
  apply_recipe(&flow, {}, false);
  EXPECT_EQ(flow.dropout, 0.7);
  EXPECT_TRUE(flow.clips.partial_batch_norm);
}

TEST(Settings, GivenSettingsHavePrecedenceOverTheRecipe) {
  RunSettings settings = default_settings(RunKind::Clips);
  settings.recipe = Recipe::Released;
  settings.clips.stream = Stream::Flow;
  const Json before = to_json(settings);
  apply_recipe(&settings, {"learning_rate", "k", "tau", "dropout", "partial_batch_norm"}, true);
  EXPECT_EQ(to_json(settings), before);
  settings.recipe = Recipe::Paper;
  const Json of_paper = to_json(settings);
  apply_recipe(&settings, {}, true);
  EXPECT_EQ(to_json(settings), of_paper);
}

TEST(Settings, TheReleasedCodeUsesTheSigmoidForEveryLoss) {
  RunSettings settings;
  settings.loss = "ce";
  EXPECT_EQ(activation_of(settings), Activation::Softmax);
  settings.recipe = Recipe::Released;
  EXPECT_EQ(activation_of(settings), Activation::Sigmoid);
}

// "from 2 to 100", or the words.
std::string values_text(const Setting& setting) {
  if (setting.words != nullptr) return fmt::format("{}", fmt::join(setting.words(), ", "));
  const SettingRange& range = setting.range;
  if (range.without_low) return fmt::format("above {}", range.low);
  if (std::isfinite(range.high)) return fmt::format("from {} to {}", range.low, range.high);
  return std::isfinite(range.low) ? fmt::format("from {} up", range.low) : "";
}

std::string default_text(const Setting& setting, const RunSettings& settings) {
  const Json value = setting_value(setting, settings);
  if (value.is_boolean()) return "off";
  if (value.is_array()) {
    std::vector<std::string> entries;
    for (const Json& entry : value) entries.push_back(entry.dump());
    return fmt::format("{}", fmt::join(entries, ","));
  }
  if (value.is_string()) return value.get<std::string>();
  const auto number = value.get<double>();
  return setting.range.has(number) ? fmt::format("{}", number) : "";
}

std::string settings_table(RunKind kind) {
  std::string text = "| option | default | values | meaning |\n|---|---|---|---|\n";
  for (const Setting& setting : all_settings()) {
    if (!setting.is_of(kind)) continue;
    text += fmt::format("| `{}` | {} | {} | {} |\n", setting.flag,
                        default_text(setting, default_settings(kind)), values_text(setting),
                        setting.help);
  }
  return text;
}

// If it fails, copy the expected table to the page.
TEST(Settings, TheTablesInTheDocumentationAreThoseOfTheProgram) {
  const std::string page =
      read_file(std::filesystem::path(MANYVERBS_TEST_FOLDER) / "../docs/commands.md");
  for (const RunKind kind : {RunKind::Features, RunKind::Clips}) {
    const std::string table = settings_table(kind);
    EXPECT_NE(page.find(table), std::string::npos)
        << "docs/commands.md: expected for a run on " << run_kind_name(kind) << ":\n"
        << table;
  }
}

}  // namespace
}  // namespace manyverbs
