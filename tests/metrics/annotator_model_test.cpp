// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/annotator_model.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

Json golden(const std::string& part) {
  return read_json(std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden/annotator_model.json")
      .at(part);
}

void expect_rates(const std::vector<EstimatedRate>& rates, const Json& expected) {
  ASSERT_EQ(rates.size(), expected.size());
  for (std::size_t j = 0; j < rates.size(); ++j) {
    EXPECT_NEAR(rates[j].value, expected[j][0].get<double>(), 2e-5) << j;
    EXPECT_NEAR(rates[j].low, expected[j][1].get<double>(), 2e-4) << j;
    EXPECT_NEAR(rates[j].high, expected[j][2].get<double>(), 2e-4) << j;
  }
}

void expect_never_decreasing(const std::vector<double>& values) {
  ASSERT_GT(values.size(), 1U);
  for (std::size_t i = 1; i < values.size(); ++i) {
    // Beyond the rounding of a sum.
    EXPECT_GE(values[i], values[i - 1] - 1e-13 * std::abs(values[i])) << "step " << i;
  }
}

// A person with these rates.
struct Simulated {
  double sensitivity;
  double specificity;
};

struct SimulatedRound {
  std::vector<DecidedItem> items;
  std::vector<bool> truth;
};

// Each clip has ten verbs, of which the first is true and known; each of the others is true with
// probability 0.2. `answers` people, different for each clip, answer it.
SimulatedRound simulated(const std::vector<Simulated>& people, int clips, int answers,
                         std::uint64_t seed) {
  constexpr int kVerbs = 10;
  Random random(seed);
  SimulatedRound round;
  std::vector<int> order(people.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<int>(j);
  for (int clip = 0; clip < clips; ++clip) {
    random.shuffle(std::span(order));
    for (int verb = 0; verb < kVerbs; ++verb) {
      const bool known = verb == 0;
      const bool present = known || random.uniform() < 0.2;
      DecidedItem item{verb, known, {}};
      for (int k = 0; k < answers; ++k) {
        const Simulated& person = people[order[k]];
        const double chance = present ? person.sensitivity : 1 - person.specificity;
        item.decisions.push_back({order[k], random.uniform() < chance});
      }
      round.items.push_back(std::move(item));
      round.truth.push_back(present);
    }
  }
  return round;
}

const std::vector<Simulated> kPeople = {{.95, .97}, {.8, .9},  {.6, .98}, {.5, .5},
                                        {.9, .6},   {.2, .15}, {.7, .85}};

TEST(AnnotatorModel, DentistsOfEspelandAndHandelmanHaveTheirMaximumLikelihood) {
  const Json expected = golden("dentists");
  std::vector<DecidedItem> items;
  std::vector<std::size_t> pattern_of;
  for (std::size_t k = 0; k < expected["counts"].size(); ++k) {
    DecidedItem item;
    for (int j = 0; j < 5; ++j) item.decisions.push_back({j, expected["patterns"][k][j] == 1});
    for (int n = 0; n < expected["counts"][k].get<int>(); ++n) {
      items.push_back(item);
      pattern_of.push_back(k);
    }
  }
  ASSERT_EQ(items.size(), 3869U);
  const BetaPrior flat{1 + 1e-9, 1 + 1e-9};
  const AnnotatorModel model = fit_annotators(items, 5, 1, {flat, flat, flat});
  EXPECT_TRUE(model.converged);
  expect_never_decreasing(model.log_posteriors);
  expect_rates(model.sensitivity, expected["sensitivity"]);
  expect_rates(model.specificity, expected["specificity"]);
  EXPECT_NEAR(model.prevalence[0], expected["prevalence"][0].get<double>(), 1e-4);
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_NEAR(model.posterior[i], expected["posterior"][pattern_of[i]].get<double>(), 1e-3) << i;
  }
}

std::vector<DecidedItem> golden_items(const Json& expected) {
  std::vector<DecidedItem> items;
  for (std::size_t i = 0; i < expected["verbs"].size(); ++i) {
    DecidedItem item{expected["verbs"][i].get<int>(), expected["known"][i].get<bool>(), {}};
    for (int j = 0; j < 6; ++j) {
      const int answer = expected["answers"][i][j].get<int>();
      if (answer >= 0) item.decisions.push_back({j, answer == 1});
    }
    items.push_back(std::move(item));
  }
  return items;
}

void expect_labels(const AnnotatorModel& model, const Json& expected) {
  for (std::size_t v = 0; v < model.prevalence.size(); ++v) {
    EXPECT_NEAR(model.prevalence[v], expected["prevalence"][v].get<double>(), 1e-4) << v;
  }
  ASSERT_EQ(model.posterior.size(), expected["posterior"].size());
  for (std::size_t i = 0; i < model.posterior.size(); ++i) {
    EXPECT_NEAR(model.posterior[i], expected["posterior"][i].get<double>(), 1e-4) << i;
  }
}

TEST(AnnotatorModel, ARoundHasTheMaximumPosteriorOfAnotherImplementation) {
  const Json expected = golden("round");
  const std::vector<DecidedItem> items = golden_items(expected);
  AnnotatorPriors priors;
  priors.verb_strength = 0;
  const AnnotatorModel model = fit_annotators(items, 6, expected["num_verbs"].get<int>(), priors);
  EXPECT_TRUE(model.converged);
  expect_never_decreasing(model.log_posteriors);
  expect_rates(model.sensitivity, expected["sensitivity"]);
  expect_rates(model.specificity, expected["specificity"]);
  expect_labels(model, expected);
  EXPECT_NEAR(model.log_posteriors.back(), expected["log_posterior"].get<double>(), 1e-5);
}

TEST(AnnotatorModel, RatesForEachVerbHaveTheMaximumPosteriorOfAnotherImplementation) {
  const Json expected = golden("round");
  const AnnotatorModel model =
      fit_annotators(golden_items(expected), 6, expected["num_verbs"].get<int>());
  EXPECT_TRUE(model.converged);
  expect_never_decreasing(model.verb_log_posteriors);
  expect_rates(model.sensitivity, expected["sensitivity"]);
  expect_labels(model, expected["by_verb"]);
  EXPECT_NEAR(model.verb_log_posteriors.back(), expected["by_verb"]["log_posterior"].get<double>(),
              1e-3);
}

TEST(AnnotatorModel, AVerbThatPeopleChooseTooOftenIsBelievedLess) {
  std::vector<DecidedItem> items;
  std::vector<bool> truth;
  Random random(6);
  for (int i = 0; i < 1200; ++i) {
    const int verb = i % 4;
    truth.push_back(random.uniform() < 0.2);
    DecidedItem item{verb, false, {}};
    for (int j = 0; j < 4; ++j) {
      const double chance = truth.back() ? 0.9 : verb == 0 ? 0.4 : 0.03;
      item.decisions.push_back({j, random.uniform() < chance});
    }
    items.push_back(std::move(item));
  }
  const auto errors = [&](double strength) {  // of verb 0
    AnnotatorPriors priors;
    priors.verb_strength = strength;
    const AnnotatorModel model = fit_annotators(items, 4, 4, priors);
    int count = 0;
    for (std::size_t i = 0; i < items.size(); i += 4) {
      count += (model.posterior[i] >= 0.5) != truth[i] ? 1 : 0;
    }
    return count;
  };
  EXPECT_LT(errors(20), 0.8 * errors(0));
}

TEST(AnnotatorModel, ResultsOfTheHeaderExample) {
  const AnnotatorModel model =
      fit_annotators(std::vector<DecidedItem>{{0, true, {{0, true}}}}, 1, 1);
  EXPECT_DOUBLE_EQ(model.sensitivity[0].value, 0.8);
  EXPECT_DOUBLE_EQ(model.posterior[0], 1);
}

TEST(AnnotatorModel, RecoversTheRatesOfSimulatedPeopleWithinSixPoints) {
  const SimulatedRound round = simulated(kPeople, 400, 3, 1);
  const AnnotatorModel model = fit_annotators(round.items, 7, 10);
  EXPECT_TRUE(model.converged);
  expect_never_decreasing(model.log_posteriors);
  for (std::size_t j = 0; j < kPeople.size(); ++j) {
    EXPECT_NEAR(model.sensitivity[j].value, kPeople[j].sensitivity, 0.06) << j;
    EXPECT_NEAR(model.specificity[j].value, kPeople[j].specificity, 0.06) << j;
  }
  for (int v = 1; v < 10; ++v) EXPECT_NEAR(model.prevalence[v], 0.2, 0.08) << v;
}

// Of the items with a posterior of about q, a share of about q is true.
TEST(AnnotatorModel, PosteriorsAreCalibratedIfItsAssumptionsHold) {
  const SimulatedRound round = simulated(kPeople, 2000, 3, 2);
  const AnnotatorModel model = fit_annotators(round.items, 7, 10);
  constexpr int kBins = 5;
  std::vector<double> expected(kBins);
  std::vector<double> found(kBins);
  std::vector<double> items(kBins);
  for (std::size_t i = 0; i < round.items.size(); ++i) {
    if (round.items[i].known) continue;
    const int bin = std::min(kBins - 1, static_cast<int>(model.posterior[i] * kBins));
    items[bin] += 1;
    expected[bin] += model.posterior[i];
    found[bin] += round.truth[i] ? 1 : 0;
  }
  for (int bin = 0; bin < kBins; ++bin) {
    ASSERT_GT(items[bin], 200);
    EXPECT_NEAR(found[bin] / items[bin], expected[bin] / items[bin], 0.06) << bin;
  }
}

// Nominally 95 %. With little data or few answers per clip, intervals of such models are often too
// short.
TEST(AnnotatorModel, IntervalsContainTheTrueRatesInNineOfTenRounds) {
  double inside = 0;
  double all = 0;
  for (std::uint64_t seed = 10; seed < 40; ++seed) {
    const AnnotatorModel model = fit_annotators(simulated(kPeople, 100, 3, seed).items, 7, 10);
    for (std::size_t j = 0; j < kPeople.size(); ++j) {
      const EstimatedRate& s = model.sensitivity[j];
      const EstimatedRate& c = model.specificity[j];
      inside += s.low <= kPeople[j].sensitivity && kPeople[j].sensitivity <= s.high ? 1 : 0;
      inside += c.low <= kPeople[j].specificity && kPeople[j].specificity <= c.high ? 1 : 0;
      all += 2;
    }
  }
  EXPECT_GT(inside / all, 0.9);
  EXPECT_LT(inside / all, 0.99) << "not so wide that they say nothing";
}

TEST(AnnotatorModel, OnePersonIsBelievedAsFarAsThePriorsSay) {
  const std::vector<DecidedItem> items = {{0, false, {{0, true}}}, {1, false, {{0, false}}}};
  const AnnotatorModel model = fit_annotators(items, 1, 2);
  EXPECT_TRUE(model.converged);
  EXPECT_GT(model.posterior[0], 0.5);
  EXPECT_LT(model.posterior[1], 0.25);
  EXPECT_LT(model.sensitivity[0].low, 0.5) << "one answer proves nothing";
}

TEST(AnnotatorModel, EverybodyAgreesAndIsRight) {
  std::vector<DecidedItem> items;
  for (int i = 0; i < 60; ++i) {
    const bool chosen = i % 4 == 0;
    items.push_back({i % 3, false, {{0, chosen}, {1, chosen}, {2, chosen}}});
  }
  const AnnotatorModel model = fit_annotators(items, 3, 3);
  EXPECT_TRUE(model.converged);
  for (int i = 0; i < 60; ++i) {
    EXPECT_NEAR(model.posterior[i], i % 4 == 0 ? 1 : 0, 0.01) << i;
  }
  for (int j = 0; j < 3; ++j) {
    EXPECT_GT(model.sensitivity[j].value, 0.9);
    EXPECT_GT(model.specificity[j].value, 0.9);
    EXPECT_LT(model.sensitivity[j].high, 1);
  }
}

TEST(AnnotatorModel, APersonWhoAnswersTheOppositeCountsAgainstWhatTheySay) {
  SimulatedRound round = simulated({{.9, .95}, {.9, .95}, {.05, .05}}, 100, 3, 4);
  round.items.push_back({1, false, {{2, true}}});
  round.items.push_back({1, false, {{2, false}}});
  const AnnotatorModel model = fit_annotators(round.items, 3, 10);
  EXPECT_LT(model.sensitivity[2].high, 0.2);
  EXPECT_LT(model.specificity[2].high, 0.2);
  const std::size_t last = round.items.size() - 1;
  EXPECT_LT(model.posterior[last - 1], 0.1) << "chosen by that person only";
  EXPECT_GT(model.posterior[last], 0.5) << "left by that person only";
}

TEST(AnnotatorModel, WhatNobodyAnsweredHasThePriors) {
  // Verb 1 and person 1 have no answers, the second item neither.
  const std::vector<DecidedItem> items = {{0, false, {{0, true}}}, {0, false, {}}};
  const AnnotatorModel model = fit_annotators(items, 2, 2);
  EXPECT_NEAR(model.prevalence[1], 0.25, 1e-12);
  EXPECT_NEAR(model.posterior[1], model.prevalence[0], 1e-12);
  EXPECT_NEAR(model.sensitivity[1].value, 0.75, 1e-12);
  // The quantiles of Beta(4, 2) are 0.28358 and 0.94725.
  EXPECT_NEAR(model.sensitivity[1].low, 0.28358, 1e-5);
  EXPECT_NEAR(model.sensitivity[1].high, 0.94725, 1e-5);
  const AnnotatorModel nothing = fit_annotators({}, 0, 0);
  EXPECT_TRUE(nothing.converged);
}

TEST(AnnotatorModel, AnAnswerAtRandomTellsNothing) {
  EXPECT_DOUBLE_EQ(expected_information(std::vector{0.5}, 1, 1), 1);
  EXPECT_DOUBLE_EQ(expected_information(std::vector{0.5, 0.5}, 0, 0), 2)
      << "always the opposite is as good";
  EXPECT_NEAR(expected_information(std::vector{0.3, 0.5}, 0.7, 0.3), 0, 1e-15);
  EXPECT_DOUBLE_EQ(expected_information(std::vector{0.0, 1.0}, 0.9, 0.9), 0);
  // 1 - H(0.9)
  EXPECT_NEAR(expected_information(std::vector{0.5}, 0.9, 0.9), 0.5310044064, 1e-10);
}

}  // namespace
}  // namespace manyverbs
