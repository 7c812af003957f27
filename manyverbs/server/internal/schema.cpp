// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/schema.h"

#include <soci/soci.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

constexpr int kFirstSchema = 2;

// Databases of schema 2 may lack the tables and indexes at the end, which are not in its earliest
// form.
constexpr const char* kFirstTables[] = {
    "CREATE TABLE IF NOT EXISTS people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, "
    "link TEXT NOT NULL UNIQUE, state TEXT NOT NULL, practised INTEGER NOT NULL, "
    "last_seen BIGINT NOT NULL, invited BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS sessions (key TEXT PRIMARY KEY, person INTEGER NOT NULL, "
    "opened BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS tasks (task INTEGER PRIMARY KEY, answered INTEGER NOT NULL, "
    "load INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS tasks_by_load ON tasks (load DESC, task)",
    "CREATE TABLE IF NOT EXISTS leases (person INTEGER NOT NULL, task INTEGER NOT NULL, "
    "given BIGINT NOT NULL, held INTEGER NOT NULL, PRIMARY KEY (person, task))",
    "CREATE INDEX IF NOT EXISTS leases_held ON leases (person) WHERE held = 1",
    "CREATE TABLE IF NOT EXISTS answers (id INTEGER PRIMARY KEY, person INTEGER NOT NULL, "
    "task INTEGER NOT NULL, position INTEGER NOT NULL, chosen TEXT NOT NULL, "
    "confident INTEGER NOT NULL, no_action INTEGER NOT NULL, milliseconds BIGINT NOT NULL, "
    "answered_at BIGINT NOT NULL, latest INTEGER NOT NULL)",
    "CREATE UNIQUE INDEX IF NOT EXISTS answers_latest ON answers (person, task) "
    "WHERE latest = 1",
    "CREATE TABLE IF NOT EXISTS reports (person INTEGER NOT NULL, task INTEGER NOT NULL, "
    "reported_at BIGINT NOT NULL, PRIMARY KEY (person, task))",
    "CREATE INDEX IF NOT EXISTS answers_by_position ON answers (person, position) "
    "WHERE latest = 1",
};

// Leaders' actions. Rows can be added, but neither changed nor deleted.
SchemaStep log_step() {
  return {.both = {"CREATE TABLE log (id INTEGER PRIMARY KEY, time BIGINT NOT NULL, "
                   "who TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL, "
                   "details TEXT NOT NULL)"},
          .sqlite = {"CREATE TRIGGER log_no_update BEFORE UPDATE ON log "
                     "BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
                     "CREATE TRIGGER log_no_delete BEFORE DELETE ON log "
                     "BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"},
          .postgresql = {"CREATE FUNCTION refuse_change_of_log() RETURNS trigger LANGUAGE plpgsql "
                         "AS 'BEGIN RAISE EXCEPTION ''the log is append-only''; END'",
                         "CREATE TRIGGER log_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE "
                         "ON log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_log()"}};
}

// What annotators write in their own words.
SchemaStep words_step() {
  return {.both = {"ALTER TABLE answers ADD COLUMN other INTEGER NOT NULL DEFAULT 0",
                   "ALTER TABLE answers ADD COLUMN other_verb TEXT NOT NULL DEFAULT ''",
                   "ALTER TABLE answers ADD COLUMN flagged INTEGER NOT NULL DEFAULT 0",
                   "ALTER TABLE answers ADD COLUMN comment TEXT NOT NULL DEFAULT ''"},
          .sqlite = {},
          .postgresql = {}};
}

// The practice clips that people have answered. A person who has clips need not practise again.
SchemaStep practice_step() {
  return {.both = {"CREATE TABLE practice (person INTEGER NOT NULL, task INTEGER NOT NULL, "
                   "PRIMARY KEY (person, task))",
                   "UPDATE people SET practised = 1 WHERE id IN (SELECT person FROM leases)"},
          .sqlite = {},
          .postgresql = {}};
}

// Why a person is paused, and the answer after which those to gold clips count.
SchemaStep gold_step() {
  return {.both = {"ALTER TABLE people ADD COLUMN paused_for TEXT NOT NULL DEFAULT ''",
                   "ALTER TABLE people ADD COLUMN gold_after INTEGER NOT NULL DEFAULT 0"},
          .sqlite = {},
          .postgresql = {}};
}

// What leaders decided about clips.
SchemaStep decisions_step() {
  return {.both = {"CREATE TABLE decisions (id INTEGER PRIMARY KEY, task INTEGER NOT NULL, "
                   "labels TEXT NOT NULL, reason TEXT NOT NULL, decided_at BIGINT NOT NULL, "
                   "latest INTEGER NOT NULL)",
                   "CREATE UNIQUE INDEX decisions_latest ON decisions (task) WHERE latest = 1"},
          .sqlite = {},
          .postgresql = {}};
}

