// SPDX-License-Identifier: MIT
//
// Decisions of the leader about clips.
#include <soci/soci.h>

#include "manyverbs/server/internal/answer_rows.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {
namespace {

using soci::into;
using soci::session;
using soci::use;
using Sync = Database::Sync;

std::vector<Decision> select_decisions(session& sql, const std::string& condition) {
  Decision decision;
  std::string labels;
  long long time = 0;
  int latest = 0;
  soci::statement rows =
      (sql.prepare << "SELECT task, labels, reason, decided_at, latest "
                      "FROM decisions " +
                          condition,
       into(decision.task), into(labels), into(decision.reason), into(time), into(latest));
  rows.execute();
  std::vector<Decision> found;
  while (rows.fetch()) {
    decision.labels = parted(labels);
    decision.time = time;
    decision.current = latest != 0;
    found.push_back(decision);
  }
  return found;
}

void insert_decision(session& sql, const Decision& decision) {
  const std::string labels = joined(decision.labels);
  const long long time = decision.time;
  int id = 0;
  sql << "SELECT COALESCE(MAX(id), 0) + 1 FROM decisions", into(id);
  sql << "INSERT INTO decisions (id, task, labels, reason, decided_at, latest) "
         "VALUES (:id, :task, :labels, :reason, :time, 1)",
      use(id), use(decision.task), use(labels), use(decision.reason), use(time);
}

// A person who has the clip gets another one.
void take_back(session& sql, int task) {
  sql << "UPDATE tasks SET load = load - (SELECT COUNT(*) FROM leases WHERE task = :task "
         "AND held = 1) WHERE task = :same_task",
      use(task, "task"), use(task, "same_task");
  sql << "UPDATE leases SET held = 0 WHERE task = :task AND held = 1", use(task);
}

void end_decision(session& sql, int task) {
  sql << "UPDATE decisions SET latest = 0 WHERE task = :task AND latest = 1", use(task);
}

}  // namespace

void AnnotationStore::decide(Decision decision, const Author& by) {
  decision.time = by.now;
  database_.write(Sync::Now, [&](session& sql) {
    const std::vector<Decision> before =
        select_decisions(sql, fmt::format("WHERE task = {} AND latest = 1", decision.task));
    // A page that did not get the reply sends the decision again.
    const bool is_same = !before.empty() && before.front().labels == decision.labels &&
                         before.front().reason == decision.reason;
    if (is_same) return;
    end_decision(sql, decision.task);
    insert_decision(sql, decision);
    take_back(sql, decision.task);
    record(sql, by, decision.leaves_out() ? "left out" : "settled",
           fmt::format("clip {}", decision.task), decision.reason);
  });
}

void AnnotationStore::undo_decision(int task, const Author& by) {
  database_.write(Sync::Now, [&](session& sql) {
    const std::string in_force = fmt::format("WHERE task = {} AND latest = 1", task);
    if (select_decisions(sql, in_force).empty()) return;
    end_decision(sql, task);
    record(sql, by, "undid the decision", fmt::format("clip {}", task));
  });
}

std::vector<Decision> AnnotationStore::decisions() {
  std::vector<Decision> decisions;
  database_.read([&](session& sql) { decisions = select_decisions(sql, "ORDER BY id"); });
  return decisions;
}

}  // namespace manyverbs
