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

/// A database that cannot be reached or refuses what it is asked. The text is for whoever runs the
/// server, not for callers.
class DatabaseError : public Error {
 public:
  using Error::Error;
};

/// The tables of an annotation project, in an SQLite file or on a PostgreSQL server. Any number of
/// threads may call at once.
///
///   meta      key, value: schema, tasks, settings, password
///   people    id, name, link, state, practised, last_seen, invited
///   sessions  key, person (0: a leader), opened
///   tasks     task, answered, load (answered by people who count, and held by people at work)
///   leases    person, task, given, held (1 until answered or returned)
///   answers   id, person, task, position, chosen, …, latest (0 when a later one replaced it)
///   reports   person, task, reported_at: for this person the clip does not play
///
/// Times are milliseconds since 1970. Links, sessions and passwords are kept as hashes only.
class Database {
 public:
  /// A file, which only its owner may read from then on, or postgresql://USER@HOST/NAME. Makes the
  /// tables where there are none. Throws Error when it cannot be reached or was made by another
  /// version of the program.
  explicit Database(const std::string& where);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// When write() returns: the change is on disk, or the next change that is takes it along. A
  /// process that is killed loses neither.
  enum class Sync { Now, Later };

  /// A change that no other runs beside, whatever the number of servers. What several threads want
  /// changed at a time goes to disk at once, so a slow disk delays them but does not queue them.
  /// Nothing is changed when `change` throws. Both throw DatabaseError when the database does.
  void write(Sync sync, const std::function<void(soci::session&)>& change);
  void read(const std::function<void(soci::session&)>& look);

  /// Where it is, without a password.
  const std::string& name() const { return name_; }

 private:
  void open(std::size_t place, const std::string& where);
  void make_tables();
  // A change that a thread waits for.
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
  std::mutex mutex_;  // of those below
  std::condition_variable written_;
  std::vector<Job*> waiting_;
  bool is_writing_ = false;
};

}  // namespace manyverbs
