// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

// "example.org", "10.0.0.7:8080", "[::1]:8080".
bool is_authority(const std::string& text) {
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string::npos) return false;
  const std::size_t colon = std::min(text.find(':', bracket), text.size());
  const std::string host = text.substr(0, colon);
  const bool is_name = !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-';
  });
  const bool is_v6 =
      bracket > 0 && host.ends_with(']') && plain_address(host.substr(1, bracket - 1)).has_value();
  const auto port =
      colon < text.size() ? number_in<std::uint16_t>(text.substr(colon + 1)) : std::uint16_t{80};
  return (is_name || is_v6) && port.value_or(0) > 0;
}

// "", "/", "/verbs", "/lab/verbs/".
bool is_public_path(const std::string& path) {
  const auto is_allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos;
  };
  // "." and ".." would be removed by browsers.
  return std::all_of(path.begin(), path.end(), is_allowed) &&
         path.find("//") == std::string::npos && path.find("/.") == std::string::npos;
}

}  // namespace

std::optional<std::string> plain_address(const std::string& text) {
  in_addr v4{};
  in6_addr v6{};
  std::array<char, INET6_ADDRSTRLEN> plain{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) {
    inet_ntop(AF_INET, &v4, plain.data(), plain.size());
  } else if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) {
    return std::nullopt;
  } else if (IN6_IS_ADDR_V4MAPPED(&v6)) {
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

std::string public_url_problem(const std::string& url) {
  const std::size_t scheme = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  const std::size_t path = std::min(url.find('/', scheme), url.size());
  if (scheme > 0 && is_authority(url.substr(scheme, path - scheme)) &&
      is_public_path(url.substr(path))) {
    return "";
  }
  return fmt::format("'{}' is not http://HOST[:PORT][/PATH] or https://HOST[:PORT][/PATH]", url);
}

std::string public_path(const std::string& url) {
  const std::size_t start = std::min(url.find('/', url.find("://") + 3), url.size());
  std::string path = url.substr(start);
  if (path.ends_with('/')) path.pop_back();
  return path;
}

bool is_this_machine(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace manyverbs
