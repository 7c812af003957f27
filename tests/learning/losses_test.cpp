// SPDX-License-Identifier: MIT
#include "manyverbs/learning/losses.h"

#include <cmath>
#include <numbers>
#include <set>

#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/learning/internal/loss_functions.h"
#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/support/internal/random.h"
#include "tests/learning/golden.h"
#include "tests/learning/loss_settings.h"
#include "tests/learning/targets.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

constexpr double kLog2 = std::numbers::ln2;

struct Answer {
  double value;
  Matrix<float> gradient;

  bool operator==(const Answer&) const = default;
};

Answer compute(std::string_view loss, const LossInput& input) {
  // The previous content of the gradient must have no effect.
  Answer answer{0, Matrix<float>(input.scores.rows(), input.scores.columns(), NAN)};
  answer.value = find_loss(loss).compute(input, &answer.gradient);
  return answer;
}

Answer compute(std::string_view loss, const Matrix<float>& scores, const LabelMatrix& targets,
               Recipe recipe = Recipe::Paper, const LossSettings& settings = {}) {
  return compute(loss, {scores, targets, settings, recipe});
}

// Scores in steps of 1/64 between -4 and 4.
Matrix<float> random_scores(int seed, std::size_t clips, std::size_t classes) {
  Random random(seed);
  Matrix<float> scores(clips, classes);
  for (std::size_t i = 0; i < clips; ++i) {
    for (float& score : scores.row(i)) score = static_cast<float>(random.below(513)) / 64 - 4;
  }
  return scores;
}

TEST(Losses, ValueAndGradientAgreeWithPyTorch) {
  std::set<std::string> compared;
  for (const Json& golden : read_golden("losses")) {
    const Json& rows = golden["scores"];
    const Matrix<float> scores(rows.size(), rows[0].size(), floats_of(rows));
    const LabelMatrix targets = targets_of(golden["targets"].get<std::vector<std::string>>());
    for (const Json& result : golden["results"]) {
      const auto loss = result["loss"].get<std::string>();
      SCOPED_TRACE(fmt::format("{}, {}, {} classes, epoch {}", loss, result["recipe"].dump(),
                               rows[0].size(), result["epoch"].dump()));
      const LossSettings settings = loss_settings_of(golden["settings"]);
      const Answer answer = compute(
          loss, {scores, targets, settings, find_recipe(result["recipe"].get<std::string>()),
                 result["epoch"], result["epochs"]});
      const double value = result["value"];
      EXPECT_NEAR(answer.value, value, 1e-6 + 1e-6 * std::abs(value));
      const std::vector<float> gradient = floats_of(result["gradient"]);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        EXPECT_NEAR(answer.gradient.values()[i], gradient[i], 1e-6 + 1e-6 * std::abs(gradient[i]))
            << i;
      }
      compared.insert(loss);
    }
  }
  for (const Loss& loss : all_losses()) EXPECT_TRUE(compared.contains(std::string(loss.name)));
}

// The steps are exact in float, so only the values have rounding errors. The weights of GR are
// constants for its gradient.
TEST(Losses, TheGradientIsTheDerivativeOfTheValue) {
  constexpr float kStep = 1.0F / 64;
  const LabelMatrix targets = targets_of({"PAAUA", "APAPU", "AAAAP"});
  for (const Loss& loss : all_losses()) {
    if (loss.name == "gr") continue;
    for (const Recipe recipe : {Recipe::Paper, Recipe::Released}) {
      Matrix<float> scores = random_scores(4, 3, 5);
      const Answer answer = compute(loss.name, scores, targets, recipe);
      for (std::size_t i = 0; i < 15; ++i) {
        const float score = scores.data()[i];
        scores.data()[i] = score + kStep;
        const double above = compute(loss.name, scores, targets, recipe).value;
        scores.data()[i] = score - kStep;
        const double below = compute(loss.name, scores, targets, recipe).value;
        scores.data()[i] = score;
        EXPECT_NEAR(answer.gradient.data()[i], (above - below) / (2 * kStep), 5e-5)
            << loss.name << " " << i;
      }
    }
  }
}

