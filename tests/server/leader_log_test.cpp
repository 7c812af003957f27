// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/leader_log.h"

#include <gtest/gtest.h>

#include "manyverbs/server/internal/store.h"
#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/moments.h"
#include "tests/server/old_database.h"
#include "tests/server/toy_project.h"

namespace manyverbs {
namespace {

// All tests run with an SQLite file and with a PostgreSQL server.
class LeaderLog : public testing::TestWithParam<std::string> {
 protected:
  ScratchFolder scratch_;
  std::string where_ = GetParam() == "sqlite" ? (scratch_ / "answers.sqlite").string()
                                              : PostgresServer::shared().new_database();
  AnnotationStore store_{where_, write_toy_project(scratch_.path(), 2)};
};

TEST_P(LeaderLog, SaysWhoChangedWhatNewestFirst) {
  const int ann = store_.add_person("Ann", "link", kLeader).id;
  store_.set_state(ann, PersonState::Excluded, {"Max", kStart + 1});
  store_.set_settings({.people = 5}, {"Lea", kStart + 2});
  store_.set_link(ann, "other link", AnnotationStore::Devices::Stay, {"Lea", kStart + 3});
  const std::vector<LogEntry> expected = {
      {kStart + 3, "Lea", "created a new link", "Ann", "", 4},
      {kStart + 2, "Lea", "changed settings", "", "people: 3 to 5", 3},
      {kStart + 1, "Max", "changed the state", "Ann", "active to excluded", 2},
      {kStart, "Lea", "invited", "Ann", "", 1}};
  EXPECT_EQ(store_.log(0, 10), expected);
  EXPECT_EQ(store_.log_size(), 4);
  EXPECT_EQ(store_.log(1, 2), (std::vector{expected[1], expected[2]}));
}

TEST_P(LeaderLog, HasNoEntryIfNothingChangesOrTheChangeFails) {
  const int ann = store_.add_person("Ann", "link", kLeader).id;
  store_.set_state(ann, PersonState::Active, kLeader);
  store_.set_settings({}, kLeader);
  store_.forget_reports(1, kLeader);
  EXPECT_THROW(store_.set_state(99, PersonState::Paused, kLeader), Error);
  EXPECT_THROW(store_.add_person("Ben", "link", kLeader), DatabaseError) << "the same link";
  EXPECT_EQ(store_.log_size(), 1);
}

TEST_P(LeaderLog, ReportsThatAreDeletedAreCounted) {
  const int ann = store_.add_person("Ann", "link", kLeader).id;
  store_.next_tasks(ann, kStart);
  store_.report(ann, 1, kStart);
  store_.forget_reports(1, kLeader);
  EXPECT_EQ(store_.log(0, 1).at(0),
            (LogEntry{kStart, "Lea", "deleted reports", "clip 1", "reports: 1", 2}));
}

TEST_P(LeaderLog, CannotBeChangedInTheDatabase) {
  store_.add_person("Ann", "link", kLeader);
  soci::session sql = open_plainly(where_);
  EXPECT_THROW(sql << "UPDATE log SET who = 'Max'", soci::soci_error);
  EXPECT_THROW(sql << "DELETE FROM log", soci::soci_error);
  if (GetParam() == "postgresql") {
    EXPECT_THROW(sql << "TRUNCATE log", soci::soci_error);
  }
  EXPECT_EQ(store_.log(0, 1).at(0).who, "Lea");
}

INSTANTIATE_TEST_SUITE_P(, LeaderLog, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

TEST(LeaderLogDetails, NameWhatDiffersBetweenTwoObjects) {
  EXPECT_EQ(differences({{"a", 1}, {"b", "x"}, {"c", 0.5}}, {{"a", 2}, {"b", "y"}, {"c", 0.5}}),
            "a: 1 to 2, b: x to y");
  EXPECT_EQ(differences({{"a", 1}}, {{"a", 1}, {"new", true}}), "new: null to true");
  EXPECT_EQ(differences({{"a", 1}}, {{"a", 1}}), "");
}

}  // namespace
}  // namespace manyverbs
