// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "manyverbs/server/internal/times.h"

namespace soci {
class session;
}  // namespace soci

namespace manyverbs {

/// The clock by which assigned clips are returned, in the table clocks. It advances by the time
/// that passes on the clocks of the servers, and does not jump with them: if one is set forward by
/// hours, it advances by one step, and if one is set back, it goes on from there. Servers whose
/// clocks differ agree on it. While nobody uses a server, it advances by one step only.

/// Advances the clock, in the transaction of the caller, and returns it, in milliseconds. `server`
/// names the server, `now` is the time on its own clock, `step` the most that may pass at once.
///
///   advance_lease_clock(sql, "a", 1000, 60)   1000, the first call of all
///   advance_lease_clock(sql, "a", 1050, 60)   1050
///   advance_lease_clock(sql, "a", 9000, 60)   1110
Time advance_lease_clock(soci::session& sql, const std::string& server, Time now, Time step);

}  // namespace manyverbs
