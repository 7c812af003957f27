// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "manyverbs/http/internal/http_message.h"

#include "manyverbs/server/internal/login_limiter.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// Authentication. Annotators have a cookie from their personal link, leaders one from signing in
/// with the password. Password attempts are limited.
class WebSessions {
 public:
  /// `public_url` is the URL of the reverse proxy, or "". `project` is a part of the names of the
  /// cookies: several projects on one host, even on several ports, would overwrite each other's.
  WebSessions(AnnotationStore* store, std::string public_url, const std::string& project);

  /// Throws HttpError: 401 without a session, 403 for excluded people.
  Person annotator(const HttpRequest& request) const;
  bool is_leader(const HttpRequest& request) const;
  /// The leader who sends the request, as the author of its changes. Throws HttpError (401) without
  /// a session.
  Author leader(const HttpRequest& request) const;

  /// Opens an annotator's session. Throws HttpError (404) for an invalid link.
  void join(const std::string& token, HttpResponse* reply);
  /// "setup", "signed_out" or "signed_in".
  std::string leader_state(const HttpRequest& request) const;
  void set_up(const std::string& token, const std::string& password, HttpResponse* reply);
  void sign_in(const std::string& password, const HttpRequest& request, HttpResponse* reply);
  void sign_out(const HttpRequest& request, HttpResponse* reply);

  /// The token that allows the first leader to set a password. Created by this server and not
  /// stored.
  const std::string& setup_token() const { return setup_token_; }

  /// Throws HttpError (403) for cross-site requests.
  void refuse_other_sites(const HttpRequest& request) const;
  /// The URL of this server as seen by the client.
  std::string site(const HttpRequest& request) const;

 private:
  void open_leader(HttpResponse* reply);
  std::string cookie(const std::string& name, const std::string& value, long seconds,
                     const std::string& same_site) const;

  AnnotationStore* store_;
  std::string public_url_;
  std::string annotator_cookie_;
  std::string leader_cookie_;
  std::string setup_token_;
  LoginLimiter login_limiter_;
};

/// Throws HttpError (400) if a password is too short or too long.
void require_good_password(const std::string& password);

}  // namespace manyverbs
