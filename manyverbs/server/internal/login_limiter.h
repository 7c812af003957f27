// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// Limits password attempts per client: after three wrong passwords a client must wait 1 second,
/// then 2, 4 …, and after ten 15 minutes. A correct password, or an hour without a wrong one,
/// resets the count. A client is any text, such as an address. Links need no limit: 256 random bits
/// cannot be guessed.
class LoginLimiter {
 public:
  /// Counts an attempt as wrong until succeeded() is called, so that parallel attempts are counted
  /// too. Throws HttpError (429) with the seconds to wait if the attempt comes too early; such an
  /// attempt is not counted.
  void begin(const std::string& client, Time now);
  void succeeded(const std::string& client);

 private:
  struct Record {
    int wrong = 0;
    Time last = 0;
    Time free = 0;  // no attempt before this time
  };
  void refuse_early(const std::string& client, Time now) const;
  void count(const std::string& client, Time now);

  std::mutex mutex_;
  std::map<std::string, Record> records_;
};

}  // namespace manyverbs
