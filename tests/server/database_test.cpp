// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/database.h"

#include <soci/soci.h>

#include <gtest/gtest.h>

#include "tests/scratch.h"
#include "tests/server/databases.h"

namespace manyverbs {
namespace {

using Sync = Database::Sync;

// The result of a query inside a change.
std::string said(Database* database, Sync sync, const std::string& query) {
  std::string value;
  database->write(sync, [&](soci::session& sql) { sql << query, soci::into(value); });
  return value;
}

TEST(Database, PostgresqlCommitsAreSynchronousEvenIfTheServerTurnsThatOff) {
  const std::string query = "SHOW synchronous_commit";
  PostgresServer server("-c synchronous_commit=off");
  Database database(server.new_database());
  EXPECT_EQ(said(&database, Sync::Now, query), "on");
  EXPECT_EQ(said(&database, Sync::Later, query), "off");
  EXPECT_EQ(said(&database, Sync::Now, query), "on");
  server.control("restart -m immediate");
  EXPECT_THROW(said(&database, Sync::Now, query), DatabaseError);
  EXPECT_EQ(said(&database, Sync::Now, query), "on") << "on the new connection too";
}

TEST(Database, PostgresqlSynchronousSettingsAreKept) {
  const std::string address = PostgresServer::shared().new_database();
  Database database(address + "&options=-c%20synchronous_commit%3Dlocal");
  EXPECT_EQ(said(&database, Sync::Now, "SHOW synchronous_commit"), "local");
}

TEST(Database, SqliteCommitsAreSynchronous) {
  const ScratchFolder scratch;
  Database database((scratch / "a.sqlite").string());
  EXPECT_EQ(said(&database, Sync::Later, "PRAGMA journal_mode"), "wal");
  const std::string query = "SELECT CAST(synchronous AS TEXT) FROM pragma_synchronous";
  EXPECT_EQ(said(&database, Sync::Now, query), "2") << "FULL";
  EXPECT_EQ(said(&database, Sync::Later, query), "1") << "NORMAL";
  EXPECT_EQ(said(&database, Sync::Now, query), "2") << "FULL again";
}

}  // namespace
}  // namespace manyverbs
