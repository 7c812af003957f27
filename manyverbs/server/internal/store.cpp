// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/store.h"

#include <soci/soci.h>

#include "manyverbs/server/internal/meta.h"
#include "manyverbs/server/internal/secrets.h"

namespace manyverbs {
namespace {

using soci::into;
using soci::session;
using soci::use;
using Sync = Database::Sync;

}  // namespace

AnnotationStore::AnnotationStore(const std::string& database, const AnnotationProject& project)
    : server_(new_token().substr(0, 16)), database_(database) {
  add_tasks(project);
}

void AnnotationStore::add_tasks(const AnnotationProject& project) {
  const std::string stamp = tasks_stamp(project);
  database_.write(Sync::Now, [&](session& sql) {
    project_id_ = meta_value(sql, "project");
    if (project_id_.empty()) {
      project_id_ = new_token().substr(0, 16);
      set_meta_value(sql, "project", project_id_);
    }
    std::string secret = meta_value(sql, "gold");
    if (secret.empty()) {
      secret = new_token();
      set_meta_value(sql, "gold", secret);
    }
    gold_ = GoldAssignment(project.gold, secret);
    const std::string kept = meta_value(sql, "tasks");
    if (kept == stamp) return;
    if (!kept.empty()) {
      throw Error(
          "{}: contains answers to other tasks than those of {}; use a separate database "
          "for each project",
          database_.name(), project.folder.string());
    }
    int task = 0;
    soci::statement insert =
        (sql.prepare << "INSERT INTO tasks (task, answered, load) VALUES (:task, 0, 0)", use(task));
    for (const AnnotationTask& each : project.tasks) {
      task = each.number;
      insert.execute(true);
    }
    set_meta_value(sql, "tasks", stamp);
  });
}

std::string AnnotationStore::pseudonym_secret() {
  std::string secret;
  database_.write(Sync::Now, [&](session& sql) {
    secret = meta_value(sql, "pseudonyms");
    if (!secret.empty()) return;
    secret = new_token();
    set_meta_value(sql, "pseudonyms", secret);
  });
  return secret;
}

AnnotationSettings AnnotationStore::settings() {
  AnnotationSettings settings;
  database_.read([&](session& sql) { settings = settings_of(sql); });
  return settings;
}

void AnnotationStore::set_settings(const AnnotationSettings& settings, const Author& by) {
  database_.write(Sync::Now, [&](session& sql) {
    const Json before = settings_json(settings_of(sql));
    const std::string changes = differences(before, settings_json(settings));
    if (changes.empty()) return;
    set_meta_value(sql, "settings", settings_json(settings).dump());
    record(sql, by, "changed settings", "", changes);
  });
}

void AnnotationStore::add_practised_clip(int person, int task) {
  database_.write(Sync::Later, [&](session& sql) {
    sql << "INSERT INTO practice (person, task) VALUES (:person, :task) ON CONFLICT DO NOTHING",
        use(person), use(task);
  });
}

std::set<int> AnnotationStore::practised_clips(int person) {
  std::set<int> clips;
  database_.read([&](session& sql) {
    int task = 0;
    soci::statement rows = (sql.prepare << "SELECT task FROM practice WHERE person = :person",
                            into(task), use(person));
    rows.execute();
    while (rows.fetch()) clips.insert(task);
  });
  return clips;
}

void AnnotationStore::set_practised(int person) {
  database_.write(Sync::Later, [&](session& sql) {
    sql << "UPDATE people SET practised = 1 WHERE id = :person", use(person);
  });
}

void AnnotationStore::note(const Author& by, const std::string& action, const std::string& subject,
                           const std::string& details) {
  database_.write(Sync::Now, [&](session& sql) { record(sql, by, action, subject, details); });
}

std::vector<LogEntry> AnnotationStore::log(int from, int most) {
  std::vector<LogEntry> entries;
  database_.read([&](session& sql) { entries = log_entries(sql, from, most); });
  return entries;
}

std::vector<std::string> AnnotationStore::former_names() {
  std::vector<std::string> names;
  database_.read([&](session& sql) {
    const soci::rowset<std::string> rows =
        (sql.prepare << "SELECT subject FROM log WHERE action IN ('invited', 'renamed', 'removed') "
                        "UNION SELECT details FROM log WHERE action = 'renamed' "
                        "EXCEPT SELECT name FROM people ORDER BY 1");
    names.assign(rows.begin(), rows.end());
  });
  return names;
}

int AnnotationStore::log_size() {
  int size = 0;
  database_.read([&](session& sql) { size = manyverbs::log_size(sql); });
  return size;
}

}  // namespace manyverbs
