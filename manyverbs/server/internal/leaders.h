// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/server/internal/database.h"
#include "manyverbs/server/internal/leader_log.h"
#include "manyverbs/server/internal/times.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Active: has a password. The others have only a set-up link, which may have expired.
enum class LeaderState { Active, Invited, Expired };
/// "active", "invited" or "expired".
std::string_view leader_state_name(LeaderState state);

struct Leader {
  int id = 0;
  std::string name;
  LeaderState state = LeaderState::Active;
  std::optional<Time> last_seen = {};

  bool operator==(const Leader&) const = default;
};

/// The accounts of the leaders of a project. A set-up link, valid for 7 days, lets a leader choose
/// a password, once. The links that servers print before there is a leader let somebody create the
/// first one, and become invalid then. Passwords, links and cookies are stored as hashes, which the
/// caller makes. Functions with an Author add an entry to the log.
class Leaders {
 public:
  explicit Leaders(Database* database) : database_(database) {}

  /// Whether a leader has a password. After the first one has, this stays true.
  bool exist();
  std::vector<Leader> all(Time now);

  /// Adds a set-up link for the first leader; does nothing if a leader has a password.
  void add_first_link(const std::string& hash);
  /// Adds a leader with a set-up link. Throws HttpError (409) if there is one with this name.
  Leader invite(const std::string& name, const std::string& link_hash, const Author& by);
  /// Replaces the set-up link of a leader. A password stays valid until the new one is set. Throws
  /// HttpError (404) if the leader does not exist.
  Leader set_link(int leader, const std::string& link_hash, const Author& by);
  /// Deletes a leader and their sessions. Throws HttpError: 404 if the leader does not exist, 409
  /// if nobody else has a password.
  void remove(int leader, const Author& by);

  /// Whose link it is: nothing if it is unknown, used or expired. The name of the first leader,
  /// whom nobody has named yet, is empty.
  struct Invitee {
    std::optional<std::string> name;
  };
  std::optional<Invitee> invitee(const std::string& link_hash, Time now);
  /// Uses up a set-up link: sets the password, ends the sessions of the leader, and opens one with
  /// the key `session`. `name` is for the first leader only. Nothing if the link is unknown, used
  /// or expired: of several calls with one link, one gets the leader.
  std::optional<Leader> set_up(const std::string& link_hash, const std::string& name,
                               const std::string& password_hash, const std::string& session,
                               Time now);

  struct Account {
    Leader leader;
    std::string password;  ///< the hash, or ""
  };
  std::optional<Account> find(const std::string& name, Time now);
  /// Opens a session unless the account was removed, or its password changed, meanwhile: then
  /// returns false.
  bool sign_in(const Account& account, const std::string& session, Time now);
  /// Sets the password and ends all other sessions of the leader.
  void set_password(int leader, const std::string& password_hash, const std::string& session,
                    const Author& by);
  /// Sets the password of the leader with this name, who is created if necessary, and remembers the
  /// hash as that of the command line.
  void set_password_of(const std::string& name, const std::string& password_hash, const Author& by);
  /// The hash that set_password_of() was last called with, or "". A server that is started again
  /// with the same password must not undo what leaders have changed.
  std::string command_line_password();
  void remember_command_line_password(const std::string& password_hash);

  /// The leader of a session. Sessions end after 7 days.
  std::optional<Leader> of_session(const std::string& session, Time now);
  void close_session(const std::string& session);
  void seen(int leader, Time now);

 private:
  Database* database_;
};

/// {"id": 2, "name": "Ben", "state": "active", "last_seen": …, "you": true}
Json leader_json(const Leader& leader, int you);

}  // namespace manyverbs
