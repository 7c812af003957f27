// SPDX-License-Identifier: MIT
#include "manyverbs/server/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace manyverbs {

std::string address_group(const std::string& address) {
  in6_addr parsed{};
  if (inet_pton(AF_INET6, address.c_str(), &parsed) != 1) return address;
  if (IN6_IS_ADDR_V4MAPPED(&parsed)) return address;
  constexpr std::size_t kNetwork = 8;  // bytes
  std::fill(std::begin(parsed.s6_addr) + kNetwork, std::end(parsed.s6_addr), std::uint8_t{0});
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, &parsed, text.data(), text.size());
  return text.data();
}

bool is_this_machine(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace manyverbs
