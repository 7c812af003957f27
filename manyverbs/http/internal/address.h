// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace manyverbs {

/// The canonical form of an IP address: "2001:DB8:0::1" is "2001:db8::1", "::ffff:10.0.0.7" is
/// "10.0.0.7". Nothing if the text is not an IP address.
std::optional<std::string> plain_address(const std::string& text);

/// The group that an address is counted in: IPv4 addresses individually, IPv6 addresses by their
/// /64 network, because one IPv6 customer has a whole network. "10.0.0.7" is unchanged,
/// "2001:db8:1:2:3::4" is "2001:db8:1:2::".
std::string address_group(const std::string& address);

/// Whether an address is a loopback address.
bool is_this_machine(const std::string& address);

/// An error message if the public URL is not valid, otherwise "". Valid is http(s)://HOST[:PORT],
/// or with a path, http(s)://HOST[:PORT]/PATH, and with an optional trailing slash. A path consists
/// of letters, digits and -._~ between slashes. "verbs.example.org" has no scheme.
std::string public_url_problem(const std::string& url);

/// The path of a valid public URL: "/verbs" of "https://example.org/verbs/", "" of
/// "https://example.org/".
std::string public_path(const std::string& url);

}  // namespace manyverbs
