// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/store.h"

#include <soci/soci.h>

#include <array>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/leases.h"
#include "manyverbs/server/internal/secrets.h"

namespace manyverbs {
namespace {

using soci::into;
using soci::session;
using soci::use;
using Sync = Database::Sync;

constexpr Time kLongestSession = 180 * Time{86'400'000};
constexpr std::array<std::string_view, 3> kStates = {"active", "paused", "excluded"};
constexpr std::array<std::string_view, 2> kOrders = {"complete", "informative"};

std::string meta_value(session& sql, const std::string& key) {
  std::string value;
  sql << "SELECT value FROM meta WHERE key = :key", into(value), use(key);
  return value;
}

void set_meta_value(session& sql, const std::string& key, const std::string& value) {
  sql << "DELETE FROM meta WHERE key = :key", use(key);
  sql << "INSERT INTO meta (key, value) VALUES (:key, :value)", use(key), use(value);
}

// The people that meet an SQL condition; `link` is the value of :link in it.
std::vector<Person> select_people(session& sql, const std::string& condition,
                                  const std::string& link = "") {
  int id = 0;
  std::string name;
  std::string state;
  int practised = 0;
  long long last_seen = 0;
  std::string paused_for;
  soci::statement rows(sql);
  rows.exchange(into(id));
  for (std::string* text : {&name, &state}) rows.exchange(into(*text));
  rows.exchange(into(practised));
  rows.exchange(into(last_seen));
  rows.exchange(into(paused_for));
  if (!link.empty()) rows.exchange(use(link));
  rows.alloc();
  rows.prepare("SELECT id, name, state, practised, last_seen, paused_for FROM people WHERE " +
               condition);
  rows.define_and_bind();
  rows.execute();
  std::vector<Person> people;
  while (rows.fetch()) {
    people.push_back({id, name, find_state(state), practised != 0,
                      last_seen > 0 ? std::optional<Time>(last_seen) : std::nullopt, paused_for});
  }
  return people;
}

Person require_person(session& sql, int id) {
  const std::vector<Person> people = select_people(sql, fmt::format("id = {}", id));
  if (people.empty()) throw HttpError(404, "person {} does not exist", id);
  return people.front();
}

// Adds the answers of a person to the counts, or removes them.
void count_answers(session& sql, int person, int change) {
  sql << "UPDATE tasks SET answered = answered + :change, load = load + :same_change "
         "WHERE task IN (SELECT task FROM answers WHERE person = :person AND latest = 1)",
      use(change, "change"), use(change, "same_change"), use(person, "person");
}

}  // namespace

Json settings_json(const AnnotationSettings& settings) {
  return {{"people", settings.people},
          {"hold_minutes", settings.hold_minutes},
          {"least_found", settings.least_found},
          {"least_verbs", settings.least_verbs},
          {"most_chosen", settings.most_chosen},
          {"least_seconds", settings.least_seconds},
          {"most_same_keys", settings.most_same_keys},
          {"least_agreement", settings.least_agreement},
          {"order", clip_order_name(settings.order)},
          {"gold_at_start", settings.gold_at_start},
          {"gold_every", settings.gold_every},
          {"gold_answers", settings.gold_answers},
          {"least_gold", settings.least_gold},
          {"gold_pauses", settings.gold_pauses},
          {"closed", settings.closed},
          {"deadline", settings.deadline ? Json(time_text(*settings.deadline)) : Json(nullptr)},
          {"quota", settings.quota}};
}

AnnotationSettings settings_in(const std::string& text) {
  AnnotationSettings settings;
  if (text.empty()) return settings;
  const Json json = Json::parse(text);
  settings.people = json.at("people").get<int>();
  settings.hold_minutes = json.at("hold_minutes").get<int>();
  settings.least_found = json.at("least_found").get<double>();
  settings.least_verbs = json.at("least_verbs").get<double>();
  settings.most_chosen = json.at("most_chosen").get<double>();
  settings.least_seconds = json.at("least_seconds").get<double>();
  settings.most_same_keys = json.at("most_same_keys").get<double>();
  settings.least_agreement = json.at("least_agreement").get<double>();
  // Earlier versions had one order only.
  if (json.contains("order")) settings.order = find_clip_order(json.at("order").get<std::string>());
  if (json.contains("gold_every")) {  // and no gold clips
    settings.gold_at_start = json.at("gold_at_start").get<int>();
    settings.gold_every = json.at("gold_every").get<int>();
    settings.gold_answers = json.at("gold_answers").get<int>();
    settings.least_gold = json.at("least_gold").get<double>();
    settings.gold_pauses = json.at("gold_pauses").get<bool>();
  }
  settings.closed = json.value("closed", false);
  settings.quota = json.value("quota", 0);
  if (json.contains("deadline") && json.at("deadline").is_string()) {
    settings.deadline = time_in(json.at("deadline").get<std::string>());
  }
  return settings;
}

std::string_view clip_order_name(ClipOrder order) { return kOrders[static_cast<int>(order)]; }

ClipOrder find_clip_order(std::string_view name) {
  for (std::size_t i = 0; i < kOrders.size(); ++i) {
    if (kOrders[i] == name) return static_cast<ClipOrder>(i);
  }
  throw HttpError(400, "unknown order '{}'; valid values: complete, informative", name);
}

std::string_view state_name(PersonState state) { return kStates[static_cast<int>(state)]; }

PersonState find_state(std::string_view name) {
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    if (kStates[i] == name) return static_cast<PersonState>(i);
  }
  throw HttpError(400, "unknown state '{}'; valid values: active, paused, excluded", name);
}

