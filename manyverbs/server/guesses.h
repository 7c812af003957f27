// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "manyverbs/server/store.h"

namespace manyverbs {

/// Slows down who guesses links or passwords, then blocks: after three wrong tries an address
/// waits 1 second, then 2, 4 …, and after ten 15 minutes. A right one, or an hour without a wrong
/// one, clears the slate.
class GuessLimiter {
 public:
  /// Throws Refusal (429) with the seconds to wait when a try comes too early; such a try does not
  /// count.
  void require_patience(const std::string& address, Time now);
  void wrong(const std::string& address, Time now);
  void right(const std::string& address);

 private:
  struct Record {
    int wrong = 0;
    Time last = 0;
    Time free = 0;  // may try again from here on
  };
  std::mutex mutex_;
  std::map<std::string, Record> records_;
};

/// What an address is counted by: an IPv6 customer has a whole network of 64 bits.
/// "10.0.0.7" stays, "2001:db8:1:2:3::4" is "2001:db8:1:2::".
std::string address_group(const std::string& address);

}  // namespace manyverbs
