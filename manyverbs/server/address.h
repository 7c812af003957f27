// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace manyverbs {

/// What an address is counted by: an IPv6 customer has a whole network of 64 bits.
/// "10.0.0.7" stays, "2001:db8:1:2:3::4" is "2001:db8:1:2::".
std::string address_group(const std::string& address);

/// Whether an address is one of this machine to itself.
bool is_this_machine(const std::string& address);

}  // namespace manyverbs