AnnotationStore::AnnotationStore(const std::string& database, const AnnotationProject& project)
    : database_(database) {
  add_tasks(project);
}

void AnnotationStore::add_tasks(const AnnotationProject& project) {
  const std::string stamp = tasks_stamp(project);
  database_.write(Sync::Now, [&](session& sql) {
    project_id_ = meta_value(sql, "project");
    if (project_id_.empty()) {
      project_id_ = new_token().substr(0, 16);
      set_meta_value(sql, "project", project_id_);
    }
    std::string secret = meta_value(sql, "gold");
    if (secret.empty()) {
      secret = new_token();
      set_meta_value(sql, "gold", secret);
    }
    gold_ = GoldAssignment(project.gold, secret);
    const std::string kept = meta_value(sql, "tasks");
    if (kept == stamp) return;
    if (!kept.empty()) {
      throw Error(
          "{}: contains answers to other tasks than those of {}; use a separate database "
          "for each project",
          database_.name(), project.folder.string());
    }
    int task = 0;
    soci::statement insert =
        (sql.prepare << "INSERT INTO tasks (task, answered, load) VALUES (:task, 0, 0)", use(task));
    for (const AnnotationTask& each : project.tasks) {
      task = each.number;
      insert.execute(true);
    }
    set_meta_value(sql, "tasks", stamp);
  });
}

std::string AnnotationStore::pseudonym_secret() {
  std::string secret;
  database_.write(Sync::Now, [&](session& sql) {
    secret = meta_value(sql, "pseudonyms");
    if (!secret.empty()) return;
    secret = new_token();
    set_meta_value(sql, "pseudonyms", secret);
  });
  return secret;
}

AnnotationSettings AnnotationStore::settings() {
  AnnotationSettings settings;
  database_.read([&](session& sql) { settings = settings_in(meta_value(sql, "settings")); });
  return settings;
}

void AnnotationStore::set_settings(const AnnotationSettings& settings, const Author& by) {
  database_.write(Sync::Now, [&](session& sql) {
    const Json before = settings_json(settings_in(meta_value(sql, "settings")));
    const std::string changes = differences(before, settings_json(settings));
    if (changes.empty()) return;
    set_meta_value(sql, "settings", settings_json(settings).dump());
    record(sql, by, "changed settings", "", changes);
  });
}

Person AnnotationStore::add_person(const std::string& name, const std::string& link_hash,
                                   const Author& by) {
  Person person;
  person.name = name;
  database_.write(Sync::Now, [&](session& sql) {
    const std::string state(state_name(person.state));
    const long long invited = by.now;
    sql << "SELECT COALESCE(MAX(id), 0) + 1 FROM people", into(person.id);
    sql << "INSERT INTO people (id, name, link, state, practised, last_seen, invited) "
           "VALUES (:id, :name, :link, :state, 0, 0, :invited)",
        use(person.id), use(name), use(link_hash), use(state), use(invited);
    record(sql, by, "invited", name);
  });
  return person;
}

void AnnotationStore::set_link(int person, const std::string& link_hash, const Author& by) {
  database_.write(Sync::Now, [&](session& sql) {
    record(sql, by, "created a new link", require_person(sql, person).name);
    sql << "UPDATE people SET link = :link WHERE id = :person", use(link_hash), use(person);
    sql << "DELETE FROM sessions WHERE person = :person", use(person);
  });
}

