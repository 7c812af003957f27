// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "manyverbs/server/internal/times.h"
#include "manyverbs/support/internal/json.h"

namespace soci {
class session;
}  // namespace soci

namespace manyverbs {

/// The log of what leaders did: who changed what, and when. The database accepts new entries only;
/// they cannot be changed or deleted.

/// Who makes a change: the name of a leader, kCommandLine, or kServer.
struct Author {
  std::string name;
  Time now = 0;
};
inline constexpr const char* kCommandLine = "(command line)";
inline constexpr const char* kServer = "(server)";

struct LogEntry {
  Time time = 0;
  std::string who;
  std::string action;   ///< "excluded"
  std::string subject;  ///< a person, a leader or a clip: "Ann", "clip 12"; may be empty
  std::string details;  ///< "people: 3 to 5"; may be empty
  int id = 0;           ///< from 1, the oldest

  bool operator==(const LogEntry&) const = default;
};

/// Adds an entry in the transaction of the change, so that there is never one without the other:
///
///   database_.write(Sync::Now, [&](session& sql) {
///     sql << "UPDATE people SET state = 'paused' WHERE id = 7";
///     record(sql, by, "paused", "Ann");
///   });
void record(soci::session& sql, const Author& by, const std::string& action,
            const std::string& subject = "", const std::string& details = "");

/// The newest entries first, at most `most`, after skipping `from` of them.
std::vector<LogEntry> log_entries(soci::session& sql, int from, int most);
/// The number of entries.
int log_size(soci::session& sql);

/// {"id": 7, "time": "2026-01-31T14:03:21Z", "who": …, "action": …, "subject": …, "details": …}
Json log_json(const LogEntry& entry);

/// What differs between two JSON objects, for the details of an entry: "people: 3 to 5, order:
/// complete to informative"; "" if nothing does.
std::string differences(const Json& before, const Json& after);

}  // namespace manyverbs
