// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
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
  /// the last address in X-Forwarded-For that is not a trusted proxy's. "10.0.0.2" with
  /// "X-Forwarded-For: 198.51.100.9, 203.0.113.5, 10.0.0.3" and both proxies trusted is
  /// "203.0.113.5"; what stands before it may be made up. The proxy's own address when there is
  /// neither header, or when both are there and disagree: the caller may have made one of them up.
  std::string caller(const httplib::Request& request) const;

 private:
  // The last address that is not a trusted proxy's; nothing when another text comes before it.
  std::optional<std::string> last_stranger(const std::vector<std::string>& chain) const;

  std::set<std::string> addresses_;
  bool this_machine_ = false;
};

}  // namespace manyverbs
