// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/published.h"

#include <cmath>
#include <filesystem>
#include <tuple>

#include <gtest/gtest.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"

namespace manyverbs {
namespace {

std::string problem_of(const std::string& name) {
  try {
    published_source(name);
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

TEST(Published, IsAsInTheHeader) {
  const auto value = published_value("epic", "p+s", "f1");
  ASSERT_TRUE(value);
  EXPECT_DOUBLE_EQ(value->mean, 0.449);
  EXPECT_DOUBLE_EQ(value->deviation, 0.003);
}

TEST(Published, HasTheSourceOfTheValues) {
  EXPECT_EQ(published_names(), (std::vector<std::string>{"epic", "hmdb", "hmdb-end-to-end"}));
  EXPECT_EQ(published_source("epic"), "the paper, EPIC-Kitchens-100-SPMV");
  EXPECT_EQ(published_source("hmdb"), "the paper, Confusing-HMDB-102");
  EXPECT_EQ(published_source("hmdb-end-to-end"), "the paper, Confusing-HMDB-102 end to end");
}

TEST(Published, TablesHaveTheValuesOfTheirKind) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(published_names(ExperimentKind::Compare, RunKind::Features), (Words{"epic", "hmdb"}));
  EXPECT_EQ(published_names(ExperimentKind::Ablate, RunKind::Features), (Words{"epic", "hmdb"}));
  EXPECT_EQ(published_names(ExperimentKind::Sweep, RunKind::Features), Words{"epic"});
  EXPECT_EQ(published_names(ExperimentKind::Compare, RunKind::Clips), Words{"hmdb-end-to-end"});
}

TEST(Published, ValuesOfOtherTablesAreErrors) {
  const auto problem = [](const std::string& name, ExperimentKind kind, RunKind from) {
    try {
      require_published(name, kind, from);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto features = RunKind::Features;
  const auto clips = RunKind::Clips;
  EXPECT_EQ(problem("", ExperimentKind::Compare, clips), "");
  EXPECT_EQ(problem("hmdb-end-to-end", ExperimentKind::Compare, clips), "");
  EXPECT_EQ(problem("hmdb-end-to-end", ExperimentKind::Ablate, features),
            "the published values 'hmdb-end-to-end' are those of 'manyverbs compare --from clips'; "
            "valid values for ablate: epic, hmdb");
  EXPECT_EQ(problem("hmdb", ExperimentKind::Compare, clips),
            "the published values 'hmdb' are those of runs on features; valid values for compare "
            "--from clips: hmdb-end-to-end");
  EXPECT_EQ(problem("hmdb", ExperimentKind::Sweep, features),
            "the published values 'hmdb' are not those of a sweep; valid values for sweep: epic");
}

// golden/published.csv is extracted from the source of the paper by an independent script.
TEST(Published, EqualsThePaper) {
  const CsvTable table =
      read_csv(std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden" / "published.csv");
  ASSERT_EQ(table.rows.size(), 175U);
  for (const CsvRow& line : table.rows) {
    SCOPED_TRACE(fmt::format("published.csv:{}", line.line));
    const auto& [name, row, metric] = std::tie(line.fields[0], line.fields[1], line.fields[2]);
    const auto value = published_value(name, row, metric);
    ASSERT_TRUE(value);
    EXPECT_DOUBLE_EQ(100 * value->mean, std::stod(line.fields[3]));
    if (line.fields[4].empty()) {
      EXPECT_TRUE(std::isnan(value->deviation));
    } else {
      EXPECT_DOUBLE_EQ(100 * value->deviation, std::stod(line.fields[4]));
    }
  }
}

TEST(Published, HasOnlyTheInterpolatedMap) {
  EXPECT_TRUE(published_value("epic", "p+s", "map_interpolated"));
  EXPECT_FALSE(published_value("epic", "p+s", "map"));
}

TEST(Published, HasNothingForOtherRowsAndMetrics) {
  EXPECT_FALSE(published_value("epic", "ce", "f1"));
  EXPECT_FALSE(published_value("epic", "mask-ideal", "f1"));
  EXPECT_FALSE(published_value("epic", "mask-k7-tau0.1", "f1"));
  EXPECT_FALSE(published_value("epic", "mask-k3-tau0.1", "iou"));
  EXPECT_FALSE(published_value("hmdb", "p+s-class", "f1"));
  EXPECT_FALSE(published_value("hmdb", "mask-k3-tau0.1", "f1"));
  EXPECT_FALSE(published_value("hmdb-end-to-end", "focal", "f1"));
  EXPECT_FALSE(published_value("epic", "p+s", "predicted_labels"));
  EXPECT_FALSE(published_value("epic", "p+s", ""));
}

TEST(Published, AnUnknownNameIsAnErrorWithASuggestion) {
  EXPECT_EQ(problem_of("epci"), "unknown published values 'epci', did you mean 'epic'?");
  EXPECT_EQ(problem_of("kinetics"),
            "unknown published values 'kinetics'; valid values: epic, hmdb, hmdb-end-to-end");
  EXPECT_THROW(published_value("epci", "p+s", "f1"), Error);
}

}  // namespace
}  // namespace manyverbs
