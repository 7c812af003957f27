// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <vector>

#include <httplib.h>

namespace manyverbs {

/// The proxies in front of the server, which say for whom they ask. What other callers say of
/// themselves is not believed.
class TrustedProxies {
 public:
  TrustedProxies() = default;
  /// IP addresses; `this_machine` adds 127.0.0.0/8 and ::1. Throws Error for what is no address.
  TrustedProxies(const std::vector<std::string>& addresses, bool this_machine);

  bool contains(const std::string& address) const;

  /// The address that a request comes from. When a trusted proxy sends it: the X-Real-IP header, or
  /// without one the last address in X-Forwarded-For that is not a trusted proxy's. "10.0.0.2" with
  /// "X-Forwarded-For: 198.51.100.9, 203.0.113.5, 10.0.0.3" and both proxies trusted is
  /// "203.0.113.5"; what stands before it may be made up.
  std::string caller(const httplib::Request& request) const;

 private:
  std::set<std::string> addresses_;
  bool this_machine_ = false;
};

}  // namespace manyverbs
