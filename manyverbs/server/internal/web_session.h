// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "manyverbs/http/internal/http_message.h"

#include "manyverbs/server/internal/leaders.h"
#include "manyverbs/server/internal/login_limiter.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// The same text whether a link is unknown, used or expired, so that nothing can be guessed.
inline constexpr const char* kInvalidLink =
    "this link was already used or has expired; ask for a new one";

/// Authentication. Annotators have a cookie from their personal link, leaders one from signing in
/// with name and password, or from a set-up link. Password attempts are limited.
class WebSessions {
 public:
  /// `public_url` is the URL of the reverse proxy, or "". The project is a part of the names of the
  /// cookies: several projects on one host, even on several ports, would overwrite each other's.
  WebSessions(AnnotationStore* store, Leaders* leaders, std::string public_url);

  /// Whose session it is, also of an excluded person.
  std::optional<Person> find_annotator(const HttpRequest& request) const;
  /// Throws HttpError: 401 without a session, 403 for excluded people.
  Person annotator(const HttpRequest& request) const;
  /// Opens an annotator's session with the token of a personal link, which it uses up. Throws
  /// HttpError: 404 for a link that is unknown, used or expired, 403 for excluded people.
  void join(const std::string& token, const HttpRequest& request, HttpResponse* reply);
  /// Ends the session, if there is one.
  void leave(const HttpRequest& request, HttpResponse* reply);

  /// The leader who sends the request. Throws HttpError (401) without a session.
  Leader leader(const HttpRequest& request) const;
  bool is_leader(const HttpRequest& request) const;
  /// {"state": "setup" | "signed_out" | "signed_in", "name": … if signed in}. "setup": no leader
  /// has a password.
  Json leader_session(const HttpRequest& request) const;
  /// The name of the leader with this set-up link, null for the first leader. Throws HttpError
  /// (403) if the link is unknown, used or expired.
  Json invitee(const std::string& token) const;
  /// Sets the password with a set-up link, and signs in. `body` has token, password and, for the
  /// first leader, name.
  Json set_up(const Json& body, HttpResponse* reply);
  /// Throws HttpError (403) for an unknown name and a wrong password alike, after the same time.
  Json sign_in(const Json& body, const HttpRequest& request, HttpResponse* reply);
  void sign_out(const HttpRequest& request, HttpResponse* reply);
  /// The leader changes their password; their other sessions end. `body` has old and new.
  void change_password(const Json& body, const HttpRequest& request);

  /// Throws HttpError (403) for cross-site requests.
  void refuse_other_sites(const HttpRequest& request) const;
  /// The URL of this server as seen by the client.
  std::string site(const HttpRequest& request) const;

 private:
  Json open_leader(const Leader& leader, const std::string& session, HttpResponse* reply) const;
  std::optional<Leader> find_leader(const HttpRequest& request) const;
  std::string cookie(const std::string& name, const std::string& value, long seconds,
                     const std::string& same_site) const;

  AnnotationStore* store_;
  Leaders* leaders_;
  std::string public_url_;
  std::string annotator_cookie_;
  std::string leader_cookie_;
  LoginLimiter login_limiter_;
};

/// Throws HttpError (400) if a password is too short or too long.
void require_good_password(const std::string& password);

}  // namespace manyverbs