// Each cost is a half at 0: log p = log(1 - p) = -log 2.
TEST(Losses, AtScoresOfZeroAreAsInTheHeader) {
  const Matrix<float> scores(1, 3);
  const LabelMatrix targets = targets_of({"PAA"});
  const auto cost = [&](std::string_view loss, Recipe recipe) {
    return compute(loss, scores, targets, recipe).value;
  };
  for (const char* loss : {"an", "ls", "n-ls", "mask", "p+s"}) {
    EXPECT_NEAR(cost(loss, Recipe::Paper), kLog2, 1e-6) << loss;
    EXPECT_NEAR(cost(loss, Recipe::Released), 3 * kLog2, 1e-6) << loss;
  }
  EXPECT_NEAR(cost("wan", Recipe::Paper), 2 * kLog2 / 3, 1e-6);
  EXPECT_NEAR(cost("wan", Recipe::Released), 2 * kLog2, 1e-6);
  // (0.25 + 2 * 0.75) / 4 for the three classes, averaged by both recipes.
  EXPECT_NEAR(cost("focal", Recipe::Paper), 1.75 / 4 * kLog2 / 3, 1e-6);
  EXPECT_NEAR(cost("focal", Recipe::Released), 1.75 / 4 * kLog2 / 3, 1e-6);
  EXPECT_NEAR(cost("em", Recipe::Paper), (1 - 2 * 0.2) * kLog2 / 3, 1e-6);
  EXPECT_NEAR(cost("em", Recipe::Released), (1 - 2 * 0.2) * kLog2, 1e-6);
  EXPECT_NEAR(cost("ce", Recipe::Paper), std::log(3.0), 1e-6);
  EXPECT_NEAR(cost("ce", Recipe::Released), std::log(3.0), 1e-6);
}

TEST(Losses, OfOthersAtScoresOfZeroAreAsInTheHeader) {
  const Matrix<float> scores(1, 3);
  const LabelMatrix targets = targets_of({"PAA"});
  const LossSettings settings{.expected_labels = 1.5};
  const std::vector<std::pair<const char*, double>> summed = {
      {"asl", 0.3956},         {"hill", 1.2019},     {"splc", 1.0484}, {"ll-r", 3 * kLog2},
      {"ll-ct", 3 * kLog2},    {"ll-cp", 3 * kLog2}, {"gr", 1.7386},   {"epr", kLog2},
      {"em-apl", 0.6 * kLog2}, {"role", kLog2},
  };
  for (const auto& [loss, expected] : summed) {
    EXPECT_NEAR(compute(loss, scores, targets, Recipe::Released, settings).value, expected, 5e-5)
        << loss;
    EXPECT_NEAR(compute(loss, scores, targets, Recipe::Paper, settings).value, expected / 3, 5e-5)
        << loss;
  }
  EXPECT_NEAR(compute("epr", scores, targets, Recipe::Released, {.expected_labels = 3}).value,
              kLog2 + 1.5 * 1.5 / 3, 1e-6);
}

// By hand: the batch has 8 targets; after the first epoch 12.5 % of them, one, and in the third
// epoch two count as large losses.
class LargeLosses : public testing::Test {
 protected:
  // Which gradients are negative (-), zero (0) and positive (+).
  std::string signs(const char* loss, int epoch, double rate = 12.5) const {
    const LossSettings settings{.large_loss_rate = rate};
    const Answer answer = compute(loss, {scores_, targets_, settings, Recipe::Paper, epoch, 10});
    std::string signs;
    for (const float derivative : answer.gradient.values()) {
      signs += derivative < 0 ? '-' : derivative > 0 ? '+' : '0';
    }
    return signs;
  }

  Matrix<float> scores_{2, 4, {1, 2, -1, 0.5F, 3, -2, 2.5F, 0}};
  LabelMatrix targets_ = targets_of({"PAAA", "PAAA"});
};

TEST_F(LargeLosses, AreUntouchedInTheFirstEpoch) {
  for (const char* loss : {"ll-r", "ll-ct", "ll-cp"}) EXPECT_EQ(signs(loss, 1), "-+++-+++") << loss;
}

TEST_F(LargeLosses, AreRejectedOrCorrectedAndTheirNumberGrowsExceptForPermanentCorrection) {
  EXPECT_EQ(signs("ll-r", 2), "-+++-+0+");
  EXPECT_EQ(signs("ll-r", 3), "-0++-+0+");
  EXPECT_EQ(signs("ll-ct", 2), "-+++-+-+");
  EXPECT_EQ(signs("ll-ct", 3), "--++-+-+");
  EXPECT_EQ(signs("ll-cp", 3), "-+++-+-+");
}

TEST_F(LargeLosses, AreNeverOwnLabels) {
  EXPECT_EQ(signs("ll-r", 10, 100), "-000-000");
  EXPECT_EQ(signs("ll-ct", 10, 100), "--------");
  EXPECT_EQ(signs("ll-r", 10, 0), "-+++-+++");
}

