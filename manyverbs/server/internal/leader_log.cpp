// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/leader_log.h"

#include <soci/soci.h>

namespace manyverbs {

using soci::into;
using soci::use;

void record(soci::session& sql, const Author& by, const std::string& action,
            const std::string& subject, const std::string& details) {
  const long long time = by.now;
  long long id = 0;
  sql << "SELECT COALESCE(MAX(id), 0) + 1 FROM log", into(id);
  sql << "INSERT INTO log (id, time, who, action, subject, details) "
         "VALUES (:id, :time, :who, :action, :subject, :details)",
      use(id), use(time), use(by.name), use(action), use(subject), use(details);
}

std::vector<LogEntry> log_entries(soci::session& sql, int from, int most) {
  LogEntry entry;
  long long time = 0;
  soci::statement rows = (sql.prepare << "SELECT id, time, who, action, subject, details FROM log "
                                         "ORDER BY id DESC LIMIT :most OFFSET :from",
                          into(entry.id), into(time), into(entry.who), into(entry.action),
                          into(entry.subject), into(entry.details), use(most), use(from));
  rows.execute();
  std::vector<LogEntry> entries;
  while (rows.fetch()) {
    entry.time = time;
    entries.push_back(entry);
  }
  return entries;
}

int log_size(soci::session& sql) {
  int size = 0;
  sql << "SELECT COUNT(*) FROM log", into(size);
  return size;
}

Json log_json(const LogEntry& entry) {
  return {{"id", entry.id},         {"time", time_text(entry.time)}, {"who", entry.who},
          {"action", entry.action}, {"subject", entry.subject},      {"details", entry.details}};
}

std::string differences(const Json& before, const Json& after) {
  const auto text = [](const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  std::string list;
  for (const auto& [key, value] : after.items()) {
    const Json old = before.contains(key) ? before.at(key) : Json();
    if (old == value) continue;
    list += fmt::format("{}{}: {} to {}", list.empty() ? "" : ", ", key, text(old), text(value));
  }
  return list;
}

}  // namespace manyverbs
