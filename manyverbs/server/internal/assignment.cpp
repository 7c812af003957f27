// SPDX-License-Identifier: MIT
//
// Assigns clips to people. Every change is a transaction, and transactions are serialised, so a
// clip is never assigned to more people than it needs.
#include <soci/soci.h>

#include <algorithm>

#include <fmt/format.h>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/lease_clock.h"
#include "manyverbs/server/internal/leases.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {
namespace {

using soci::into;
using soci::session;
using soci::use;
using Sync = Database::Sync;

constexpr int kAssignedAtOnce = 2;  // one to show, one to preload
constexpr long long kMinute = 60'000;

PersonState state_of(session& sql, int person) {
  std::string state;
  sql << "SELECT state FROM people WHERE id = :person", into(state), use(person);
  if (!sql.got_data()) throw HttpError(404, "person {} does not exist", person);
  return find_state(state);
}

// Returns the clips of people who have been inactive for too long. `now` is by the lease clock.
void return_forgotten(session& sql, int hold_minutes, Time now) {
  const long long oldest = now - hold_minutes * kMinute;
  int away = 0;
  sql << "SELECT COUNT(*) FROM leases, people "
         "WHERE held = 1 AND person = people.id AND active < :oldest",
      into(away), use(oldest);
  if (away == 0) return;
  sql << "UPDATE tasks SET load = load - "
         "(SELECT COUNT(*) FROM leases, people WHERE leases.task = tasks.task AND held = 1 "
         "AND person = people.id AND active < :oldest) "
         "WHERE task IN (SELECT leases.task FROM leases, people WHERE held = 1 "
         "AND person = people.id AND active < :same_oldest)",
      use(oldest, "oldest"), use(oldest, "same_oldest");
  sql << "UPDATE leases SET held = 0 WHERE held = 1 AND person IN "
         "(SELECT id FROM people WHERE active < :oldest)",
      use(oldest);
}

// Returns the clips of this person that enough others have answered in the meantime.
void return_complete(session& sql, int person, int people) {
  sql << "UPDATE tasks SET load = load - 1 WHERE answered >= :people AND task IN "
         "(SELECT task FROM leases WHERE person = :person AND held = 1)",
      use(people, "people"), use(person, "person");
  sql << "UPDATE leases SET held = 0 WHERE person = :person AND held = 1 AND task IN "
         "(SELECT task FROM tasks WHERE answered >= :people)",
      use(person, "person"), use(people, "people");
}

std::vector<int> held_tasks(session& sql, int person) {
  int task = 0;
  soci::statement rows = (sql.prepare << "SELECT task FROM leases WHERE person = :person "
                                         "AND held = 1 ORDER BY given, task",
                          into(task), use(person));
  rows.execute();
  std::vector<int> tasks;
  while (rows.fetch()) tasks.push_back(task);
  return tasks;
}

// An SQL query for the clips that a person can get, the one with the highest load first. Equal ones
// are ordered by number, or at random: the numbers then look like those of gold clips.
std::string free_tasks(int person, int people, bool random) {
  constexpr int kPrime = 1'000'003;  // a factor below it permutes the numbers from 0 to kPrime - 1
  const std::string order =
      random ? fmt::format("CAST(task AS BIGINT) * {} % {}", 611'953 + person % 1000, kPrime)
             : "task";
  return fmt::format(
      "SELECT task, load FROM tasks WHERE load < {1} AND task NOT IN {2} "
      "AND NOT EXISTS (SELECT 1 FROM answers WHERE answers.person = {0} "
      "AND answers.task = tasks.task AND latest = 1) "
      "AND NOT EXISTS (SELECT 1 FROM leases WHERE leases.person = {0} "
      "AND leases.task = tasks.task AND held = 1) ORDER BY load DESC, {3}",
      person, people, unavailable(person, people), order);
}

// The next clip for a person; 0 if there is none.
int first_free_task(session& sql, const std::string& free_tasks) {
  int task = 0;
  int load = 0;
  sql << free_tasks + " LIMIT 1", into(task), into(load);
  return sql.got_data() ? task : 0;
}

// The next clip by its value; equal ones in the order of free_tasks(). 0 if there is none.
int most_valuable_task(session& sql, const std::string& free_tasks, const ClipValues& values) {
  int task = 0;
  int load = 0;
  soci::statement rows = (sql.prepare << free_tasks, into(task), into(load));
  rows.execute();
  int best = 0;
  double most = -1;
  while (rows.fetch()) {
    const auto found = values.find(task);
    const double value = found == values.end() ? 0 : found->second.at(load);
    if (value <= most) continue;
    most = value;
    best = task;
  }
  return best;
}

// `given` orders the clips of one person.
void give(session& sql, int person, int task, long long given) {
  sql << "DELETE FROM leases WHERE person = :person AND task = :task", use(person), use(task);
  sql << "INSERT INTO leases (person, task, given, held) VALUES (:person, :task, :given, 1)",
      use(person), use(task), use(given);
  sql << "UPDATE tasks SET load = load + 1 WHERE task = :task", use(task);
}

int answered_by(session& sql, int person) {
  int done = 0;
  sql << "SELECT COUNT(*) FROM answers WHERE person = :person AND latest = 1", into(done),
      use(person);
  return done;
}

// Returns assigned clips beyond the quota of a person, which the leader may have reduced.
void return_beyond_quota(session& sql, int person, std::size_t most, std::vector<int>* held) {
  for (; held->size() > most; held->pop_back()) give_back(sql, person, held->back());
}

// Whether clips assigned to others may become available to this person.
bool may_come_back(session& sql, int person, int people) {
  int clips = 0;
  sql << "SELECT COUNT(*) FROM tasks WHERE answered < :people AND task NOT IN " +
             unavailable(person, people) +
             " AND NOT EXISTS (SELECT 1 "
             "FROM answers WHERE answers.person = :person AND answers.task = tasks.task "
             "AND latest = 1)",
      into(clips), use(people, "people"), use(person, "person");
  return clips > 0;
}

}  // namespace

AnnotatorProgress AnnotationStore::progress_in(session& sql, int person,
                                               const AnnotationSettings& settings, Time now) const {
  const int people = settings.people;
  const int done = answered_by(sql, person);
  if (settings.is_over(now)) return {done, done};
  int open = 0;
  int answered = 0;
  int held = 0;
  int held_open = 0;
  const std::string is_open = "load < :people AND tasks.task NOT IN " + unavailable(person, people);
  sql << "SELECT COUNT(*) FROM tasks WHERE " + is_open, into(open), use(people);
  sql << "SELECT COUNT(*) FROM answers, tasks WHERE person = :person AND latest = 1 "
         "AND tasks.task = answers.task AND " +
             is_open,
      into(answered), use(person, "person"), use(people, "people");
  sql << "SELECT COUNT(*), COALESCE(SUM(CASE WHEN " + is_open +
             " THEN 1 ELSE 0 END), 0) "
             "FROM leases, tasks WHERE person = :person AND held = 1 AND tasks.task = leases.task",
      into(held), into(held_open), use(people, "people"), use(person, "person");
  const int others = open - answered - held_open;
  const int total = done + held + others + gold_.held_and_to_come(sql, person, settings, others);
  return {done, settings.quota > 0 ? std::min(total, std::max(done, settings.quota)) : total};
}

AnnotationStore::Assignment AnnotationStore::next_tasks(int person, Time now,
                                                        const ClipValues& values) {
  Assignment held;
  // Synced at once: after a crash, an answer to a clip without a stored lease would be rejected.
  database_.write(Sync::Now, [&](session& sql) {
    const AnnotationSettings rules = settings_of(sql);
    const PersonState state = state_of(sql, person);
    const Time clock = note_seen(sql, person, now);
    return_forgotten(sql, rules.hold_minutes, clock);
    if (rules.is_over(now)) {
      return_leases(sql, person);
      held.over = Over::Closed;
    } else if (state == PersonState::Active) {
      return_complete(sql, person, rules.people);
      held.tasks = held_tasks(sql, person);
      int most = kAssignedAtOnce;
      if (rules.quota > 0) most = std::clamp(rules.quota - answered_by(sql, person), 0, most);
      return_beyond_quota(sql, person, most, &held.tasks);
      if (most == 0) held.over = Over::Quota;
      while (std::ssize(held.tasks) < most) {
        const std::string free = free_tasks(person, rules.people, !gold_.is_empty());
        const int other = rules.order == ClipOrder::Complete
                              ? first_free_task(sql, free)
                              : most_valuable_task(sql, free, values);
        if (other == 0) break;
        const int gold = gold_.next(sql, person, rules);
        const int task = gold > 0 ? gold : other;
        give(sql, person, task, clock + std::ssize(held.tasks));
        held.tasks.push_back(task);
      }
    }
    held.progress = progress_in(sql, person, rules, now);
    held.waiting =
        held.over == Over::No && held.tasks.empty() && may_come_back(sql, person, rules.people);
  });
  return held;
}

Time AnnotationStore::note_seen(session& sql, int person, Time now) const {
  const Time hold = settings_of(sql).hold_minutes * kMinute;
  const long long time = now;
  // A jump of the server's clock is less than the time after which clips are returned.
  const long long clock = advance_lease_clock(sql, server_, now, hold / 3);
  sql << "UPDATE people SET last_seen = :now, active = :clock WHERE id = :person", use(time, "now"),
      use(clock, "clock"), use(person, "person");
  return clock;
}

void AnnotationStore::seen(int person, Time now) {
  database_.write(Sync::Later, [&](session& sql) { note_seen(sql, person, now); });
}

AnnotatorProgress AnnotationStore::progress(int person, Time now) {
  AnnotatorProgress progress;
  database_.read([&](session& sql) { progress = progress_in(sql, person, settings_of(sql), now); });
  return progress;
}

std::vector<AnnotationStore::Count> AnnotationStore::counts(const std::string& query) {
  std::vector<Count> counts;
  database_.read([&](session& sql) {
    Count count;
    soci::statement rows =
        (sql.prepare << query, into(count.task), into(count.answered), into(count.load));
    rows.execute();
    while (rows.fetch()) counts.push_back(count);
  });
  return counts;
}

std::vector<AnnotationStore::Count> AnnotationStore::kept_counts() {
  return counts("SELECT task, answered, load FROM tasks ORDER BY task");
}

std::vector<AnnotationStore::Count> AnnotationStore::true_counts() {
  const std::string answered =
      "(SELECT COUNT(*) FROM answers, people WHERE answers.task = tasks.task AND latest = 1 "
      "AND answers.person = people.id AND state <> 'excluded')";
  const std::string held =
      "(SELECT COUNT(*) FROM leases WHERE leases.task = tasks.task AND held = 1)";
  return counts(
      fmt::format("SELECT task, {}, {} + {} FROM tasks ORDER BY task", answered, answered, held));
}

}  // namespace manyverbs
