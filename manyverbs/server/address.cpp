// SPDX-License-Identifier: MIT
#include "manyverbs/server/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace manyverbs {

std::optional<std::string> plain_address(const std::string& text) {
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return text;
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> plain{};
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, v6.s6_addr + 12, plain.data(), plain.size());
  } else {
    inet_ntop(AF_INET6, &v6, plain.data(), plain.size());
  }
  return plain.data();
}

std::string address_group(const std::string& address) {
  in6_addr parsed{};
  if (inet_pton(AF_INET6, address.c_str(), &parsed) != 1) return address;
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
