// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// Slows down who guesses passwords, then blocks: after three wrong tries a guesser waits
/// 1 second, then 2, 4 …, and after ten 15 minutes. A right one, or an hour without a wrong one,
/// clears the slate. A guesser is any text, such as an address. Links need none of this: nobody
/// guesses 256 bits.
class GuessLimiter {
 public:
  /// Counts a try, as wrong until right() is called, so that many tries at a time cannot get ahead
  /// of the count. Throws Refusal (429) with the seconds to wait when it comes too early; such a
  /// try does not count.
  void begin(const std::string& guesser, Time now);
  void right(const std::string& guesser);

 private:
  struct Record {
    int wrong = 0;
    Time last = 0;
    Time free = 0;  // may try again from here on
  };
  void refuse_early(const std::string& guesser, Time now) const;
  void count(const std::string& guesser, Time now);

  std::mutex mutex_;
  std::map<std::string, Record> records_;
};

}  // namespace manyverbs
