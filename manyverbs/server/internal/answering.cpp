// SPDX-License-Identifier: MIT
//
// Saves answers and reports of people.
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

// How long the way of an answer to the server takes at most; its age does not contain it.
constexpr Time kLongestWay = 10'000;

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
  std::string state;
  sql << "SELECT state FROM people WHERE id = :person", into(state), use(person);
  if (!sql.got_data()) throw HttpError(404, "person {} does not exist", person);
  if (state == "excluded" || state == "removed") {
    throw HttpError(403, "you no longer take part in this project");
  }
}

void forget_report(session& sql, int person, int task) {
  sql << "DELETE FROM reports WHERE person = :person AND task = :task", use(person), use(task);
}

bool is_stored(session& sql, int person, int task, const Answer& answer) {
  const std::vector<AnswerRow> rows =
      select_answers(sql, fmt::format("WHERE person = {} AND task = {}", person, task));
  return std::any_of(rows.begin(), rows.end(),
                     [&](const AnswerRow& row) { return row.stored.answer == answer; });
}

// Saves another answer than the current one: the one that was given later counts. Those of one
// device arrive in the order in which they were given, though the second may seem earlier if the
// first one took long.
void save_another(session& sql, const AnswerRow& before, const Answer& answer, Time given,
                  Time age) {
  const int person = before.stored.person;
  const int task = before.stored.task;
  const bool earlier = age > 0 && given < before.stored.time;
  if (earlier && is_stored(sql, person, task, answer)) return;  // it was sent twice
  // An answer that did not wait seems earlier only if the clock of a server was set back.
  const bool waited = age > kLongestWay;
  if (waited && given < before.stored.time - kLongestWay) {
    insert_answer(sql, person, task, before.position, answer, given, false);
    return;
  }
  sql << "UPDATE answers SET latest = 0 WHERE person = :person AND task = :task AND latest = 1",
      use(person), use(task);
  insert_answer(sql, person, task, before.position, answer, std::max(given, before.stored.time));
}

}  // namespace

AnnotatorProgress AnnotationStore::save(int person, int task, const Answer& answer, Time now,
                                        Time age) {
  const Time given = now - age;
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
      insert_answer(sql, person, task, position, answer, given);
      count_first_answer(sql, person, task, held);
    } else if (before->stored.answer != answer) {
      save_another(sql, *before, answer, given, age);
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

}  // namespace manyverbs
