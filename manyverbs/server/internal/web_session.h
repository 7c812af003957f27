// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include <httplib.h>

#include "manyverbs/server/internal/guesses.h"
#include "manyverbs/server/internal/proxies.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// Who calls: annotators are known by a cookie that their personal link gave them, leaders by one
/// that their password gave them. Wrong passwords are slowed down, then blocked.
class WebSessions {
 public:
  /// `public_url` is "" or where people reach the proxy in front.
  WebSessions(AnnotationStore* store, std::string public_url, TrustedProxies proxies);

  /// Throws Refusal: 401 without a session, 403 for people who are excluded.
  Person annotator(const httplib::Request& request) const;
  bool is_leader(const httplib::Request& request) const;
  void require_leader(const httplib::Request& request) const;

  /// Opens an annotator's session. Throws Refusal (404) for a link that is none.
  void join(const std::string& token, httplib::Response* reply);
  /// "setup", "signed_out" or "signed_in".
  std::string leader_state(const httplib::Request& request) const;
  void set_up(const std::string& token, const std::string& password, httplib::Response* reply);
  void sign_in(const std::string& password, const httplib::Request& request,
               httplib::Response* reply);
  void sign_out(const httplib::Request& request, httplib::Response* reply);

  /// What the first leader needs to set a password; this server's own, and not kept anywhere.
  const std::string& setup_token() const { return setup_token_; }

  /// Throws Refusal (403) for a request that another site made a browser send.
  void refuse_other_sites(const httplib::Request& request) const;
  /// Where people reach this server, as the caller does.
  std::string site(const httplib::Request& request) const;

 private:
  void open_leader(httplib::Response* reply);
  std::string cookie(const std::string& name, const std::string& value, long seconds,
                     const std::string& same_site) const;

  AnnotationStore* store_;
  std::string public_url_;
  TrustedProxies proxies_;
  std::string setup_token_;
  GuessLimiter guesses_;
};

/// Throws Refusal (400) unless a password is long enough to be one.
void require_good_password(const std::string& password);

}  // namespace manyverbs