// Personal links sign in once, and expire. The links of earlier versions have another form, which
// no longer works: those of people who have never signed in count as expired.
SchemaStep links_step() {
  return {.both = {"ALTER TABLE people ADD COLUMN link_used INTEGER NOT NULL DEFAULT 0",
                   "ALTER TABLE people ADD COLUMN link_expires BIGINT NOT NULL DEFAULT 0",
                   "UPDATE people SET link_used = 1 WHERE last_seen > 0",
                   "CREATE INDEX sessions_by_person ON sessions (person)"},
          .sqlite = {},
          .postgresql = {}};
}

// Accounts of leaders, instead of one password. Link 0 is for the first leader.
SchemaStep leaders_step() {
  return {.both = {"CREATE TABLE leaders (id INTEGER PRIMARY KEY, name TEXT NOT NULL, "
                   "password TEXT NOT NULL, last_seen BIGINT NOT NULL)",
                   "CREATE TABLE setup_links (hash TEXT PRIMARY KEY, leader INTEGER NOT NULL, "
                   "expires BIGINT NOT NULL)",
                   "INSERT INTO leaders (id, name, password, last_seen) "
                   "SELECT 1, 'leader', value, 0 FROM meta WHERE key = 'password'",
                   "DELETE FROM meta WHERE key = 'password'",
                   "ALTER TABLE sessions ADD COLUMN leader INTEGER NOT NULL DEFAULT 0",
                   "UPDATE sessions SET leader = 1 WHERE person = 0"},
          .sqlite = {},
          .postgresql = {}};
}

// A clock for leases that does not jump, and when people were last active by it.
SchemaStep clock_step() {
  return {.both = {"CREATE TABLE clocks (server TEXT PRIMARY KEY, wall BIGINT NOT NULL, "
                   "clock BIGINT NOT NULL)",
                   "ALTER TABLE people ADD COLUMN active BIGINT NOT NULL DEFAULT 0",
                   "UPDATE people SET active = last_seen"},
          .sqlite = {},
          .postgresql = {}};
}

// The version in the table meta, which is created if it does not exist; 0 in a new database.
int stored_schema(soci::session& sql, const std::string& name) {
  sql << "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)";
  std::string schema;
  sql << "SELECT value FROM meta WHERE key = 'schema'", soci::into(schema);
  if (!sql.got_data()) return 0;
  const int version = number_in<int>(schema).value_or(0);
  if (version > current_schema()) {
    throw Error(
        "{}: has schema {}, expected at most {}: it was written by a newer version of manyverbs; "
        "use that version",
        name, schema, current_schema());
  }
  if (version < kFirstSchema) {
    throw Error(
        "{}: has schema {}, expected {} to {}: it was created by another version of manyverbs; "
        "export the answers with that version",
        name, schema, kFirstSchema, current_schema());
  }
  return version;
}

void take(soci::session& sql, const SchemaStep& step, bool is_postgresql) {
  for (const std::string& statement : step.both) sql << statement;
  for (const std::string& statement : is_postgresql ? step.postgresql : step.sqlite) {
    sql << statement;
  }
}

}  // namespace

const std::vector<SchemaStep>& schema_steps() {
  static const std::vector<SchemaStep> steps = {
      log_step(),        // to schema 3
      words_step(),      // to schema 4
      practice_step(),   // to schema 5
      gold_step(),       // to schema 6
      decisions_step(),  // to schema 7
      links_step(),      // to schema 8
      leaders_step(),    // to schema 9
      clock_step(),      // to schema 10
  };
  return steps;
}

int current_schema() { return kFirstSchema + static_cast<int>(schema_steps().size()); }

std::optional<Migration> migrate(soci::session& sql, bool is_postgresql, const std::string& name,
                                 const std::function<std::string(int schema)>& back_up) {
  const int stored = stored_schema(sql, name);
  if (stored == current_schema()) return std::nullopt;
  const bool is_new = stored == 0;
  const std::string copy = is_new ? "" : back_up(stored);
  const int from = is_new ? kFirstSchema : stored;
  if (from == kFirstSchema) {
    for (const char* statement : kFirstTables) sql << statement;
  }
  for (int version = from; version < current_schema(); ++version) {
    take(sql, schema_steps()[version - kFirstSchema], is_postgresql);
  }
  const std::string reached = std::to_string(current_schema());
  sql << "DELETE FROM meta WHERE key = 'schema'";
  sql << "INSERT INTO meta (key, value) VALUES ('schema', :value)", soci::use(reached);
  if (is_new) return std::nullopt;
  return Migration{stored, current_schema(), copy};
}

}  // namespace manyverbs
