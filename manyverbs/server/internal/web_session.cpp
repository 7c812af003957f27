// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/web_session.h"

#include <algorithm>
#include <utility>

#include "manyverbs/http/internal/address.h"
#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/request_body.h"
#include "manyverbs/server/internal/names.h"
#include "manyverbs/server/internal/secrets.h"

namespace manyverbs {
namespace {

constexpr long kAnnotatorSeconds = kLongestSession / 1000;
constexpr long kLeaderSeconds = 7 * 86'400;
constexpr Time kSeenInterval = 60'000;  // milliseconds
constexpr int kShortestPassword = 8;
constexpr int kLongestPassword = 1000;
constexpr std::size_t kMostBytes = 4 * kLongestPassword;

// The value of a cookie, or "".
std::string cookie_of(const HttpRequest& request, const std::string& name) {
  const std::string header = request.headers.value("Cookie");
  for (std::size_t at = 0; at < header.size();) {
    const std::size_t end = std::min(header.find(';', at), header.size());
    std::string_view pair = std::string_view(header).substr(at, end - at);
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
      return std::string(pair.substr(name.size() + 1));
    }
    at = end + 1;
  }
  return "";
}

// The key of the session in a cookie, or "".
std::string session_key(const HttpRequest& request, const std::string& name) {
  const std::string token = cookie_of(request, name);
  return token.empty() ? "" : token_hash(token);
}

// "verbs.example.org:8080" of "https://verbs.example.org:8080/somewhere".
std::string authority(const std::string& url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) return "";
  const std::string rest = url.substr(scheme + 3);
  return rest.substr(0, rest.find('/'));
}

bool is_host(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == ':' || c == '-' || c == '[' || c == ']';
  });
}

}  // namespace

void require_good_password(const std::string& password) {
  const int characters = character_count(password);
  if (characters < kShortestPassword || characters > kLongestPassword) {
    throw HttpError(400, "a password must have {} to {} characters", kShortestPassword,
                    kLongestPassword);
  }
}

WebSessions::WebSessions(AnnotationStore* store, Leaders* leaders, std::string public_url)
    : store_(store),
      leaders_(leaders),
      public_url_(std::move(public_url)),
      annotator_cookie_("manyverbs_" + store->project_id()),
      leader_cookie_("manyverbs_leader_" + store->project_id()) {}

std::string WebSessions::cookie(const std::string& name, const std::string& value, long seconds,
                                const std::string& same_site) const {
  return fmt::format("{}={}; Path={}/; HttpOnly; SameSite={}; Max-Age={}{}", name, value,
                     public_url_.empty() ? "" : public_path(public_url_), same_site, seconds,
                     public_url_.starts_with("https://") ? "; Secure" : "");
}

std::optional<Person> WebSessions::find_annotator(const HttpRequest& request) const {
  const std::string key = session_key(request, annotator_cookie_);
  const auto id = key.empty() ? std::nullopt : store_->session_person(key, time_now());
  return id ? std::optional(store_->person(*id)) : std::nullopt;
}

Person WebSessions::annotator(const HttpRequest& request) const {
  const std::optional<Person> person = find_annotator(request);
  if (!person) throw HttpError(401, "open your personal link, or ask for a new one");
  if (person->state == PersonState::Excluded) {
    throw HttpError(403, "you no longer take part in this project; thank you for your help");
  }
  return *person;
}

void WebSessions::join(const std::string& token, const HttpRequest& request, HttpResponse* reply) {
  const std::string session = new_token();
  const std::optional<Person> person = store_->join(
      token_hash(token), token_hash(session), session_key(request, annotator_cookie_), time_now());
  if (!person) throw HttpError(404, kInvalidLink);
  if (person->state == PersonState::Excluded) {
    throw HttpError(403, "you no longer take part in this project; thank you for your help");
  }
  // Lax: the page may be opened from a message, and must receive the cookie at once.
  reply->headers.set("Set-Cookie", cookie(annotator_cookie_, session, kAnnotatorSeconds, "Lax"));
}

void WebSessions::leave(const HttpRequest& request, HttpResponse* reply) {
  const std::string key = session_key(request, annotator_cookie_);
  if (!key.empty()) store_->close_session(key);
  reply->headers.set("Set-Cookie", cookie(annotator_cookie_, "", 0, "Lax"));
}

std::optional<Leader> WebSessions::find_leader(const HttpRequest& request) const {
  const std::string key = session_key(request, leader_cookie_);
  if (key.empty()) return std::nullopt;
  const Time now = time_now();
  const std::optional<Leader> leader = leaders_->of_session(key, now);
  // The page asks every few seconds.
  const Time last = leader ? leader->last_seen.value_or(0) : now;
  if (now < last || now - last > kSeenInterval) leaders_->seen(leader->id, now);
  return leader;
}

