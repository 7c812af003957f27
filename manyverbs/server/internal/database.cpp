// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/database.h"

#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <algorithm>
#include <utility>

#include "manyverbs/server/internal/database_copy.h"
#include "manyverbs/server/internal/private_files.h"
#include "manyverbs/server/internal/schema.h"

namespace manyverbs {
namespace {

constexpr std::size_t kSessions = 8;
// An arbitrary number; all servers must use the same one.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(5136021)";

bool is_postgresql_address(const std::string& where) {
  return where.starts_with("postgresql://") || where.starts_with("postgres://");
}

// The URL without the password, which may be in "//me:secret@" or "?password=secret".
std::string without_password(std::string where) {
  if (!is_postgresql_address(where)) return where;
  const std::size_t user = where.find("://") + 3;
  const std::size_t at = where.find('@', user);
  const std::size_t colon = where.find(':', user);
  if (at != std::string::npos && colon < at) where.erase(colon, at - colon);
  constexpr std::string_view kPassword = "password=";
  const std::size_t password = where.find(kPassword);
  if (password == std::string::npos) return where;
  const std::size_t end = std::min(where.find('&', password), where.size());
  return where.erase(password, end - password);
}

// Settings of a new connection, independent of the server configuration.
void set_up_postgresql(soci::session& session) {
  session << "SET client_min_messages TO warning";  // no notices about existing tables
  // With "off", answers would be confirmed before they are on disk. All other values are safe.
  session << "SELECT set_config('synchronous_commit', 'on', false) "
             "WHERE current_setting('synchronous_commit') = 'off'";
}

// SQLite creates its two other files with the same mode.
void make_file_private(const std::string& file) {
  create_private(file);
  for (const char* ending : {"-wal", "-shm"}) make_private(file + ending);
}

// SOCI appends the statement and its values after the first line.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Database::Database(const std::string& where)
    : is_postgresql_(is_postgresql_address(where)),
      name_(without_password(where)),
      pool_(std::make_unique<soci::connection_pool>(kSessions)) {
  try {
    if (!is_postgresql_) make_file_private(where);
    for (std::size_t i = 0; i < kSessions; ++i) open(i, where);
    make_tables(where);
  } catch (const soci::soci_error& problem) {
    throw Error("{}: {}", name_, first_line(problem.what()));
  }
}

Database::~Database() = default;

void Database::open(std::size_t place, const std::string& where) {
  soci::session& session = pool_->at(place);
  if (is_postgresql_) {
    session.open(soci::postgresql, where);
    set_up_postgresql(session);
    return;
  }
  session.open(soci::sqlite3, "dbname=\"" + where + "\" timeout=30");
  session << "PRAGMA journal_mode = WAL";
}

// In one transaction, which excludes other servers: of two that start at once, the second finds the
// current schema.
void Database::make_tables(const std::string& where) {
  std::optional<Migration> done;
  write(Sync::Now, [&](soci::session& session) {
    done = migrate(session, is_postgresql_, name_, [&](int schema) {
      if (is_postgresql_) return copy_postgresql(session, schema);
      std::string copy;
      read([&](soci::session& reader) { copy = copy_sqlite(reader, where, schema); });
      return copy;
    });
  });
  if (!done) return;
  fmt::print(stderr, "manyverbs: {}: migrated from schema {} to {}; before that, copied to {}\n",
             name_, done->from, done->to, done->copy);
}

void Database::begin(soci::session& session, Sync sync) {
  if (is_postgresql_) {
    // Independent of the server configuration: after the lock is taken, all committed changes of
    // others are visible.
    session << "BEGIN ISOLATION LEVEL READ COMMITTED";
    session << kLock;
    if (sync == Sync::Later) session << "SET LOCAL synchronous_commit TO off";
    return;
  }
  // In WAL mode, NORMAL does not wait for the disk; the next FULL commit waits for both.
  session << (sync == Sync::Now ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  session << "BEGIN IMMEDIATE";
}

// If the connection was lost, it is opened again for the next call.
void Database::with_session(const std::function<void(soci::session&)>& work) {
  const std::size_t place = pool_->lease();
  const std::unique_ptr<soci::connection_pool, std::function<void(soci::connection_pool*)>> giver(
      pool_.get(), [place](soci::connection_pool* pool) { pool->give_back(place); });
  soci::session& session = pool_->at(place);
  try {
    work(session);
  } catch (const soci::soci_error& problem) {
    if (is_postgresql_ && !session.is_connected()) {
      try {
        session.reconnect();
        set_up_postgresql(session);
      } catch (const soci::soci_error&) {  // the server is still not available
      }
    }
    throw DatabaseError("{}: {}", name_, first_line(problem.what()));
  }
}

// Rolls back the changes of this job if it throws; other jobs are not affected.
void Database::run_job(soci::session& session, Job* job) {
  session << "SAVEPOINT job";
  try {
    (*job->change)(session);
  } catch (const soci::soci_error& problem) {
    job->problem =
        std::make_exception_ptr(DatabaseError("{}: {}", name_, first_line(problem.what())));
  } catch (...) {
    job->problem = std::current_exception();
  }
  if (job->problem) session << "ROLLBACK TO SAVEPOINT job";
  session << "RELEASE SAVEPOINT job";
}

void Database::commit(const std::vector<Job*>& jobs) {
  const bool now =
      std::any_of(jobs.begin(), jobs.end(), [](const Job* job) { return job->sync == Sync::Now; });
  try {
    with_session([&](soci::session& session) {
      try {
        begin(session, now ? Sync::Now : Sync::Later);
        for (Job* job : jobs) run_job(session, job);
        session << "COMMIT";
      } catch (...) {
        try {
          session << "ROLLBACK";
        } catch (const soci::soci_error&) {  // the connection is lost; its changes were rolled back
        }
        throw;
      }
    });
  } catch (...) {
    for (Job* job : jobs) {
      if (!job->problem) job->problem = std::current_exception();
    }
  }
}

// The first thread that finds no writer commits the changes of all waiting threads.
void Database::write(Sync sync, const std::function<void(soci::session&)>& change) {
  Job job{sync, &change, nullptr};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&job);
  written_.wait(lock, [&] { return job.done || !is_writing_; });
  if (!job.done) {
    is_writing_ = true;
    const std::vector<Job*> jobs = std::exchange(waiting_, {});
    lock.unlock();
    commit(jobs);
    lock.lock();
    for (Job* each : jobs) each->done = true;
    is_writing_ = false;
    written_.notify_all();
  }
  if (job.problem) std::rethrow_exception(job.problem);
}

void Database::read(const std::function<void(soci::session&)>& look) { with_session(look); }

}  // namespace manyverbs
