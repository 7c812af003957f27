// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/lease_clock.h"

#include <soci/soci.h>

#include <algorithm>

namespace manyverbs {
namespace {

using soci::into;
using soci::use;

// Requests may reach the database in another order than their times; a clock that was set back
// differs by more.
constexpr Time kDisorder = 60'000;
constexpr long long kForgottenServer = 86'400'000;

void add_server(soci::session& sql, const std::string& server, long long wall, long long clock) {
  const long long oldest = clock - kForgottenServer;
  sql << "DELETE FROM clocks WHERE clock < :oldest", use(oldest);
  sql << "INSERT INTO clocks (server, wall, clock) VALUES (:server, :wall, :clock)", use(server),
      use(wall), use(clock);
}

}  // namespace

Time advance_lease_clock(soci::session& sql, const std::string& server, Time now, Time step) {
  const long long wall = now;
  long long latest = 0;
  sql << "SELECT COALESCE(MAX(clock), 0) FROM clocks", into(latest);
  long long own_wall = 0;
  long long own_clock = 0;
  sql << "SELECT wall, clock FROM clocks WHERE server = :server", into(own_wall), into(own_clock),
      use(server);
  if (!sql.got_data()) {
    if (latest == 0) latest = wall;
    add_server(sql, server, wall, latest);
    return latest;
  }
  if (wall < own_wall && own_wall - wall < kDisorder) return latest;
  const long long passed = std::clamp<long long>(wall - own_wall, 0, step);
  long long clock = own_clock + passed;
  // Otherwise each server goes on by itself, so that small differences between them do not add up.
  const bool jumped = passed != wall - own_wall;
  if (jumped) clock = std::max(latest, clock);
  sql << "UPDATE clocks SET wall = :wall, clock = :clock WHERE server = :server", use(wall),
      use(clock), use(server);
  return std::max(latest, clock);
}

}  // namespace manyverbs
