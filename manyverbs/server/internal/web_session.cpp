// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/web_session.h"

#include <algorithm>
#include <utility>

#include "manyverbs/http/internal/address.h"
#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/secrets.h"

namespace manyverbs {
namespace {

constexpr long kDay = 86'400;  // seconds
constexpr long kAnnotatorSession = 180 * kDay;
constexpr long kLeaderSession = 7 * kDay;
constexpr std::size_t kShortestPassword = 8;
constexpr std::size_t kLongestPassword = 1000;

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

std::optional<int> session_of(AnnotationStore* store, const HttpRequest& request,
                              const std::string& name, long seconds) {
  const std::string token = cookie_of(request, name);
  if (token.empty()) return std::nullopt;
  return store->session_person(token_hash(token), time_now() - seconds * 1000);
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
  if (password.size() < kShortestPassword || password.size() > kLongestPassword) {
    throw HttpError(400, "a password must have {} to {} characters", kShortestPassword,
                    kLongestPassword);
  }
}

WebSessions::WebSessions(AnnotationStore* store, std::string public_url, const std::string& project)
    : store_(store),
      public_url_(std::move(public_url)),
      annotator_cookie_("manyverbs_" + project),
      leader_cookie_("manyverbs_leader_" + project),
      setup_token_(new_token()) {}

Person WebSessions::annotator(const HttpRequest& request) const {
  const auto id = session_of(store_, request, annotator_cookie_, kAnnotatorSession);
  if (!id || *id == 0) throw HttpError(401, "open your personal link again, or ask for a new one");
  const Person person = store_->person(*id);
  if (person.state == PersonState::Excluded) {
    throw HttpError(403, "you no longer take part in this project; thank you for your help");
  }
  return person;
}

bool WebSessions::is_leader(const HttpRequest& request) const {
  return session_of(store_, request, leader_cookie_, kLeaderSession) == 0;
}

Author WebSessions::leader(const HttpRequest& request) const {
  if (!is_leader(request)) throw HttpError(401, "sign in first");
  return {"leader", time_now()};
}

std::string WebSessions::cookie(const std::string& name, const std::string& value, long seconds,
                                const std::string& same_site) const {
  return fmt::format("{}={}; Path={}/; HttpOnly; SameSite={}; Max-Age={}{}", name, value,
                     public_url_.empty() ? "" : public_path(public_url_), same_site, seconds,
                     public_url_.starts_with("https://") ? "; Secure" : "");
}

void WebSessions::join(const std::string& token, HttpResponse* reply) {
  const std::optional<Person> person = store_->person_of_link(token_hash(token));
  if (!person) throw HttpError(404, "this link is no longer valid, ask for a new one");
  if (person->state == PersonState::Excluded) {
    throw HttpError(403, "you no longer take part in this project; thank you for your help");
  }
  const std::string session = new_token();
  store_->open_session(token_hash(session), person->id, time_now());
  // Lax: the link is opened from a message, and the page must receive the cookie at once.
  reply->headers.set("Set-Cookie", cookie(annotator_cookie_, session, kAnnotatorSession, "Lax"));
}

std::string WebSessions::leader_state(const HttpRequest& request) const {
  if (store_->password().empty()) return "setup";
  return is_leader(request) ? "signed_in" : "signed_out";
}

void WebSessions::open_leader(HttpResponse* reply) {
  const std::string session = new_token();
  store_->open_session(token_hash(session), 0, time_now());
  reply->headers.set("Set-Cookie", cookie(leader_cookie_, session, kLeaderSession, "Strict"));
}

void WebSessions::set_up(const std::string& token, const std::string& password,
                         HttpResponse* reply) {
  if (!equal_secrets(token, setup_token_)) {
    throw HttpError(403, "this is not the link that the server printed at its start");
  }
  require_good_password(password);
  if (!store_->set_password(password_hash(password), false)) {
    throw HttpError(409, "a password is already set: sign in with it");
  }
  open_leader(reply);
}

void WebSessions::sign_in(const std::string& password, const HttpRequest& request,
                          HttpResponse* reply) {
  const std::string who = address_group(request.client);
  login_limiter_.begin(who, time_now());
  const std::string hash = store_->password();
  if (hash.empty())
    throw HttpError(409, "no password is set: open the link that the server printed");
  if (password.size() > kLongestPassword || !is_password(hash, password)) {
    throw HttpError(403, "wrong password");
  }
  login_limiter_.succeeded(who);
  open_leader(reply);
}

void WebSessions::sign_out(const HttpRequest& request, HttpResponse* reply) {
  const std::string token = cookie_of(request, leader_cookie_);
  if (!token.empty()) store_->close_session(token_hash(token));
  reply->headers.set("Set-Cookie", cookie(leader_cookie_, "", 0, "Strict"));
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
