// SPDX-License-Identifier: MIT
//
// Assigns clips to people. Every change is a transaction, and transactions are serialised, so a
// clip is never assigned to more people than it needs.
#include <soci/soci.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/answer_rows.h"
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

AnnotationSettings settings_of(session& sql) {
  std::string text;
  sql << "SELECT value FROM meta WHERE key = 'settings'", into(text);
  return settings_in(text);
}

PersonState state_of(session& sql, int person) {
  std::string state;
  sql << "SELECT state FROM people WHERE id = :person", into(state), use(person);
  if (!sql.got_data()) throw HttpError(404, "person {} does not exist", person);
  return find_state(state);
}

void note_seen(session& sql, int person, Time now) {
  const long long time = now;
  sql << "UPDATE people SET last_seen = :now WHERE id = :person", use(time), use(person);
}

// Returns the clips of people who have been inactive for too long.
void return_forgotten(session& sql, int hold_minutes, Time now) {
  const long long oldest = now - hold_minutes * kMinute;
  int away = 0;
  sql << "SELECT COUNT(*) FROM leases, people "
         "WHERE held = 1 AND person = people.id AND last_seen < :oldest",
      into(away), use(oldest);
  if (away == 0) return;
  sql << "UPDATE tasks SET load = load - "
         "(SELECT COUNT(*) FROM leases, people WHERE leases.task = tasks.task AND held = 1 "
         "AND person = people.id AND last_seen < :oldest) "
         "WHERE task IN (SELECT leases.task FROM leases, people WHERE held = 1 "
         "AND person = people.id AND last_seen < :same_oldest)",
      use(oldest, "oldest"), use(oldest, "same_oldest");
  sql << "UPDATE leases SET held = 0 WHERE held = 1 AND person IN "
         "(SELECT id FROM people WHERE last_seen < :oldest)",
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

void give_back(session& sql, int person, int task) {
  sql << "UPDATE leases SET held = 0 WHERE person = :person AND task = :task", use(person),
      use(task);
  sql << "UPDATE tasks SET load = load - 1 WHERE task = :task", use(task);
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

// Updates the counts for a first answer. It counts even if the lease has expired.
void count_first_answer(session& sql, int person, int task, bool held) {
  sql << "UPDATE leases SET held = 0 WHERE person = :person AND task = :task", use(person),
      use(task);
  const int more_load = held ? 0 : 1;
  sql << "UPDATE tasks SET answered = answered + 1, load = load + :more WHERE task = :task",
      use(more_load), use(task);
}

// Throws HttpError unless the person is not excluded and the clip was assigned to them. Returns
// whether the lease is active.
bool require_given(session& sql, int person, int task) {
  int held = 0;
  sql << "SELECT held FROM leases WHERE person = :person AND task = :task", into(held), use(person),
      use(task);
  if (!sql.got_data()) throw HttpError(403, "clip {} was not assigned to you", task);
  return held != 0;
}

void require_part(session& sql, int person) {
  if (state_of(sql, person) == PersonState::Excluded) {
    throw HttpError(403, "you no longer take part in this project");
  }
}

void forget_report(session& sql, int person, int task) {
  sql << "DELETE FROM reports WHERE person = :person AND task = :task", use(person), use(task);
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
    note_seen(sql, person, now);
    return_forgotten(sql, rules.hold_minutes, now);
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
        give(sql, person, task, now + std::ssize(held.tasks));
        held.tasks.push_back(task);
      }
    }
    held.progress = progress_in(sql, person, rules, now);
    held.waiting =
        held.over == Over::No && held.tasks.empty() && may_come_back(sql, person, rules.people);
  });
  return held;
}

