// SPDX-License-Identifier: MIT
//
// Invites, changes and removes people.
#include "manyverbs/server/internal/people.h"

#include <soci/soci.h>

#include <array>
#include <map>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/leases.h"
#include "manyverbs/server/internal/meta.h"
#include "manyverbs/server/internal/names.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {
namespace {

using soci::into;
using soci::session;
using soci::use;
using Sync = Database::Sync;

constexpr Time kLinkDay = 86'400'000;
constexpr std::array<std::string_view, 4> kStates = {"active", "paused", "excluded", "removed"};
constexpr std::array<std::string_view, 3> kLinkStates = {"open", "used", "expired"};

LinkState link_state(int used, Time expires, Time now) {
  if (used != 0) return LinkState::Used;
  return now < expires ? LinkState::Open : LinkState::Expired;
}

// The people that meet an SQL condition, as they are at this time.
std::vector<Person> select_people(session& sql, const std::string& condition, Time now) {
  int id = 0;
  std::string name;
  std::string state;
  int practised = 0;
  long long last_seen = 0;
  std::string paused_for;
  int used = 0;
  long long expires = 0;
  int devices = 0;
  soci::statement rows(sql);
  rows.exchange(into(id));
  for (std::string* text : {&name, &state}) rows.exchange(into(*text));
  rows.exchange(into(practised));
  rows.exchange(into(last_seen));
  rows.exchange(into(paused_for));
  rows.exchange(into(used));
  rows.exchange(into(expires));
  rows.exchange(into(devices));
  rows.alloc();
  rows.prepare(
      fmt::format("SELECT id, name, state, practised, last_seen, paused_for, link_used, "
                  "link_expires, (SELECT COUNT(*) FROM sessions WHERE person = people.id "
                  "AND opened >= {}) FROM people WHERE {}",
                  now - kLongestSession, condition));
  rows.define_and_bind();
  rows.execute();
  std::vector<Person> people;
  while (rows.fetch()) {
    people.push_back({id, name, find_state(state), practised != 0,
                      last_seen > 0 ? std::optional<Time>(last_seen) : std::nullopt, paused_for,
                      link_state(used, expires, now), devices});
  }
  return people;
}

Person any_person(session& sql, int id, Time now) {
  const std::vector<Person> people = select_people(sql, fmt::format("id = {}", id), now);
  if (people.empty()) throw HttpError(404, "person {} does not exist", id);
  return people.front();
}

// The numbers of all people who were not removed, by their folded names.
std::map<std::string, int> names_of_people(session& sql) {
  int id = 0;
  std::string name;
  soci::statement rows =
      (sql.prepare << "SELECT id, name FROM people WHERE state <> 'removed'", into(id), into(name));
  rows.execute();
  std::map<std::string, int> names;
  while (rows.fetch()) names.emplace(folded_name(name), id);
  return names;
}

// When a link that is made now expires.
long long expiry(session& sql, Time now) { return now + settings_of(sql).link_days * kLinkDay; }

int insert_person(session& sql, const std::string& name, const std::string& link_hash,
                  const Author& by) {
  const int id = next_id(sql, "people");
  const long long invited = by.now;
  const long long expires = expiry(sql, by.now);
  sql << "INSERT INTO people (id, name, link, state, practised, last_seen, invited, link_expires) "
         "VALUES (:id, :name, :link, 'active', 0, 0, :invited, :expires)",
      use(id), use(name), use(link_hash), use(invited), use(expires);
  record(sql, by, "invited", name);
  return id;
}

// Adds the answers of a person to the counts, or removes them.
void count_answers(session& sql, int person, int change) {
  sql << "UPDATE tasks SET answered = answered + :change, load = load + :same_change "
         "WHERE task IN (SELECT task FROM answers WHERE person = :person AND latest = 1)",
      use(change, "change"), use(change, "same_change"), use(person, "person");
}

int answers_by(session& sql, int person) {
  int answers = 0;
  sql << "SELECT COUNT(*) FROM answers WHERE person = :person AND latest = 1", into(answers),
      use(person);
  return answers;
}

void end_sessions(session& sql, int person) {
  sql << "DELETE FROM sessions WHERE person = :person", use(person);
}

// Hides who gave the answers.
void make_nameless(session& sql, int person) {
  const std::string name = fmt::format("former annotator {}", person);
  const std::string link = fmt::format("removed {}", person);  // not a hash, so nothing matches it
  sql << "UPDATE people SET state = 'removed', name = :name, link = :link, link_used = 1, "
         "paused_for = '' WHERE id = :person",
      use(name), use(link), use(person);
}

void delete_with_answers(session& sql, const Person& person) {
  if (person.state != PersonState::Excluded) count_answers(sql, person.id, -1);
  remember_ids(sql, "people");
  remember_ids(sql, "answers");
  for (const char* table : {"answers", "reports", "leases", "practice"}) {
    sql << fmt::format("DELETE FROM {} WHERE person = {}", table, person.id);
  }
  sql << fmt::format("DELETE FROM people WHERE id = {}", person.id);
}

}  // namespace

std::string_view state_name(PersonState state) { return kStates[static_cast<int>(state)]; }

PersonState find_state(std::string_view name) {
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    if (kStates[i] == name) return static_cast<PersonState>(i);
  }
  throw HttpError(400, "unknown state '{}'; valid values: active, paused, excluded", name);
}

