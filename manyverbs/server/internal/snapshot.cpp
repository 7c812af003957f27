// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/snapshot.h"

#include <soci/soci.h>

#include <fmt/ranges.h>

#include "manyverbs/server/internal/database_copy.h"

namespace manyverbs {
namespace {

using soci::into;
using soci::session;
using soci::use;

std::vector<std::string> texts(session& sql, const std::string& query) {
  const soci::rowset<std::string> rows = (sql.prepare << query);
  return {rows.begin(), rows.end()};
}

// Every value passes as text, which both databases convert to the type of the column.
void copy_rows(session& from, session& to, const std::string& table,
               const std::vector<std::string>& columns) {
  std::vector<std::string> values(columns.size());
  std::vector<soci::indicator> states(columns.size());
  std::vector<std::string> selected;
  std::vector<std::string> names;
  std::vector<std::string> places;
  soci::statement select(from);
  soci::statement insert(to);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    select.exchange(into(values[i], states[i]));
    insert.exchange(use(values[i], states[i]));
    selected.push_back(fmt::format("CAST(\"{}\" AS TEXT)", columns[i]));
    names.push_back(fmt::format("\"{}\"", columns[i]));
    places.push_back(fmt::format(":v{}", i));
  }
  select.alloc();
  select.prepare(fmt::format("SELECT {} FROM {}", fmt::join(selected, ", "), table));
  select.define_and_bind();
  insert.alloc();
  insert.prepare(fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(names, ", "),
                             fmt::join(places, ", ")));
  insert.define_and_bind();
  select.execute();
  while (select.fetch()) insert.execute(true);
}

// Replaces the rows of all tables; `sqlite`, one of the two, tells which tables there are.
void copy_tables(session& from, session& to, session& sqlite) {
  for (const std::string& table :
       texts(sqlite, "SELECT name FROM sqlite_master WHERE type = 'table'")) {
    int rows = 0;
    to << "SELECT COUNT(*) FROM " + table, into(rows);
    if (rows > 0) to << "DELETE FROM " + table;  // the log refuses even to delete nothing
    copy_rows(from, to, table,
              texts(sqlite, fmt::format("SELECT name FROM pragma_table_info('{}')", table)));
  }
}

void copy_from_postgresql(Database& database, const std::filesystem::path& file) {
  Database copy(file.string());
  database.read([&](session& from) {
    // One moment for all tables.
    from << "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    try {
      copy.write(Database::Sync::Now, [&](session& to) { copy_tables(from, to, to); });
    } catch (...) {
      from << "ROLLBACK";
      throw;
    }
    from << "COMMIT";
  });
}

}  // namespace

void write_snapshot(Database& database, const std::filesystem::path& file) {
  if (std::filesystem::exists(file)) throw Error("{}: exists already", file.string());
  try {
    if (database.is_postgresql()) {
      copy_from_postgresql(database, file);
    } else {
      database.read([&](session& sql) { write_sqlite_copy(sql, file); });
    }
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    throw;
  }
}

void check_snapshot(Database& snapshot) {
  snapshot.read([&](session& sql) {
    std::string found;
    sql << "PRAGMA integrity_check(1)", into(found);
    if (found != "ok") throw Error("{}: is damaged: {}", snapshot.name(), found);
  });
}

void load_snapshot(Database& snapshot, Database& database) {
  snapshot.read([&](session& from) {
    database.write(Database::Sync::Now, [&](session& to) {
      int used = 0;
      to << "SELECT (SELECT COUNT(*) FROM people) + (SELECT COUNT(*) FROM log)", into(used);
      if (used > 0) {
        throw Error("{}: was used by a server already; expected an empty database",
                    database.name());
      }
      copy_tables(from, to, from);
    });
  });
}

}  // namespace manyverbs
