// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/leader_api.h"

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/request_body.h"
#include "manyverbs/server/internal/query.h"
#include "manyverbs/server/internal/remarks.h"
#include "manyverbs/server/internal/secrets.h"

namespace manyverbs {
namespace {

constexpr std::size_t kMostInvited = 500;  // at once

template <typename T>
T within(T value, T low, T high, const std::string& key) {
  if (!(value >= low && value <= high)) {
    throw HttpError(400, "{}: expected a number from {} to {}, found {}", key, low, high, value);
  }
  return value;
}

// Nothing for null.
std::optional<Time> deadline_in(const Json& body) {
  if (body_value<Json>(body, "deadline").is_null()) return std::nullopt;
  const auto text = body_value<std::string>(body, "deadline");
  const std::optional<Time> time = time_in(text);
  if (!time) {
    throw HttpError(400, "deadline: expected a time as 2026-01-31T14:03:00Z, found '{}'", text);
  }
  return time;
}

}  // namespace

std::string personal_link(const std::string& site, const std::string& token) {
  return site + "/join#" + token;
}

Json LeaderApi::overview() {
  return round_->view([&](const LiveRound::View& view) {
    const std::vector<PersonStatistics> people = round_->people_of(view, time_now());
    Json json = overview_json(*project_, view.settings, view.people,
                              view.statistics->project(view.settings), people);
    json["modelled_answers"] = round_->modelled_answers();
    return json;
  });
}

Json LeaderApi::reports() {
  return round_->view([&](const LiveRound::View& view) -> Json {
    Json list = Json::array();
    for (const AnsweredClip& clip :
         reported_clips(*project_, store_->answers(), view.people, store_->reports())) {
      list.push_back(report_json(clip, view.people, view.settings.people));
    }
    return {{"clips", list}};
  });
}

Json LeaderApi::remarks(const std::string& from, const std::string& count) {
  const PageQuery page(from, count);
  const std::vector<StoredAnswer> answers = store_->answers();
  const std::vector<Person> people = store_->people();
  const std::vector<const StoredAnswer*> found = manyverbs::remarks(answers, people);
  Json verbs = Json::array();
  for (const OtherVerb& verb : other_verbs(answers, people)) {
    verbs.push_back(other_verb_json(*project_, verb));
  }
  Json list = Json::array();
  for (std::size_t i = page.from; i < page.end(found.size()); ++i) {
    list.push_back(remark_json(*project_, people, *found[i]));
  }
  return {{"verbs", verbs}, {"total", found.size()}, {"remarks", list}};
}

Json LeaderApi::forget_reports(const Json& body, const Author& by) {
  const int task = body_value<int>(body, "task");
  if (project_->find_shown(task) == nullptr) throw HttpError(404, "clip {} does not exist", task);
  store_->forget_reports(task, by);
  return reports();
}

Json LeaderApi::set_settings(const Json& body, const Author& by) {
  AnnotationSettings settings;
  settings.people = within(body_value<int>(body, "people"), 1, 100, "people");
  settings.hold_minutes = within(body_value<int>(body, "hold_minutes"), 1, 1440, "hold_minutes");
  const auto number = [&](const std::string& key, double low, double high) {
    return within(body_value<double>(body, key), low, high, key);
  };
  settings.least_found = number("least_found", 0, 1);
  settings.least_verbs = number("least_verbs", 0, 100);
  settings.most_chosen = number("most_chosen", 0, 1);
  settings.least_seconds = number("least_seconds", 0, 3600);
  settings.most_same_keys = number("most_same_keys", 0, 1);
  settings.least_agreement = number("least_agreement", 0, 1);
  settings.order = find_clip_order(body_value<std::string>(body, "order"));
  settings.gold_at_start = within(body_value<int>(body, "gold_at_start"), 0, 50, "gold_at_start");
  settings.gold_every = within(body_value<int>(body, "gold_every"), 0, 1000, "gold_every");
  settings.gold_answers = within(body_value<int>(body, "gold_answers"), 1, 1000, "gold_answers");
  settings.least_gold = number("least_gold", 0, 1);
  settings.gold_pauses = body_value<bool>(body, "gold_pauses");
  settings.closed = body_value<bool>(body, "closed");
  settings.deadline = deadline_in(body);
  settings.quota = within(body_value<int>(body, "quota"), 0, 1'000'000, "quota");
  settings.link_days = within(body_value<int>(body, "link_days"), 1, 365, "link_days");
  store_->set_settings(settings, by);
  return settings_json(settings);
}

std::map<int, Json> LeaderApi::people_json() {
  return round_->view([&](const LiveRound::View& view) {
    const std::vector<PersonStatistics> statistics = round_->people_of(view, time_now());
    std::map<int, Json> people;
    for (std::size_t i = 0; i < view.people.size(); ++i) {
      people[view.people[i].id] = person_json(view.people[i], statistics[i]);
    }
    return people;
  });
}

Json LeaderApi::person_json_of(int person) {
  const std::map<int, Json> people = people_json();
  const auto found = people.find(person);
  if (found == people.end()) throw HttpError(404, "person {} does not exist", person);
  return found->second;
}

Json LeaderApi::invite(const Json& body, const std::string& site, const Author& by) {
  const std::string token = new_token();
  const auto name = body_value<std::string>(body, "name");
  const Person person = store_->add_person(name, token_hash(token), by);
  return {{"person", person_json_of(person.id)}, {"link", personal_link(site, token)}};
}

Json LeaderApi::invite_many(const Json& body, const std::string& site, const Author& by) {
  const auto names = body_value<std::vector<std::string>>(body, "names");
  if (names.empty() || names.size() > kMostInvited) {
    throw HttpError(400, "names: expected 1 to {} names, found {}", kMostInvited, names.size());
  }
  std::vector<std::string> tokens;
  std::vector<AnnotationStore::Invitation> invitations;
  for (const std::string& name : names) {
    tokens.push_back(new_token());
    invitations.push_back({name, token_hash(tokens.back())});
  }
  const std::vector<AnnotationStore::Invited> invited = store_->invite(invitations, by);
  const std::map<int, Json> people = people_json();
  Json list = Json::array();
  for (std::size_t i = 0; i < invited.size(); ++i) {
    const auto person = people.find(invited[i].person.id);
    if (person == people.end()) continue;  // another leader has removed them
    list.push_back(
        {{"person", person->second},
         {"link", invited[i].existed ? Json(nullptr) : Json(personal_link(site, tokens[i]))},
         {"existed", invited[i].existed}});
  }
  return {{"people", list}};
}

Json LeaderApi::set_state(int person, const Json& body, const Author& by) {
  store_->set_state(person, find_state(body_value<std::string>(body, "state")), by);
  return person_json_of(person);
}

Json LeaderApi::end_practice(int person, const Author& by) {
  store_->end_practice(person, by);
  return person_json_of(person);
}

Json LeaderApi::rename(int person, const Json& body, const Author& by) {
  store_->rename(person, body_value<std::string>(body, "name"), by);
  return person_json_of(person);
}

Json LeaderApi::remove(int person, const Json& body, const Author& by) {
  const auto answers = body_value<std::string>(body, "answers");
  if (answers != "keep" && answers != "delete") {
    throw HttpError(400, "answers: expected keep or delete, found '{}'", answers);
  }
  using Answers = AnnotationStore::Answers;
  store_->remove_person(person, answers == "keep" ? Answers::Keep : Answers::Delete, by);
  return Json::object();
}

Json LeaderApi::new_link(int person, const Json& body, const std::string& site, const Author& by) {
  const bool sign_out = body.contains("sign_out") && body_value<bool>(body, "sign_out");
  using Devices = AnnotationStore::Devices;
  const std::string token = new_token();
  store_->set_link(person, token_hash(token), sign_out ? Devices::SignOut : Devices::Stay, by);
  return {{"person", person_json_of(person)}, {"link", personal_link(site, token)}};
}

Json LeaderApi::log(const std::string& from, const std::string& count) {
  const PageQuery page(from, count);
  Json entries = Json::array();
  for (const LogEntry& entry : store_->log(page.from, page.most))
    entries.push_back(log_json(entry));
  return {{"total", store_->log_size()}, {"entries", entries}};
}

}  // namespace manyverbs