AnnotatorProgress AnnotationStore::save(int person, int task, const Answer& answer, Time now) {
  AnnotatorProgress progress;
  database_.write(Sync::Now, [&](session& sql) {
    require_part(sql, person);
    note_seen(sql, person, now);
    const std::optional<AnswerRow> before = current_answer(sql, person, task);
    if (!before) {
      const bool held = require_given(sql, person, task);
      forget_report(sql, person, task);
      int position = 0;
      sql << "SELECT COALESCE(MAX(position), 0) + 1 FROM answers WHERE person = :person "
             "AND latest = 1",
          into(position), use(person);
      insert_answer(sql, person, task, position, answer, now);
      count_first_answer(sql, person, task, held);
    } else if (before->stored.answer != answer) {
      sql << "UPDATE answers SET latest = 0 WHERE person = :person AND task = :task "
             "AND latest = 1",
          use(person), use(task);
      insert_answer(sql, person, task, before->position, answer, now);
    }
    const AnnotationSettings rules = settings_of(sql);
    gold_.pause_if_failing(sql, person, task, rules, now);
    progress = progress_in(sql, person, rules, now);
  });
  return progress;
}

AnnotatorProgress AnnotationStore::report(int person, int task, Time now) {
  AnnotatorProgress progress;
  const long long time = now;
  database_.write(Sync::Now, [&](session& sql) {
    require_part(sql, person);
    note_seen(sql, person, now);
    const bool held = require_given(sql, person, task);
    if (!current_answer(sql, person, task)) {
      forget_report(sql, person, task);
      sql << "INSERT INTO reports (person, task, reported_at) VALUES (:person, :task, :time)",
          use(person), use(task), use(time);
      if (held) give_back(sql, person, task);
    }
    progress = progress_in(sql, person, settings_of(sql), now);
  });
  return progress;
}

std::vector<PlayReport> AnnotationStore::reports() {
  std::vector<PlayReport> reports;
  database_.read([&](session& sql) {
    PlayReport report;
    long long time = 0;
    soci::statement rows = (sql.prepare << "SELECT person, task, reported_at FROM reports "
                                           "ORDER BY reported_at, task, person",
                            into(report.person), into(report.task), into(time));
    rows.execute();
    while (rows.fetch()) {
      report.time = time;
      reports.push_back(report);
    }
  });
  return reports;
}

void AnnotationStore::forget_reports(int task, const Author& by) {
  database_.write(Sync::Now, [&](session& sql) {
    int reports = 0;
    sql << "SELECT COUNT(*) FROM reports WHERE task = :task", into(reports), use(task);
    if (reports == 0) return;
    sql << "DELETE FROM reports WHERE task = :task", use(task);
    record(sql, by, "deleted reports", fmt::format("clip {}", task),
           fmt::format("reports: {}", reports));
  });
}

std::optional<StoredAnswer> AnnotationStore::earlier(int person, int before) {
  std::optional<StoredAnswer> found;
  database_.read([&](session& sql) {
    const std::optional<AnswerRow> at = current_answer(sql, person, before);
    const int position = at ? at->position : std::numeric_limits<int>::max();
    const auto rows =
        select_answers(sql, fmt::format("WHERE person = {} AND position < {} AND latest = 1 "
                                        "ORDER BY position DESC LIMIT 1",
                                        person, position));
    if (!rows.empty()) found = rows.front().stored;
  });
  return found;
}

AnnotatorProgress AnnotationStore::progress(int person, Time now) {
  AnnotatorProgress progress;
  database_.read([&](session& sql) { progress = progress_in(sql, person, settings_of(sql), now); });
  return progress;
}

bool AnnotationStore::was_given(int person, int task) {
  int count = 0;
  database_.read([&](session& sql) {
    sql << "SELECT COUNT(*) FROM leases WHERE person = :person AND task = :task", into(count),
        use(person), use(task);
  });
  return count > 0;
}

std::vector<StoredAnswer> AnnotationStore::answers(int after) {
  std::vector<StoredAnswer> answers;
  database_.read([&](session& sql) {
    for (const AnswerRow& row :
         select_answers(sql, fmt::format("WHERE id > {} ORDER BY id", after))) {
      answers.push_back(row.stored);
    }
  });
  return answers;
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
