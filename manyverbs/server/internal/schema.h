// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace soci {
class session;
}  // namespace soci

namespace manyverbs {

/// The schema of the database has a version, stored in the table meta. Each later version is a step
/// from the one before it, so that a database of any version since schema 2 becomes a current one,
/// and a new database takes the same steps.

/// The SQL statements that lead from a version to the next one.
struct SchemaStep {
  std::vector<std::string> both;        ///< run first, by SQLite and PostgreSQL
  std::vector<std::string> sqlite;      ///< then these
  std::vector<std::string> postgresql;  ///< or these
};

/// The steps to schema 3, 4 … A change of the tables appends one; published steps never change.
const std::vector<SchemaStep>& schema_steps();
/// The version after all steps: 2 plus their number.
int current_schema();

/// What migrate() did: "migrated from schema 2 to 4; before that, copied to a.schema-2.sqlite".
struct Migration {
  int from = 0;
  int to = 0;
  std::string copy;  ///< where the data as it was before can be found
};

/// Creates the tables of a new database, or takes the missing steps of an older one, inside the
/// transaction of the caller, which must exclude all other writers. `back_up` is called before the
/// first change of an older database, with its version, and returns where the copy is. Returns
/// nothing if there was no older database. Throws Error, with `name` for the database, if its
/// version is newer than the current one or older than 2.
std::optional<Migration> migrate(soci::session& sql, bool is_postgresql, const std::string& name,
                                 const std::function<std::string(int schema)>& back_up);

}  // namespace manyverbs
