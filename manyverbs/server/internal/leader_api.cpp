// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/leader_api.h"

#include <algorithm>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/request_body.h"
#include "manyverbs/server/internal/secrets.h"
#include "manyverbs/server/internal/statistics.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

constexpr int kMostAtOnce = 100;
constexpr std::size_t kLongestName = 100;  // bytes

int query_number(const std::string& text, int otherwise, const std::string& key) {
  if (text.empty()) return otherwise;
  const auto number = number_in<int>(text);
  if (!number || *number < 0)
    throw HttpError(400, "{}: expected a number of at least 0, found '{}'", key, text);
  return *number;
}

std::string name_in(const Json& body) {
  auto name = body_value<std::string>(body, "name");
  const bool blank = name.find_first_not_of(' ') == std::string::npos;
  const bool control = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (blank || control || name.size() > kLongestName) {
    throw HttpError(400, "a name must have 1 to {} characters on one line", kLongestName);
  }
  return name;
}

template <typename T>
T within(T value, T low, T high, const std::string& key) {
  if (!(value >= low && value <= high)) {
    throw HttpError(400, "{}: expected a number from {} to {}, found {}", key, low, high, value);
  }
  return value;
}

std::string link_to(const std::string& site, const std::string& token) {
  return site + "/join/" + token;
}

}  // namespace

Json LeaderApi::overview() {
  const AnnotationSettings settings = store_->settings();
  const std::vector<StoredAnswer> answers = store_->answers();
  const std::vector<Person> people = store_->people();
  return overview_json(*project_, settings, people,
                       project_statistics(*project_, answers, people, store_->reports(), settings),
                       person_statistics(*project_, answers, people, settings));
}

Json LeaderApi::disputes(const std::string& from, const std::string& count) {
  const std::size_t first = query_number(from, 0, "from");
  const std::size_t most = std::min(kMostAtOnce, query_number(count, 20, "count"));
  const std::vector<Person> people = store_->people();
  const std::vector<AnsweredClip> clips = answered_clips(*project_, store_->answers(), people);
  const std::vector<Dispute> found = manyverbs::disputes(clips);
  Json list = Json::array();
  for (std::size_t i = first; i < found.size() && i < first + most; ++i) {
    list.push_back(dispute_json(*project_, *found[i].clip, people));
  }
  return {{"total", found.size()}, {"clips", list}};
}

Json LeaderApi::reports() {
  const std::vector<Person> people = store_->people();
  const int needed = store_->settings().people;
  Json list = Json::array();
  for (const AnsweredClip& clip :
       reported_clips(*project_, store_->answers(), people, store_->reports())) {
    list.push_back(report_json(clip, people, needed));
  }
  return {{"clips", list}};
}

Json LeaderApi::forget_reports(const Json& body) {
  const int task = body_value<int>(body, "task");
  if (project_->find_task(task) == nullptr) throw HttpError(404, "clip {} does not exist", task);
  store_->forget_reports(task);
  return reports();
}

Json LeaderApi::set_settings(const Json& body) {
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
  store_->set_settings(settings);
  return settings_json(settings);
}

Json LeaderApi::person_json_of(int person) {
  const std::vector<Person> people = store_->people();
  const std::vector<PersonStatistics> statistics =
      person_statistics(*project_, store_->answers(), people, store_->settings());
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (people[i].id == person) return person_json(people[i], statistics[i]);
  }
  throw HttpError(404, "person {} does not exist", person);
}

Json LeaderApi::invite(const Json& body, const std::string& site, Time now) {
  const std::string token = new_token();
  const Person person = store_->add_person(name_in(body), token_hash(token), now);
  return {{"person", person_json_of(person.id)}, {"link", link_to(site, token)}};
}

Json LeaderApi::set_state(int person, const Json& body) {
  store_->set_state(person, find_state(body_value<std::string>(body, "state")));
  return person_json_of(person);
}

Json LeaderApi::new_link(int person, const std::string& site) {
  const std::string token = new_token();
  store_->set_link(person, token_hash(token));
  return {{"person", person_json_of(person)}, {"link", link_to(site, token)}};
}

}  // namespace manyverbs
