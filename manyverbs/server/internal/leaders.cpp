// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/leaders.h"

#include <soci/soci.h>

#include <array>
#include <limits>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/meta.h"
#include "manyverbs/server/internal/names.h"

namespace manyverbs {
namespace {

using soci::into;
using soci::session;
using soci::use;
using Sync = Database::Sync;

constexpr const char* kCommandLinePassword = "command_line_password";  // in meta
constexpr Time kWeek = 7 * Time{86'400'000};
constexpr std::array<std::string_view, 3> kLeaderStates = {"active", "invited", "expired"};

// All accounts, in the order in which they were added. There are few.
std::vector<Leaders::Account> accounts(session& sql, Time now) {
  int id = 0;
  std::string name;
  std::string password;
  long long last_seen = 0;
  int links = 0;
  const long long time = now;
  soci::statement rows =
      (sql.prepare << "SELECT id, name, password, last_seen, (SELECT COUNT(*) FROM setup_links "
                      "WHERE leader = leaders.id AND expires > :now) FROM leaders ORDER BY id",
       into(id), into(name), into(password), into(last_seen), into(links), use(time));
  rows.execute();
  std::vector<Leaders::Account> found;
  while (rows.fetch()) {
    const LeaderState without = links > 0 ? LeaderState::Invited : LeaderState::Expired;
    found.push_back({{id, name, password.empty() ? without : LeaderState::Active,
                      last_seen > 0 ? std::optional<Time>(last_seen) : std::nullopt},
                     password});
  }
  return found;
}

std::optional<Leaders::Account> account_named(session& sql, const std::string& name, Time now) {
  for (const Leaders::Account& each : accounts(sql, now)) {
    if (folded_name(each.leader.name) == folded_name(name)) return each;
  }
  return std::nullopt;
}

Leaders::Account require_account(session& sql, int id, Time now) {
  for (const Leaders::Account& each : accounts(sql, now)) {
    if (each.leader.id == id) return each;
  }
  throw HttpError(404, "leader {} does not exist", id);
}

int with_password(session& sql) {
  int count = 0;
  sql << "SELECT COUNT(*) FROM leaders WHERE password <> ''", into(count);
  return count;
}

// Names in parentheses stand for programs in the log.
std::string clean_leader_name(const std::string& text) {
  std::string name = clean_name(text);
  if (name.starts_with('(')) throw HttpError(400, "the name of a leader must not begin with '('");
  return name;
}

int insert_leader(session& sql, const std::string& name) {
  const int id = next_id(sql, "leaders");
  sql << "INSERT INTO leaders (id, name, password, last_seen) VALUES (:id, :name, '', 0)", use(id),
      use(name);
  return id;
}

void set_password_in(session& sql, int leader, const std::string& hash) {
  sql << "UPDATE leaders SET password = :hash WHERE id = :leader", use(hash), use(leader);
  // Those of the first leader (0) too: now there is one.
  sql << "DELETE FROM setup_links WHERE leader = :leader OR leader = 0", use(leader);
}

void insert_link(session& sql, int leader, const std::string& hash, Time expires) {
  const long long time = expires;
  sql << "INSERT INTO setup_links (hash, leader, expires) VALUES (:hash, :leader, :expires)",
      use(hash), use(leader), use(time);
}

void insert_session(session& sql, int leader, const std::string& key, Time now) {
  const long long opened = now;
  const long long oldest = now - kWeek;
  sql << "DELETE FROM sessions WHERE leader > 0 AND opened < :oldest", use(oldest);
  sql << "INSERT INTO sessions (key, person, opened, leader) VALUES (:key, 0, :opened, :leader)",
      use(key), use(opened), use(leader);
}

// Whose link it is: 0 for the first leader.
std::optional<int> leader_of_link(session& sql, const std::string& hash, Time now) {
  const long long time = now;
  int leader = 0;
  sql << "SELECT leader FROM setup_links WHERE hash = :hash AND expires > :now", into(leader),
      use(hash), use(time);
  return sql.got_data() ? std::optional(leader) : std::nullopt;
}

}  // namespace

std::string_view leader_state_name(LeaderState state) {
  return kLeaderStates[static_cast<int>(state)];
}

Json leader_json(const Leader& leader, int you) {
  return {{"id", leader.id},
          {"name", leader.name},
          {"state", leader_state_name(leader.state)},
          {"last_seen", leader.last_seen ? Json(time_text(*leader.last_seen)) : Json(nullptr)},
          {"you", leader.id == you}};
}

bool Leaders::exist() {
  bool found = false;
  database_->read([&](session& sql) { found = with_password(sql) > 0; });
  return found;
}

std::vector<Leader> Leaders::all(Time now) {
  std::vector<Leader> leaders;
  database_->read([&](session& sql) {
    for (const Account& each : accounts(sql, now)) leaders.push_back(each.leader);
  });
  return leaders;
}

void Leaders::add_first_link(const std::string& hash) {
  database_->write(Sync::Now, [&](session& sql) {
    if (with_password(sql) == 0) insert_link(sql, 0, hash, std::numeric_limits<Time>::max());
  });
}

Leader Leaders::invite(const std::string& name, const std::string& link_hash, const Author& by) {
  Leader leader{.name = clean_leader_name(name), .state = LeaderState::Invited};
  database_->write(Sync::Now, [&](session& sql) {
    if (account_named(sql, leader.name, by.now)) {
      throw HttpError(409, "{} is already a leader", leader.name);
    }
    leader.id = insert_leader(sql, leader.name);
    insert_link(sql, leader.id, link_hash, by.now + kWeek);
    record(sql, by, "invited a leader", leader.name);
  });
  return leader;
}

Leader Leaders::set_link(int leader, const std::string& link_hash, const Author& by) {
  Leader known;
  database_->write(Sync::Now, [&](session& sql) {
    require_account(sql, leader, by.now);
    sql << "DELETE FROM setup_links WHERE leader = :leader", use(leader);
    insert_link(sql, leader, link_hash, by.now + kWeek);
    known = require_account(sql, leader, by.now).leader;
    record(sql, by, "created a set-up link", known.name);
  });
  return known;
}

void Leaders::remove(int leader, const Author& by) {
  database_->write(Sync::Now, [&](session& sql) {
    const Account known = require_account(sql, leader, by.now);
    if (!known.password.empty() && with_password(sql) == 1) {
      throw HttpError(409, "{} is the only leader with a password", known.leader.name);
    }
    remember_ids(sql, "leaders");
    sql << "DELETE FROM leaders WHERE id = :leader", use(leader);
    sql << "DELETE FROM setup_links WHERE leader = :leader", use(leader);
    sql << "DELETE FROM sessions WHERE leader = :leader", use(leader);
    record(sql, by, "removed a leader", known.leader.name);
  });
}

std::optional<Leaders::Invitee> Leaders::invitee(const std::string& link_hash, Time now) {
  std::optional<Invitee> found;
  database_->read([&](session& sql) {
    const std::optional<int> leader = leader_of_link(sql, link_hash, now);
    if (!leader) return;
    found = Invitee{};
    if (*leader > 0) found->name = require_account(sql, *leader, now).leader.name;
  });
  return found;
}

std::optional<Leader> Leaders::set_up(const std::string& link_hash, const std::string& name,
                                      const std::string& password_hash, const std::string& session,
                                      Time now) {
  std::optional<Leader> done;
  database_->write(Sync::Now, [&](soci::session& sql) {
    std::optional<int> leader = leader_of_link(sql, link_hash, now);
    if (!leader) return;
    if (*leader == 0) leader = insert_leader(sql, clean_leader_name(name));
    set_password_in(sql, *leader, password_hash);
    sql << "DELETE FROM sessions WHERE leader = :leader", use(*leader);
    insert_session(sql, *leader, session, now);
    done = require_account(sql, *leader, now).leader;
    record(sql, {done->name, now}, "set a password", done->name);
  });
  return done;
}

std::optional<Leaders::Account> Leaders::find(const std::string& name, Time now) {
  std::optional<Account> found;
  database_->read([&](session& sql) { found = account_named(sql, name, now); });
  return found;
}

bool Leaders::sign_in(const Account& account, const std::string& session, Time now) {
  bool done = false;
  database_->write(Sync::Now, [&](soci::session& sql) {
    int same = 0;
    sql << "SELECT COUNT(*) FROM leaders WHERE id = :id AND password = :password", into(same),
        use(account.leader.id), use(account.password);
    done = same > 0;
    if (done) insert_session(sql, account.leader.id, session, now);
  });
  return done;
}

void Leaders::set_password(int leader, const std::string& password_hash, const std::string& session,
                           const Author& by) {
  database_->write(Sync::Now, [&](soci::session& sql) {
    const Account known = require_account(sql, leader, by.now);
    set_password_in(sql, leader, password_hash);
    sql << "DELETE FROM sessions WHERE leader = :leader AND key <> :session", use(leader),
        use(session);
    record(sql, by, "changed the password", known.leader.name);
  });
}

void Leaders::set_password_of(const std::string& name, const std::string& password_hash,
                              const Author& by) {
  database_->write(Sync::Now, [&](session& sql) {
    const std::optional<Account> known = account_named(sql, name, by.now);
    const int leader = known ? known->leader.id : insert_leader(sql, name);
    set_password_in(sql, leader, password_hash);
    sql << "DELETE FROM sessions WHERE leader = :leader", use(leader);
    set_meta_value(sql, kCommandLinePassword, password_hash);
    record(sql, by, "set a password", name);
  });
}

std::string Leaders::command_line_password() {
  std::string hash;
  database_->read([&](session& sql) { hash = meta_value(sql, kCommandLinePassword); });
  return hash;
}

void Leaders::remember_command_line_password(const std::string& password_hash) {
  database_->write(Sync::Now,
                   [&](session& sql) { set_meta_value(sql, kCommandLinePassword, password_hash); });
}

std::optional<Leader> Leaders::of_session(const std::string& session, Time now) {
  const long long oldest = now - kWeek;
  std::optional<Leader> leader;
  database_->read([&](soci::session& sql) {
    int id = 0;
    std::string name;
    long long last_seen = 0;
    sql << "SELECT leaders.id, name, last_seen FROM sessions, leaders WHERE key = :key "
           "AND leader = leaders.id AND opened >= :oldest",
        into(id), into(name), into(last_seen), use(session), use(oldest);
    if (!sql.got_data()) return;
    leader = Leader{.id = id, .name = name};
    if (last_seen > 0) leader->last_seen = last_seen;
  });
  return leader;
}

void Leaders::close_session(const std::string& session) {
  database_->write(Sync::Now, [&](soci::session& sql) {
    sql << "DELETE FROM sessions WHERE key = :key AND leader > 0", use(session);
  });
}

void Leaders::seen(int leader, Time now) {
  const long long time = now;
  database_->write(Sync::Later, [&](session& sql) {
    sql << "UPDATE leaders SET last_seen = :now WHERE id = :leader", use(time), use(leader);
  });
}

}  // namespace manyverbs
