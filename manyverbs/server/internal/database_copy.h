// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace soci {
class session;
}  // namespace soci

namespace manyverbs {

/// Copies an SQLite database to a new file, which is complete and on disk, and readable by its
/// owner only. `reader` is a connection without a transaction; another one may have an open
/// transaction, whose changes are not in the copy.
void write_sqlite_copy(soci::session& reader, const std::filesystem::path& file);

/// Copies of a database before its schema changes. An earlier copy is never overwritten: the next
/// one gets a number.

/// Copies an SQLite file beside it: answers.schema-2.sqlite, then answers.schema-2-2.sqlite …
/// Returns the path of the copy. Throws Error if the copy cannot be written.
std::string copy_sqlite(soci::session& reader, const std::string& file, int schema);

/// Copies the tables of this user inside a PostgreSQL database, in the transaction of `sql`: people
/// to people_schema_2 … Returns "tables *_schema_2". The program needs no other rights than for its
/// tables, and no pg_dump.
std::string copy_postgresql(soci::session& sql, int schema);

}  // namespace manyverbs
