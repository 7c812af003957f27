// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace soci {
class session;
}

namespace manyverbs {

/// Statements on assigned clips that several parts of the store need.

/// Returns all clips that are assigned to a person, so that others can get them.
void return_leases(soci::session& sql, int person);

/// Returns one of them.
void give_back(soci::session& sql, int person, int task);

/// An SQL query for the clips that are not assigned to a person because they do not play, or
/// because the leader has decided them. A clip does not play if this person reported it, or as many
/// people as a clip needs did. Both are few clips, so the list is short.
std::string unavailable(int person, int people);

}  // namespace manyverbs