TEST_F(LargeLosses, ANanScoreGivesANanLoss) {
  scores_(0, 1) = NAN;
  const LossSettings settings{.large_loss_rate = 50};
  for (const char* loss : {"ll-r", "ll-ct", "ll-cp"}) {
    const LossInput input{scores_, targets_, settings, Recipe::Paper, 2, 10};
    EXPECT_TRUE(std::isnan(compute(loss, input).value)) << loss;
  }
}

// sigmoid(0.5) = 0.62 is above the threshold, sigmoid(0.25) = 0.56 is not.
TEST(Losses, SplcCorrectsLabelsAfterItsWarmUp) {
  const Matrix<float> scores(1, 3, {0, 0.5F, 0.25F});
  const LabelMatrix targets = targets_of({"PAA"});
  const LossSettings settings;
  const auto second = [&](int epoch) {
    return compute("splc", {scores, targets, settings, Recipe::Paper, epoch, 5});
  };
  EXPECT_GT(second(1).gradient(0, 1), 0);
  EXPECT_LT(second(2).gradient(0, 1), 0);
  EXPECT_GT(second(2).gradient(0, 2), 0);
}

// With K = 0, V = 1 and q3 near 0.
TEST(Losses, GrContainsAssumeNegative) {
  const Matrix<float> scores = random_scores(3, 4, 6);
  const LabelMatrix targets = targets_of({"PAAAAA", "APAAAA", "AAPAAA", "AAAPAA"});
  const LossSettings settings{.gr_slope_end = 0,
                              .gr_offset_start = -200,
                              .gr_offset_end = -200,
                              .gr_spread_start = 1e6,
                              .gr_spread_end = 1e6,
                              .gr_q_absent = 1e-6};
  const Answer robust = compute("gr", {scores, targets, settings, Recipe::Paper, 2, 3});
  const Answer plain = compute("an", scores, targets);
  EXPECT_NEAR(robust.value, plain.value, 1e-5);
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_NEAR(robust.gradient.data()[i], plain.gradient.data()[i], 1e-6) << i;
  }
}

TEST(Losses, TheGradientOfAssumeNegativeAtScoresOfZeroIsHalfAStepForEachClass) {
  const Answer answer = compute("an", Matrix<float>(1, 3), targets_of({"PAA"}), Recipe::Released);
  EXPECT_EQ(answer.gradient, Matrix<float>(1, 3, {-0.5F, 0.5F, 0.5F}));
}

TEST(Losses, OnlyLossesThatTheReleasedCodeSumsAreScaledForSgd) {
  for (const Loss& loss : all_losses()) {
    const bool averaged = loss.name == "focal" || loss.activation == Activation::Softmax;
    EXPECT_EQ(gradient_scale(loss, Recipe::Paper, 102), averaged ? 1 : 102) << loss.name;
    EXPECT_EQ(gradient_scale(loss, Recipe::Released, 102), 1) << loss.name;
  }
}

TEST(Losses, SmoothingFollowsTheRecipe) {
  const Matrix<float> scores(1, 4);
  const LabelMatrix targets = targets_of({"PAAA"});
  const auto first_two = [&](std::string_view loss, Recipe recipe) {
    const Answer answer = compute(loss, scores, targets, recipe, {.smoothing = 0.2});
    const float scale = recipe == Recipe::Paper ? 4 : 1;
    return std::pair(0.5F - scale * answer.gradient(0, 0), 0.5F - scale * answer.gradient(0, 1));
  };
  const auto expect_targets = [&](std::pair<float, float> found, float present, float absent) {
    EXPECT_FLOAT_EQ(found.first, present);
    EXPECT_FLOAT_EQ(found.second, absent);
  };
  expect_targets(first_two("ls", Recipe::Paper), 0.9F, 0.1F);
  expect_targets(first_two("ls", Recipe::Released), 0.85F, 0.05F);
  expect_targets(first_two("n-ls", Recipe::Paper), 1.0F, 0.2F);
  expect_targets(first_two("n-ls", Recipe::Released), 1.0F, 0.05F);
}

