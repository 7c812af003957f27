// SPDX-License-Identifier: MIT
//
// Sessions of annotators.
#include <soci/soci.h>

#include "manyverbs/server/internal/store.h"

namespace manyverbs {
namespace {

using soci::into;
using soci::session;
using soci::use;
using Sync = Database::Sync;

}  // namespace

std::optional<Person> AnnotationStore::join(const std::string& link_hash, const std::string& key,
                                            const std::string& before, Time now) {
  std::optional<Person> person;
  const long long time = now;
  const long long oldest = now - kLongestSession;
  database_.write(Sync::Now, [&](session& sql) {
    int id = 0;
    sql << "SELECT id FROM people WHERE link = :link AND link_used = 0 AND link_expires > :now",
        into(id), use(link_hash), use(time);
    if (!sql.got_data()) return;
    person = require_person(sql, id, now);
    if (person->state == PersonState::Excluded) return;
    sql << "UPDATE people SET link_used = 1 WHERE id = :id", use(id);
    sql << "DELETE FROM sessions WHERE opened < :oldest", use(oldest);
    sql << "DELETE FROM sessions WHERE key = :before AND person > 0", use(before);
    sql << "INSERT INTO sessions (key, person, opened) VALUES (:key, :person, :opened)", use(key),
        use(id), use(time);
  });
  return person;
}

std::optional<int> AnnotationStore::session_person(const std::string& key, Time now) {
  const long long oldest = now - kLongestSession;
  std::optional<int> person;
  database_.read([&](session& sql) {
    int found = 0;
    sql << "SELECT person FROM sessions WHERE key = :key AND person > 0 AND opened >= :oldest",
        into(found), use(key), use(oldest);
    if (sql.got_data()) person = found;
  });
  return person;
}

void AnnotationStore::close_session(const std::string& key) {
  database_.write(Sync::Now, [&](session& sql) {
    sql << "DELETE FROM sessions WHERE key = :key AND person > 0", use(key);
  });
}

}  // namespace manyverbs
