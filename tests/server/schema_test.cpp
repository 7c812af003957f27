// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/schema.h"

#include <sys/stat.h>

#include <thread>

#include <gtest/gtest.h>

#include "manyverbs/server/internal/leaders.h"
#include "manyverbs/server/internal/store.h"
#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/old_database.h"
#include "tests/server/toy_project.h"

namespace manyverbs {
namespace {

// All tests run with an SQLite file and with a PostgreSQL server.
class Schema : public testing::TestWithParam<std::string> {
 protected:
  bool is_sqlite() const { return GetParam() == "sqlite"; }
  // Opens the database and returns what is printed.
  std::string opened() {
    testing::internal::CaptureStderr();
    { const AnnotationStore store(where_, project_); }
    return testing::internal::GetCapturedStderr();
  }
  std::string error_of_opening() {
    try {
      const Database database(where_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::string schema() {
    return value_of<std::string>(where_, "SELECT value FROM meta WHERE key = 'schema'");
  }
  std::string migrated(const std::string& copy) const {
    return fmt::format("manyverbs: {}: migrated from schema 2 to {}; before that, copied to {}\n",
                       where_, current_schema(), copy);
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 3);
  std::string where_ = is_sqlite() ? (scratch_ / "answers.sqlite").string()
                                   : PostgresServer::shared().new_database();
  std::string copy_ =
      is_sqlite() ? (scratch_ / "answers.schema-2.sqlite").string() : "tables *_schema_2";
};

TEST_P(Schema, ANewDatabaseHasTheCurrentSchemaAndIsNotMigrated) {
  EXPECT_EQ(opened(), "");
  EXPECT_EQ(schema(), std::to_string(current_schema()));
  EXPECT_EQ(opened(), "") << "for the second time";
}

TEST_P(Schema, AnOlderDatabaseKeepsAllItContains) {
  write_old_database(where_, "schema_2.sql");
  testing::internal::CaptureStderr();
  AnnotationStore store(where_, project_);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), migrated(copy_));
  EXPECT_EQ(schema(), std::to_string(current_schema()));

  EXPECT_EQ(store.project_id(), "S0tsABtJVLKd7Qfa");
  const std::vector<Person> people = store.people();
  ASSERT_EQ(people.size(), 3U);
  EXPECT_EQ(people[0].name, "Ann");
  EXPECT_TRUE(people[0].practised);
  EXPECT_EQ(people[0].last_seen, 1'794'968'055'015);
  EXPECT_EQ(people[1].state, PersonState::Excluded);
  EXPECT_TRUE(people[1].practised) << "he has clips, so he need not practise any more";
  EXPECT_FALSE(people[2].practised);
  EXPECT_EQ(people[2].name, "O'Carl");
  EXPECT_FALSE(people[2].last_seen);

  const std::vector<StoredAnswer> answers = store.answers();
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_FALSE(answers[0].current) << "Ann corrected it";
  EXPECT_EQ(answers[1].answer, (Answer{{0, 1}, true, false, 1500}));
  EXPECT_TRUE(answers[2].answer.nothing);
  EXPECT_EQ(answers[3].person, 2);
  EXPECT_EQ(answers[3].time, 1'794'968'055'048);
  ASSERT_EQ(store.reports().size(), 1U);
  EXPECT_EQ(store.reports()[0].task, 2);
  EXPECT_EQ(store.kept_counts(), store.true_counts());
}

TEST_P(Schema, WorkContinuesInAMigratedDatabase) {
  write_old_database(where_, "schema_2.sql");
  testing::internal::CaptureStderr();
  AnnotationStore store(where_, project_);
  testing::internal::GetCapturedStderr();
  const Time now = 1'794'968'060'000;
  // The session of Ann's browser is still open.
  EXPECT_EQ(
      store.session_person("44fc7ca1dc15b7a1f5024f718885024589de438a9532aa4b0b1f40871a569eaf", now),
      1);
  EXPECT_EQ(store.next_tasks(1, now).tasks, std::vector{3});
  EXPECT_EQ(store.save(1, 3, {{3}, true, false, 900}, now).done, 3);
  EXPECT_EQ(store.answers().size(), 5U);
  EXPECT_EQ(store.kept_counts(), store.true_counts());
}

TEST_P(Schema, ThePasswordBecomesThatOfALeaderWhoStaysSignedIn) {
  write_old_database(where_, "schema_2.sql");
  testing::internal::CaptureStderr();
  AnnotationStore store(where_, project_);
  testing::internal::GetCapturedStderr();
  const Time now = 1'794'968'060'000;
  Leaders leaders(&store.database());
  const Leader leader{.id = 1, .name = "leader"};
  EXPECT_TRUE(leaders.exist());
  EXPECT_EQ(leaders.all(now), std::vector{leader});
  EXPECT_TRUE(leaders.find("leader", now)->password.starts_with("$argon2id$"));
  EXPECT_EQ(
      leaders.of_session("2337233e7562db903e50977c6467f2dbf256c6799fceb4faad8763da7e1c49e6", now),
      leader);
  EXPECT_EQ(value_of<int>(where_, "SELECT COUNT(*) FROM meta WHERE key = 'password'"), 0);
}

TEST_P(Schema, WithoutAPasswordThereIsNoLeader) {
  write_old_database(where_, "schema_2.sql");
  open_plainly(where_) << "DELETE FROM meta WHERE key = 'password'";
  testing::internal::CaptureStderr();
  AnnotationStore store(where_, project_);
  testing::internal::GetCapturedStderr();
  EXPECT_FALSE(Leaders(&store.database()).exist());
}

TEST_P(Schema, LinksOfAnOlderDatabaseAreUsedOrExpired) {
  write_old_database(where_, "schema_2.sql");
  testing::internal::CaptureStderr();
  AnnotationStore store(where_, project_);
  testing::internal::GetCapturedStderr();
  const Time now = 1'794'968'060'000;
  const std::vector<Person> people = store.people(now);
  EXPECT_EQ(people[0].link, LinkState::Used);
  EXPECT_EQ(people[0].devices, 1);
  EXPECT_EQ(people[2].link, LinkState::Expired) << "never opened";
  EXPECT_EQ(people[2].devices, 0);
  const std::string carl = "953f7546d017f0011969305a223c8ce7a81265efca336c2c7dbec75fd0382c70";
  EXPECT_FALSE(store.join(carl, "key", "", now));
}

TEST_P(Schema, TheCopyHasTheOldTablesAndTheOldData) {
  write_old_database(where_, "schema_2.sql");
  EXPECT_EQ(opened(), migrated(copy_));
  const std::string copy = is_sqlite() ? copy_ : where_;
  const std::string end = is_sqlite() ? "" : "_schema_2";
  EXPECT_EQ(value_of<std::string>(copy, "SELECT value FROM meta" + end + " WHERE key = 'schema'"),
            "2");
  EXPECT_EQ(value_of<int>(copy, "SELECT COUNT(*) FROM answers" + end), 4);
  EXPECT_EQ(value_of<std::string>(copy, "SELECT name FROM people" + end + " WHERE id = 3"),
            "O'Carl");
  EXPECT_EQ(value_of<int>(copy, "SELECT COUNT(*) FROM leases" + end), 6);
  EXPECT_THROW(value_of<int>(copy, "SELECT COUNT(*) FROM log_schema_2"), soci::soci_error)
      << "schema 2 had no log";
}

TEST_P(Schema, OfTwoServersThatStartAtOnceOneMigrates) {
  write_old_database(where_, "schema_2.sql");
  testing::internal::CaptureStderr();
  std::vector<std::thread> servers;
  for (int i = 0; i < 4; ++i) {
    servers.emplace_back([&] { EXPECT_NO_THROW(AnnotationStore(where_, project_)); });
  }
  for (std::thread& server : servers) server.join();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), migrated(copy_)) << "once";
  EXPECT_EQ(schema(), std::to_string(current_schema()));
}

TEST_P(Schema, AFailingStepChangesNothing) {
  write_old_database(where_, "schema_2.sql");
  open_plainly(where_) << "CREATE TABLE log (something TEXT)";
  const std::string error = error_of_opening();
  EXPECT_TRUE(error.starts_with(where_ + ": ")) << error;
  EXPECT_NE(error.find("log"), std::string::npos) << error;
  EXPECT_EQ(schema(), "2");
  EXPECT_EQ(value_of<int>(where_, "SELECT COUNT(*) FROM answers"), 4);
  // After the cause is fixed, it is migrated, and the earlier copy of the file is kept.
  open_plainly(where_) << "DROP TABLE log";
  EXPECT_EQ(opened(), migrated(is_sqlite() ? (scratch_ / "answers.schema-2-2.sqlite").string()
                                           : "tables *_schema_2"));
}

TEST_P(Schema, ANewerDatabaseIsRejectedAndUnchanged) {
  write_old_database(where_, "schema_2.sql");
  open_plainly(where_) << "UPDATE meta SET value = '999' WHERE key = 'schema'";
  EXPECT_EQ(error_of_opening(),
            fmt::format("{}: has schema 999, expected at most {}: it was written by a newer "
                        "version of manyverbs; use that version",
                        where_, current_schema()));
  EXPECT_EQ(schema(), "999");
}

TEST_P(Schema, TablesThatTheEarliestDatabasesLackAreAdded) {
  write_old_database(where_, "schema_2.sql");
  {
    soci::session sql = open_plainly(where_);
    sql << "DROP TABLE reports";
    sql << "DROP INDEX answers_by_position";
  }
  EXPECT_EQ(opened(), migrated(copy_));
  EXPECT_EQ(value_of<int>(where_, "SELECT COUNT(*) FROM reports"), 0);
}

INSTANTIATE_TEST_SUITE_P(, Schema, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

TEST(SchemaCopy, IsReadableByItsOwnerOnly) {
  const ScratchFolder scratch;
  const std::string where = (scratch / "answers.sqlite").string();
  write_old_database(where, "schema_2.sql");
  testing::internal::CaptureStderr();
  { const Database database(where); }
  testing::internal::GetCapturedStderr();
  struct stat status {};
  ASSERT_EQ(stat((scratch / "answers.schema-2.sqlite").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_FALSE(std::filesystem::exists(scratch / "answers.schema-2.sqlite.partial"));
}

}  // namespace
}  // namespace manyverbs