TEST(Losses, AnyNumberOfClassesEqualsOneClassAtATime) {
  for (const std::size_t classes : {1, 7, 8, 9, 97}) {
    const Matrix<float> scores = random_scores(static_cast<int>(classes), 1, classes);
    LabelMatrix targets(1, classes);
    targets(0, classes / 2) = Label::Present;
    const LossSettings unsmoothed{.smoothing = 0};
    for (const char* loss : {"an", "n-ls", "em"}) {
      const Answer together = compute(loss, scores, targets, Recipe::Released, unsmoothed);
      double sum = 0;
      for (std::size_t c = 0; c < classes; ++c) {
        const Answer one = compute(loss, Matrix<float>(1, 1, scores(0, c)),
                                   LabelMatrix(1, 1, targets(0, c)), Recipe::Released, unsmoothed);
        sum += one.value;
        EXPECT_NEAR(together.gradient(0, c), one.gradient(0, 0), 1e-7) << loss << " " << c;
      }
      EXPECT_NEAR(together.value, sum, 1e-6 * classes) << loss << " of " << classes;
    }
  }
}

TEST(Losses, MaskIsAssumeNegativeWithoutSuggestions) {
  const Matrix<float> scores = random_scores(7, 2, 5);
  const std::vector<ClassId> labels = {3, 0};
  const Suggestions none(2);
  EXPECT_EQ(compute("mask", scores, targets(none, labels, 5, find_loss("mask").suggested)),
            compute("an", scores, targets_of({"AAAPA", "PAAAA"})));
}

TEST(Losses, PseudoPlusSingleTreatsASuggestionLikeALabel) {
  const Matrix<float> scores = random_scores(8, 2, 5);
  const std::vector<ClassId> labels = {3, 0};
  const Suggestions suggestions = {{1}, {2, 4}};
  EXPECT_EQ(compute("p+s", scores, targets(suggestions, labels, 5, find_loss("p+s").suggested)),
            compute("an", scores, targets_of({"APAPA", "PAPAP"})));
}

TEST(Losses, OnlyFormsOfMaskAndPseudoPlusSingleUseSuggestions) {
  for (const Loss& loss : all_losses()) {
    const Label expected = loss.name.ends_with("mask")  ? Label::Unknown
                           : loss.name.ends_with("p+s") ? Label::Present
                                                        : Label::Absent;
    EXPECT_EQ(loss.suggested, expected) << loss.name;
  }
}

// Scores {0, 0, 0}: the softmax is over three classes, or over two without the pseudo-label.
TEST(Losses, TheSoftmaxLeavesOutUnknownClassesAndSharesTheTarget) {
  const Matrix<float> zero(1, 3);
  EXPECT_NEAR(compute("ce-mask", zero, targets_of({"PUA"})).value, kLog2, 1e-6);
  const Answer shared = compute("ce-p+s", zero, targets_of({"PPA"}));
  EXPECT_NEAR(shared.value, std::log(3.0), 1e-6);
  EXPECT_NEAR(shared.gradient(0, 0), 1.0 / 3 - 0.5, 1e-6);
  EXPECT_NEAR(shared.gradient(0, 2), 1.0 / 3, 1e-6);
}

// Scores {log 2, 0}: p is {2/3, 1/3}, and -log p is {log 3 - log 2, log 3}.
TEST(Losses, CrossEntropyOfSharesIsThatOfSoftTargets) {
  const Matrix<float> scores(2, 2, {static_cast<float>(kLog2), 0, 0, 0});
  const Matrix<float> shares(2, 2, {0.5, 0.5, 0.75, 0.25});
  Matrix<float> gradient(2, 2);
  const double value = learning_internal::cross_entropy_of_shares(scores, shares, &gradient);
  EXPECT_NEAR(value, (std::log(3.0) - 0.5 * kLog2 + kLog2) / 2, 1e-6);
  EXPECT_NEAR(gradient(0, 0), (2.0 / 3 - 0.5) / 2, 1e-6);
  EXPECT_NEAR(gradient(0, 1), (1.0 / 3 - 0.5) / 2, 1e-6);
  EXPECT_NEAR(gradient(1, 0), (0.5 - 0.75) / 2, 1e-6);
  EXPECT_NEAR(gradient(1, 1), (0.5 - 0.25) / 2, 1e-6);
}

TEST(Losses, SharesOfOneLabelAreThisLabel) {
  const Matrix<float> scores = random_scores(3, 4, 5);
  const LabelMatrix targets = targets_of({"APAAA", "PAAAA", "AAAAP", "AAPAA"});
  Matrix<float> shares(4, 5);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t c = 0; c < 5; ++c) shares(i, c) = targets(i, c) == Label::Present ? 1 : 0;
  }
  const Answer answer = compute("ce", scores, targets);
  Matrix<float> gradient(4, 5);
  EXPECT_EQ(learning_internal::cross_entropy_of_shares(scores, shares, &gradient), answer.value);
  EXPECT_EQ(gradient, answer.gradient);
}