bool WebSessions::is_leader(const HttpRequest& request) const {
  return find_leader(request).has_value();
}

Leader WebSessions::leader(const HttpRequest& request) const {
  const std::optional<Leader> leader = find_leader(request);
  if (!leader) throw HttpError(401, "sign in first");
  return *leader;
}

Json WebSessions::leader_session(const HttpRequest& request) const {
  if (const std::optional<Leader> leader = find_leader(request)) {
    return {{"state", "signed_in"}, {"name", leader->name}};
  }
  return {{"state", leaders_->exist() ? "signed_out" : "setup"}};
}

Json WebSessions::open_leader(const Leader& leader, const std::string& session,
                              HttpResponse* reply) const {
  reply->headers.set("Set-Cookie", cookie(leader_cookie_, session, kLeaderSeconds, "Strict"));
  return {{"state", "signed_in"}, {"name", leader.name}};
}

Json WebSessions::invitee(const std::string& token) const {
  const auto found = leaders_->invitee(token_hash(token), time_now());
  if (!found) throw HttpError(403, kInvalidLink);
  return {{"name", found->name ? Json(*found->name) : Json(nullptr)}};
}

Json WebSessions::set_up(const Json& body, HttpResponse* reply) {
  const std::string link = token_hash(body_value<std::string>(body, "token"));
  const auto password = body_value<std::string>(body, "password");
  // Before the password is hashed: strangers must not make the server do that.
  const auto found = leaders_->invitee(link, time_now());
  if (!found) throw HttpError(403, kInvalidLink);
  const std::string name = found->name ? "" : body_value<std::string>(body, "name");
  require_good_password(password);
  const std::string session = new_token();
  const std::optional<Leader> leader =
      leaders_->set_up(link, name, password_hash(password), token_hash(session), time_now());
  if (!leader) throw HttpError(403, kInvalidLink);
  return open_leader(*leader, session, reply);
}

Json WebSessions::sign_in(const Json& body, const HttpRequest& request, HttpResponse* reply) {
  const auto name = body_value<std::string>(body, "name");
  const auto password = body_value<std::string>(body, "password");
  const std::string who = address_group(request.client);
  login_limiter_.begin(who, time_now());
  if (!leaders_->exist()) {
    throw HttpError(409, "no password is set: open the link that the server printed");
  }
  const auto account = leaders_->find(name, time_now());
  const std::string hash = account && !account->password.empty() ? account->password : kNoPassword;
  const bool right = password.size() <= kMostBytes && is_password(hash, password);
  const std::string session = new_token();
  if (!right || !leaders_->sign_in(*account, token_hash(session), time_now())) {
    throw HttpError(403, "wrong name or password");
  }
  login_limiter_.succeeded(who);
  return open_leader(account->leader, session, reply);
}

void WebSessions::sign_out(const HttpRequest& request, HttpResponse* reply) {
  const std::string key = session_key(request, leader_cookie_);
  if (!key.empty()) leaders_->close_session(key);
  reply->headers.set("Set-Cookie", cookie(leader_cookie_, "", 0, "Strict"));
}

void WebSessions::change_password(const Json& body, const HttpRequest& request) {
  const Leader leader = this->leader(request);
  const auto old = body_value<std::string>(body, "old");
  const auto password = body_value<std::string>(body, "new");
  require_good_password(password);
  const std::string who = address_group(request.client);
  login_limiter_.begin(who, time_now());
  const auto account = leaders_->find(leader.name, time_now());
  if (!account || old.size() > kMostBytes || !is_password(account->password, old)) {
    throw HttpError(403, "wrong password");
  }
  login_limiter_.succeeded(who);
  leaders_->set_password(leader.id, password_hash(password), session_key(request, leader_cookie_),
                         {leader.name, time_now()});
}

// Other sites cannot set this header: it requires a CORS preflight, which is never granted.
void WebSessions::refuse_other_sites(const HttpRequest& request) const {
  const std::string origin = request.headers.value("Origin");
  const bool own_origin = origin.empty() || authority(origin) == request.headers.value("Host") ||
                          (!public_url_.empty() && authority(origin) == authority(public_url_));
  if (request.headers.value("X-Manyverbs") != "1" || !own_origin) {
    throw HttpError(403, "this request does not come from a page of this server");
  }
}

std::string WebSessions::site(const HttpRequest& request) const {
  if (!public_url_.empty()) return public_url_;
  const std::string host = request.headers.value("Host");
  if (!is_host(host)) throw HttpError(400, "'{}' is not a host name", host);
  return "http://" + host;
}

}  // namespace manyverbs
