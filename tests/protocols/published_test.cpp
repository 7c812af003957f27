// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/published.h"

#include <cmath>

#include <gtest/gtest.h>

#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

const std::vector<std::string> kMetrics = {"top_set", "top1", "iou", "f1", "map_interpolated"};

// In percent; not defined where nothing is published.
double percent(std::string_view name, std::string_view row, std::string_view metric) {
  const auto value = published_value(name, row, metric);
  return value ? 100 * value->mean : NAN;
}

double deviation(std::string_view name, std::string_view row, std::string_view metric) {
  const auto value = published_value(name, row, metric);
  return value ? 100 * value->deviation : NAN;
}

std::string problem_of(const std::string& name) {
  try {
    published_source(name);
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

TEST(Published, HasTheExampleOfTheHeader) {
  const auto value = published_value("epic", "p+s", "f1");
  ASSERT_TRUE(value);
  EXPECT_DOUBLE_EQ(value->mean, 0.449);
  EXPECT_DOUBLE_EQ(value->deviation, 0.003);
}

TEST(Published, SaysWhereFiguresAreFrom) {
  EXPECT_EQ(published_names(), (std::vector<std::string>{"epic", "hmdb", "hmdb-end-to-end"}));
  EXPECT_EQ(published_source("epic"), "the paper, EPIC-Kitchens-100-SPMV");
  EXPECT_EQ(published_source("hmdb"), "the paper, Confusing-HMDB-102");
  EXPECT_EQ(published_source("hmdb-end-to-end"), "the paper, Confusing-HMDB-102 end to end");
}

TEST(Published, HasEveryFigureOfEveryLoss) {
  const std::vector<std::string> losses = {"an", "wan", "ls", "n-ls", "em", "mask", "p+s"};
  const auto expect_row = [](const std::string& name, const std::string& row) {
    for (const std::string& metric : kMetrics) {
      EXPECT_GT(percent(name, row, metric), 3) << name << " " << row << " " << metric;
      EXPECT_LT(percent(name, row, metric), 60) << name << " " << row << " " << metric;
      EXPECT_GE(deviation(name, row, metric), 0) << name << " " << row << " " << metric;
      EXPECT_LT(deviation(name, row, metric), 7) << name << " " << row << " " << metric;
    }
  };
  for (const std::string& name : published_names()) {
    for (const std::string& loss : losses) expect_row(name, loss);
  }
  for (const char* name : {"epic", "hmdb"}) expect_row(name, "focal");
  for (const char* row : {"mask-class", "p+s-class"}) expect_row("epic", row);
  for (const char* name : {"hmdb", "hmdb-end-to-end"}) {
    for (const char* row : {"mask-ideal", "p+s-ideal"}) expect_row(name, row);
  }
}

TEST(Published, HasTheComparisonOfLosses) {
  EXPECT_DOUBLE_EQ(percent("epic", "an", "top_set"), 43.7);
  EXPECT_DOUBLE_EQ(percent("epic", "wan", "f1"), 24.6);
  EXPECT_DOUBLE_EQ(deviation("epic", "wan", "f1"), 6.6);
  EXPECT_DOUBLE_EQ(percent("epic", "em", "iou"), 4.1);
  EXPECT_DOUBLE_EQ(deviation("epic", "em", "iou"), 0);
  EXPECT_DOUBLE_EQ(percent("hmdb", "focal", "map_interpolated"), 14.8);
  EXPECT_DOUBLE_EQ(percent("hmdb", "mask", "top1"), 43.3);
  EXPECT_DOUBLE_EQ(deviation("hmdb", "p+s", "map_interpolated"), 2.0);
}

TEST(Published, HasTheAblations) {
  EXPECT_DOUBLE_EQ(percent("epic", "mask-class", "top_set"), 37.8);
  EXPECT_DOUBLE_EQ(percent("epic", "p+s-class", "map_interpolated"), 20.8);
  EXPECT_DOUBLE_EQ(percent("hmdb", "mask-ideal", "f1"), 34.2);
  EXPECT_DOUBLE_EQ(percent("hmdb", "p+s-ideal", "top_set"), 43.2);
  EXPECT_FALSE(published_value("epic", "mask-ideal", "f1"));
  EXPECT_FALSE(published_value("hmdb", "p+s-class", "f1"));
}

TEST(Published, HasTheF1OfEveryKAndTauOnEpicWithoutADeviation) {
  EXPECT_DOUBLE_EQ(percent("epic", "mask-k3-tau0.1", "f1"), 27.2);
  EXPECT_DOUBLE_EQ(percent("epic", "mask-k15-tau0.1", "f1"), 36.4);
  EXPECT_DOUBLE_EQ(percent("epic", "mask-k20-tau0.3", "f1"), 25.1);
  EXPECT_DOUBLE_EQ(percent("epic", "p+s-k5-tau0.1", "f1"), 42.7);
  EXPECT_DOUBLE_EQ(percent("epic", "p+s-k10-tau0.2", "f1"), 34.3);
  for (const char* loss : {"mask", "p+s"}) {
    for (const int k : {3, 5, 10, 15, 20}) {
      for (const double tau : {0.1, 0.2, 0.3}) {
        const std::string row = fmt::format("{}-k{}-tau{}", loss, k, tau);
        const auto value = published_value("epic", row, "f1");
        ASSERT_TRUE(value) << row;
        EXPECT_TRUE(std::isnan(value->deviation)) << row;
        EXPECT_FALSE(published_value("epic", row, "iou")) << row;
        EXPECT_FALSE(published_value("hmdb", row, "f1")) << row;
      }
    }
  }
}

TEST(Published, HasTheEndToEndTrainingAsPrintedWithOneDecimal) {
  EXPECT_DOUBLE_EQ(percent("hmdb-end-to-end", "an", "top_set"), 46.7);
  EXPECT_DOUBLE_EQ(percent("hmdb-end-to-end", "n-ls", "map_interpolated"), 50.0);
  EXPECT_DOUBLE_EQ(deviation("hmdb-end-to-end", "em", "map_interpolated"), 2.8);
  EXPECT_DOUBLE_EQ(percent("hmdb-end-to-end", "p+s", "iou"), 30.9);
  EXPECT_DOUBLE_EQ(percent("hmdb-end-to-end", "p+s-ideal", "f1"), 42.7);
  EXPECT_FALSE(published_value("hmdb-end-to-end", "focal", "f1"));
}

TEST(Published, ItsMapIsTheInterpolatedOneAlone) {
  EXPECT_DOUBLE_EQ(percent("epic", "p+s", "map_interpolated"), 25.8);
  EXPECT_FALSE(published_value("epic", "p+s", "map"));
}

TEST(Published, HasNothingOfOtherRowsAndMetrics) {
  EXPECT_FALSE(published_value("epic", "ce", "f1"));
  EXPECT_FALSE(published_value("epic", "mask-k7-tau0.1", "f1"));
  EXPECT_FALSE(published_value("epic", "p+s", "predicted_labels"));
  EXPECT_FALSE(published_value("epic", "p+s", ""));
}

TEST(Published, AWrongNameIsAnErrorWithTheNearestOne) {
  EXPECT_EQ(problem_of("epci"),
            "no published figures 'epci' among epic, hmdb, hmdb-end-to-end, did you mean 'epic'?");
  EXPECT_EQ(problem_of("kinetics"),
            "no published figures 'kinetics' among epic, hmdb, hmdb-end-to-end");
  EXPECT_THROW(published_value("epci", "p+s", "f1"), Error);
}

}  // namespace
}  // namespace manyverbs