std::string_view link_state_name(LinkState state) { return kLinkStates[static_cast<int>(state)]; }

Person require_person(session& sql, int id, Time now) {
  const Person person = any_person(sql, id, now);
  if (person.state == PersonState::Removed) throw HttpError(404, "person {} was removed", id);
  return person;
}

Person AnnotationStore::add_person(const std::string& name, const std::string& link_hash,
                                   const Author& by) {
  const std::vector<Invited> invited = invite({{name, link_hash}}, by);
  if (invited.front().existed) throw HttpError(409, "{} is already invited", clean_name(name));
  return invited.front().person;
}

std::vector<AnnotationStore::Invited> AnnotationStore::invite(
    const std::vector<Invitation>& invitations, const Author& by,
    const std::function<void(const std::vector<Invited>&)>& before_saving) {
  std::vector<Invited> invited;
  database_.write(Sync::Now, [&](session& sql) {
    std::map<std::string, int> known = names_of_people(sql);
    for (const Invitation& each : invitations) {
      const std::string name = clean_name(each.name);
      const auto [place, is_new] = known.emplace(folded_name(name), 0);
      if (is_new) place->second = insert_person(sql, name, each.link_hash, by);
      invited.push_back({any_person(sql, place->second, by.now), !is_new});
    }
    if (before_saving) before_saving(invited);
  });
  return invited;
}

void AnnotationStore::set_link(int person, const std::string& link_hash, Devices devices,
                               const Author& by) {
  database_.write(Sync::Now, [&](session& sql) {
    const bool sign_out = devices == Devices::SignOut;
    record(sql, by, "created a new link", require_person(sql, person, by.now).name,
           sign_out ? "all devices signed out" : "");
    const long long expires = expiry(sql, by.now);
    sql << "UPDATE people SET link = :link, link_used = 0, link_expires = :expires "
           "WHERE id = :person",
        use(link_hash), use(expires), use(person);
    if (sign_out) end_sessions(sql, person);
  });
}

void AnnotationStore::rename(int person, const std::string& name, const Author& by) {
  database_.write(Sync::Now, [&](session& sql) {
    const Person known = require_person(sql, person, by.now);
    const std::string clean = clean_name(name);
    if (clean == known.name) return;
    const std::map<std::string, int> names = names_of_people(sql);
    const auto taken = names.find(folded_name(clean));
    // Databases of earlier versions may contain a name twice.
    const bool own = folded_name(clean) == folded_name(known.name);
    if (taken != names.end() && !own) throw HttpError(409, "{} is already invited", clean);
    sql << "UPDATE people SET name = :name WHERE id = :person", use(clean), use(person);
    record(sql, by, "renamed", known.name, clean);
  });
}

void AnnotationStore::remove_person(int person, Answers answers, const Author& by) {
  database_.write(Sync::Now, [&](session& sql) {
    const Person known = require_person(sql, person, by.now);
    const bool keep = answers == Answers::Keep;
    if (keep && known.state == PersonState::Excluded) {
      throw HttpError(409,
                      "the answers of {} do not count: include {} again first, or delete the "
                      "answers",
                      known.name, known.name);
    }
    const int count = answers_by(sql, person);
    return_leases(sql, person);
    end_sessions(sql, person);
    if (keep) {
      make_nameless(sql, person);
    } else {
      delete_with_answers(sql, known);
    }
    record(sql, by, "removed", known.name,
           keep ? "answers kept" : fmt::format("answers deleted: {}", count));
  });
}

void AnnotationStore::set_state(int person, PersonState state, const Author& by) {
  if (state == PersonState::Removed) {
    throw HttpError(400, "unknown state 'removed'; valid values: active, paused, excluded");
  }
  database_.write(Sync::Now, [&](session& sql) {
    const Person known = require_person(sql, person, by.now);
    const PersonState before = known.state;
    if (before == state) return;
    if (state != PersonState::Active) return_leases(sql, person);
    if (state == PersonState::Excluded) count_answers(sql, person, -1);
    if (before == PersonState::Excluded) count_answers(sql, person, 1);
    const std::string name(state_name(state));
    // From now on, the answers to gold clips count anew.
    sql << "UPDATE people SET state = :state, paused_for = '', "
           "gold_after = (SELECT COALESCE(MAX(id), 0) FROM answers) WHERE id = :person",
        use(name), use(person);
    record(sql, by, "changed the state", known.name,
           fmt::format("{} to {}", state_name(before), name));
  });
}

void AnnotationStore::end_practice(int person, const Author& by) {
  database_.write(Sync::Now, [&](session& sql) {
    const Person known = require_person(sql, person, by.now);
    if (known.practised) return;
    sql << "UPDATE people SET practised = 1 WHERE id = :person", use(person);
    record(sql, by, "ended the practice", known.name);
  });
}

std::vector<Person> AnnotationStore::people(Time now) {
  std::vector<Person> people;
  database_.read([&](session& sql) {
    people = select_people(sql, "id > 0 ORDER BY CASE WHEN state = 'removed' THEN 1 ELSE 0 END, id",
                           now);
  });
  return people;
}

Person AnnotationStore::person(int id, Time now) {
  Person person;
  database_.read([&](session& sql) { person = any_person(sql, id, now); });
  return person;
}

}  // namespace manyverbs
