// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace manyverbs {

/// An IP address in its usual form: "2001:DB8:0::1" is "2001:db8::1", "::ffff:10.0.0.7" is
/// "10.0.0.7". Nothing for any other text.
std::optional<std::string> plain_address(const std::string& text);

/// What an address is counted by: an IPv6 customer has a whole network of 64 bits.
/// "10.0.0.7" stays, "2001:db8:1:2:3::4" is "2001:db8:1:2::".
std::string address_group(const std::string& address);

/// Whether an address is one of this machine to itself.
bool is_this_machine(const std::string& address);

/// What is wrong with the URL under which people reach the server, for a message; "" for
/// http(s)://HOST[:PORT], with a slash behind it or not. "verbs.example.org" has no scheme, and
/// "https://example.org/verbs" a path, which is not supported.
std::string public_url_problem(const std::string& url);

}  // namespace manyverbs
