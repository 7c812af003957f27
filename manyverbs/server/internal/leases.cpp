// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/leases.h"

#include <soci/soci.h>

#include <fmt/format.h>

namespace manyverbs {

void return_leases(soci::session& sql, int person) {
  sql << "UPDATE tasks SET load = load - 1 WHERE task IN "
         "(SELECT task FROM leases WHERE person = :person AND held = 1)",
      soci::use(person);
  sql << "UPDATE leases SET held = 0 WHERE person = :person AND held = 1", soci::use(person);
}

void give_back(soci::session& sql, int person, int task) {
  sql << "UPDATE leases SET held = 0 WHERE person = :person AND task = :task", soci::use(person),
      soci::use(task);
  sql << "UPDATE tasks SET load = load - 1 WHERE task = :task", soci::use(task);
}

std::string unavailable(int person, int people) {
  return fmt::format(
      "(SELECT task FROM reports WHERE person = {} UNION SELECT task FROM reports, people "
      "WHERE person = people.id AND state <> 'excluded' GROUP BY task HAVING COUNT(*) >= {} "
      "UNION SELECT task FROM decisions WHERE latest = 1)",
      person, people);
}

}  // namespace manyverbs
