// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "manyverbs/http/internal/http_message.h"

namespace manyverbs {

/// The trusted reverse proxies. Only their headers are used to determine the address of a client.
class TrustedProxies {
 public:
  TrustedProxies() = default;
  /// `this_machine` adds 127.0.0.0/8 and ::1. Throws Error for a text that is not an IP address.
  TrustedProxies(const std::vector<std::string>& addresses, bool this_machine);

  bool contains(const std::string& address) const;

  /// The address of the client of a connection from `peer`. If that is a trusted proxy: its
  /// X-Real-IP header, or the last address in X-Forwarded-For that is not a trusted proxy.
  /// "10.0.0.2" with "X-Forwarded-For: 198.51.100.9, 203.0.113.5, 10.0.0.3" and both proxies
  /// trusted is "203.0.113.5"; earlier addresses may be forged. The address of the proxy if it sent
  /// neither header, or both and they differ: one of them may be forged by the client.
  std::string caller(const std::string& peer, const HttpHeaders& headers) const;

 private:
  // The last address that is not a trusted proxy; nothing if an invalid address follows it.
  std::optional<std::string> last_untrusted(const std::vector<std::string>& chain) const;

  std::set<std::string> addresses_;
  bool this_machine_ = false;
};

}  // namespace manyverbs
