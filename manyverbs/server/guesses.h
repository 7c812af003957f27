// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "manyverbs/server/store.h"

namespace manyverbs {

/// Slows down who guesses links or passwords, then blocks: after three wrong tries a guesser waits
/// 1 second, then 2, 4 …, and after ten 15 minutes. A right one, or an hour without a wrong one,
/// clears the slate. A guesser is any text, such as "password 10.0.0.7".
class GuessLimiter {
 public:
  /// Throws Refusal (429) with the seconds to wait when a try comes too early; such a try does not
  /// count.
  void require_patience(const std::string& guesser, Time now);
  void wrong(const std::string& guesser, Time now);
  /// Both at once: the try counts as wrong until right() is called, so that many tries at a time
  /// cannot get ahead of the count.
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
