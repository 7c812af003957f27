// SPDX-License-Identifier: MIT
#pragma once

#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <filesystem>
#include <string>

#include "manyverbs/support/internal/files.h"

namespace manyverbs {

/// A connection to an SQLite file or a PostgreSQL database, without the program's own code.
inline soci::session open_plainly(const std::string& where) {
  const bool is_postgresql = where.starts_with("postgresql://");
  return is_postgresql ? soci::session(soci::postgresql, where)
                       : soci::session(soci::sqlite3, "dbname=" + where);
}

/// The result of a query, read by a connection of its own.
template <typename T>
T value_of(const std::string& where, const std::string& query) {
  T value{};
  soci::session sql = open_plainly(where);
  sql << query, soci::into(value);
  return value;
}

/// Fills a new database with a file of tests/server that was written by an older version of the
/// program: "schema_2.sql".
inline void write_old_database(const std::string& where, const std::string& file) {
  const std::string text =
      read_file(std::filesystem::path(MANYVERBS_TEST_FOLDER) / "server" / file);
  soci::session sql = open_plainly(where);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find(";\n", at);
    sql << text.substr(at, end - at);
    at = end + 2;
  }
}

}  // namespace manyverbs
