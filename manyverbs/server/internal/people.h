// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "manyverbs/server/internal/times.h"

namespace soci {
class session;
}  // namespace soci

namespace manyverbs {

/// The annotators of a project.

/// Removed: the person was deleted, but their answers count, under the name "former annotator 7".
enum class PersonState { Active, Paused, Excluded, Removed };
/// "active", "paused", "excluded" or "removed".
std::string_view state_name(PersonState state);
/// Throws HttpError (400) for an unknown name.
PersonState find_state(std::string_view name);

/// A personal link signs in one device, once.
enum class LinkState { Open, Used, Expired };
/// "open", "used" or "expired".
std::string_view link_state_name(LinkState state);

/// An annotator.
struct Person {
  int id = 0;
  std::string name;
  PersonState state = PersonState::Active;
  bool practised = false;
  std::optional<Time> last_seen;  ///< empty until the link is opened
  /// "gold" if the person is paused because of their answers to gold clips; otherwise ""
  std::string paused_for = {};
  LinkState link = LinkState::Used;
  int devices = 0;  ///< that are signed in
};

/// Sessions of annotators end after this time.
inline constexpr Time kLongestSession = 180 * Time{86'400'000};

/// The person with this number, in the transaction of the caller. Throws HttpError (404) if they
/// do not exist or were removed.
Person require_person(soci::session& sql, int id, Time now);

}  // namespace manyverbs