TEST(Losses, UnknownClassesHaveNoLossAndNoGradient) {
  const Matrix<float> scores(1, 4, {0.5F, 30, -1, 2});
  const Matrix<float> without(1, 3, {0.5F, -1, 2});
  for (const Loss& loss : all_losses()) {
    if (loss.name == "wan") continue;  // weighs by the number of all classes
    for (const Recipe recipe : {Recipe::Paper, Recipe::Released}) {
      const LossSettings settings{.smoothing = 0};
      const Answer answer = compute(loss.name, scores, targets_of({"PUAA"}), recipe, settings);
      const Answer expected = compute(loss.name, without, targets_of({"PAA"}), recipe, settings);
      EXPECT_EQ(answer.gradient(0, 1), 0) << loss.name;
      EXPECT_NEAR(answer.value, expected.value, 1e-6) << loss.name;
      EXPECT_NEAR(answer.gradient(0, 3), expected.gradient(0, 2), 2.5e-7) << loss.name;
    }
  }
  EXPECT_EQ(compute("wan", scores, targets_of({"PUAA"})).gradient(0, 1), 0);
}

void expect_finite(const Matrix<float>& scores, const LossSettings& settings) {
  for (const Loss& loss : all_losses()) {
    for (const char* row : {"PPAA", "APPA", "AAPP"}) {
      for (const int epoch : {1, 2, 5}) {
        const LabelMatrix targets = targets_of({row});
        const Answer answer =
            compute(loss.name, {scores, targets, settings, Recipe::Paper, epoch, 5});
        EXPECT_TRUE(std::isfinite(answer.value)) << loss.name << " " << row << " " << epoch;
        for (const float derivative : answer.gradient.values()) {
          EXPECT_LE(std::abs(derivative), 2) << loss.name << " " << epoch;
        }
      }
    }
  }
}

TEST(Losses, ExtremeScoresStayFinite) {
  const LossSettings unclipped{.asl_focus_absent = 0,
                               .asl_clip = 0,
                               .large_loss_rate = 100,
                               .gr_slope_end = 1000,
                               .gr_offset_end = -1000,
                               .gr_q_present = 10,
                               .expected_labels = 4};
  for (const LossSettings& settings : {LossSettings{}, unclipped}) {
    expect_finite(Matrix<float>(1, 4, {1000, -1000, 3e38F, -3e38F}), settings);
    expect_finite(Matrix<float>(1, 4, {100, -100, 88, -104}), settings);
  }
}

// The costs are exp(-z) + exp(-2 z) / 2 and less, far below the rounding of 1 + exp(-z).
TEST(Losses, ACostNearZeroIsAsExactAsALargeOne) {
  for (const float z : {5.0F, 12.0F, 20.0F, 60.0F}) {
    const double expected = std::log1p(std::exp(-static_cast<double>(z)));
    for (const std::size_t classes : {1, 16}) {
      const Matrix<float> scores(1, classes, z);
      const LabelMatrix targets(1, classes, Label::Present);
      EXPECT_NEAR(compute("an", scores, targets).value, expected, 1e-6 * expected) << z;
    }
  }
}

TEST(Losses, ANanScoreGivesANanLoss) {
  const Matrix<float> scores(1, 3, {0, NAN, 0});
  for (const Loss& loss : all_losses()) {
    EXPECT_TRUE(std::isnan(compute(loss.name, scores, targets_of({"PAA"})).value)) << loss.name;
  }
}

TEST(Losses, AnUnknownNameGetsASuggestion) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [] { find_loss("maks"); }),
            "unknown loss 'maks', did you mean 'mask'?");
  EXPECT_EQ(error_of(scratch, [] { find_loss("quadratic"); }),
            "unknown loss 'quadratic'; valid values: an, wan, ls, n-ls, focal, em, mask, p+s, ce, "
            "ce-mask, ce-p+s, cross-fit, cross-mask, asl, hill, splc, ll-r, ll-ct, ll-cp, em-apl, "
            "gr, role, "
            "epr");
}

TEST(Losses, EveryRowOfTheTableIsFoundAndHasASummary) {
  for (const Loss& loss : all_losses()) {
    EXPECT_EQ(&find_loss(loss.name), &loss);
    EXPECT_FALSE(loss.summary.empty() || loss.summary.ends_with('.')) << loss.name;
  }
}

}  // namespace
}  // namespace manyverbs