void AnnotationStore::set_state(int person, PersonState state, const Author& by) {
  database_.write(Sync::Now, [&](session& sql) {
    const Person known = require_person(sql, person);
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

void AnnotationStore::add_practised_clip(int person, int task) {
  database_.write(Sync::Later, [&](session& sql) {
    sql << "INSERT INTO practice (person, task) VALUES (:person, :task) ON CONFLICT DO NOTHING",
        use(person), use(task);
  });
}

std::set<int> AnnotationStore::practised_clips(int person) {
  std::set<int> clips;
  database_.read([&](session& sql) {
    int task = 0;
    soci::statement rows = (sql.prepare << "SELECT task FROM practice WHERE person = :person",
                            into(task), use(person));
    rows.execute();
    while (rows.fetch()) clips.insert(task);
  });
  return clips;
}

void AnnotationStore::end_practice(int person, const Author& by) {
  database_.write(Sync::Now, [&](session& sql) {
    const Person known = require_person(sql, person);
    if (known.practised) return;
    sql << "UPDATE people SET practised = 1 WHERE id = :person", use(person);
    record(sql, by, "ended the practice", known.name);
  });
}

void AnnotationStore::set_practised(int person) {
  database_.write(Sync::Later, [&](session& sql) {
    sql << "UPDATE people SET practised = 1 WHERE id = :person", use(person);
  });
}

void AnnotationStore::seen(int person, Time now) {
  const long long time = now;
  database_.write(Sync::Later, [&](session& sql) {
    sql << "UPDATE people SET last_seen = :now WHERE id = :person", use(time), use(person);
  });
}

std::vector<Person> AnnotationStore::people() {
  std::vector<Person> people;
  database_.read([&](session& sql) { people = select_people(sql, "id > 0 ORDER BY id"); });
  return people;
}

Person AnnotationStore::person(int id) {
  Person person;
  database_.read([&](session& sql) { person = require_person(sql, id); });
  return person;
}

std::optional<Person> AnnotationStore::person_of_link(const std::string& link_hash) {
  std::vector<Person> people;
  database_.read([&](session& sql) { people = select_people(sql, "link = :link", link_hash); });
  return people.empty() ? std::nullopt : std::optional(people.front());
}

void AnnotationStore::open_session(const std::string& key, int person, Time now) {
  const long long opened = now;
  const long long oldest = now - kLongestSession;
  database_.write(Sync::Now, [&](session& sql) {
    sql << "DELETE FROM sessions WHERE opened < :oldest", use(oldest);
    sql << "INSERT INTO sessions (key, person, opened) VALUES (:key, :person, :opened)", use(key),
        use(person), use(opened);
  });
}

std::optional<int> AnnotationStore::session_person(const std::string& key, Time since) {
  const long long oldest = since;
  std::optional<int> person;
  database_.read([&](session& sql) {
    int found = 0;
    sql << "SELECT person FROM sessions WHERE key = :key AND opened >= :oldest", into(found),
        use(key), use(oldest);
    if (sql.got_data()) person = found;
  });
  return person;
}

void AnnotationStore::close_session(const std::string& key) {
  database_.write(Sync::Now,
                  [&](session& sql) { sql << "DELETE FROM sessions WHERE key = :key", use(key); });
}

void AnnotationStore::note(const Author& by, const std::string& action, const std::string& subject,
                           const std::string& details) {
  database_.write(Sync::Now, [&](session& sql) { record(sql, by, action, subject, details); });
}

std::vector<LogEntry> AnnotationStore::log(int from, int most) {
  std::vector<LogEntry> entries;
  database_.read([&](session& sql) { entries = log_entries(sql, from, most); });
  return entries;
}

int AnnotationStore::log_size() {
  int size = 0;
  database_.read([&](session& sql) { size = manyverbs::log_size(sql); });
  return size;
}

std::string AnnotationStore::password() {
  std::string hash;
  database_.read([&](session& sql) { hash = meta_value(sql, "password"); });
  return hash;
}

bool AnnotationStore::set_password(const std::string& hash, bool replace) {
  bool done = false;
  database_.write(Sync::Now, [&](session& sql) {
    if (!replace && !meta_value(sql, "password").empty()) return;
    set_meta_value(sql, "password", hash);
    sql << "DELETE FROM sessions WHERE person = 0";
    done = true;
  });
  return done;
}

}  // namespace manyverbs
