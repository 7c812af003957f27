// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "manyverbs/support/error.h"

namespace soci {
class connection_pool;
class session;
}  // namespace soci

namespace manyverbs {

/// The database is not available or reports an error. The message is for the operator of the
/// server, not for its users.
class DatabaseError : public Error {
 public:
  using Error::Error;
};

/// The tables of an annotation project, in an SQLite file or on a PostgreSQL server. Thread-safe.
///
///   meta      key, value: schema, project, tasks, gold, settings, pseudonyms,
///             command_line_password, 'highest answers' …
///             (the highest id before a deletion, see next_id())
///   people    id, name, link, state, practised, last_seen, invited, paused_for ('gold' or ''),
///             gold_after (the id of the last answer before those to gold clips count), link_used,
///             link_expires, active (by the lease clock)
///   leaders   id, name, password ('' until it is set), last_seen
///   setup_links  hash, leader (0: the first one), expires
///   sessions  key, person (0: a leader), opened, leader (0: a person)
///   tasks     task, answered (by people who are not excluded), load (answered + active leases)
///   clocks    server, wall (its own time), clock: see lease_clock.h
///   leases    person, task, given, held (1 until the clip is answered or returned)
///   answers   id, person, task, position, chosen, …, answered_at (when it was given), latest (0 if
///             another answer was given later)
///   reports   person, task, reported_at: the clip does not play for this person
///   practice  person, task: the practice clips that the person has answered
///   decisions id, task, labels ("": left out), reason, decided_at, latest (0 if undone or
///             replaced)
///   log       id, time, who, action, subject, details: what leaders did, see leader_log.h
///
/// schema.h creates and migrates them.
///
/// Times are in milliseconds since 1970. Links, sessions and passwords are stored as hashes only.
class Database {
 public:
  /// Opens an SQLite file, which becomes readable by its owner only, or
  /// postgresql://USER@HOST/NAME. Creates the tables if they do not exist; migrates those of an
  /// older version, after a copy, and says so on standard error. Throws Error if the database is
  /// not available or was written by a newer version of the program.
  explicit Database(const std::string& where);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Now: write() returns when the change is on disk. Later: the change reaches the disk with the
  /// next Now change. Killing the process loses neither.
  enum class Sync { Now, Later };

  /// Runs a change as an exclusive transaction, also across several servers. Changes that wait at
  /// the same time are written to disk together, so that a slow disk adds its latency once. If
  /// `change` throws, nothing is changed. Both functions throw DatabaseError if the database
  /// reports an error.
  void write(Sync sync, const std::function<void(soci::session&)>& change);
  void read(const std::function<void(soci::session&)>& query);

  bool is_postgresql() const { return is_postgresql_; }
  /// The file or URL, without a password.
  const std::string& name() const { return name_; }

 private:
  void open(std::size_t place, const std::string& where);
  void make_tables(const std::string& where);
  // A change that is waiting to be written.
  struct Job {
    Sync sync;
    const std::function<void(soci::session&)>* change;
    std::exception_ptr problem;
    bool done = false;
  };
  void commit(const std::vector<Job*>& jobs);
  void run_job(soci::session& session, Job* job);
  void with_session(const std::function<void(soci::session&)>& work);
  void begin(soci::session& session, Sync sync);

  bool is_postgresql_;
  std::string name_;
  std::unique_ptr<soci::connection_pool> pool_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable written_;
  std::vector<Job*> waiting_;
  bool is_writing_ = false;
};

}  // namespace manyverbs
