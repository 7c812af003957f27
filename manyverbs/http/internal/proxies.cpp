// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/proxies.h"

#include <utility>

#include "manyverbs/http/internal/address.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

// The items of a header, from all its lines, in the order in which proxies added them.
std::vector<std::string> items_of(const HttpHeaders& headers, const std::string& name) {
  std::vector<std::string> items;
  for (const std::string& line : headers.values(name)) {
    std::string item;
    for (const char c : line + ",") {
      if (c == ',') {
        items.push_back(std::exchange(item, ""));
      } else if (c != ' ' && c != '\t') {
        item += c;
      }
    }
  }
  return items;
}

}  // namespace

TrustedProxies::TrustedProxies(const std::vector<std::string>& addresses, bool this_machine)
    : this_machine_(this_machine) {
  for (const std::string& address : addresses) {
    const std::optional<std::string> plain = plain_address(address);
    if (!plain) throw Error("trusted proxy '{}': is not an IP address", address);
    addresses_.insert(*plain);
  }
}

bool TrustedProxies::contains(const std::string& address) const {
  return addresses_.count(address) > 0 || (this_machine_ && is_this_machine(address));
}

std::string TrustedProxies::caller(const std::string& peer, const HttpHeaders& headers) const {
  if (!contains(peer)) return peer;
  const std::vector<std::string> real = items_of(headers, "X-Real-IP");
  const std::vector<std::string> chain = items_of(headers, "X-Forwarded-For");
  if (real.empty()) return last_untrusted(chain).value_or(peer);
  const std::optional<std::string> named = plain_address(real.back());
  // A proxy may set one header and pass on the other one, forged by the client.
  if (!chain.empty() && last_untrusted(chain) != named) return peer;
  return named.value_or(peer);
}

std::optional<std::string> TrustedProxies::last_untrusted(
    const std::vector<std::string>& chain) const {
  for (auto each = chain.rbegin(); each != chain.rend(); ++each) {
    std::optional<std::string> address = plain_address(*each);
    if (!address || !contains(*address)) return address;
  }
  return std::nullopt;
}

}  // namespace manyverbs
