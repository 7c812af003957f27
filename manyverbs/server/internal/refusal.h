// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "manyverbs/support/error.h"

namespace manyverbs {

/// A request that is turned down, with the status of HTTP that says why and one line for a person.
class Refusal : public Error {
 public:
  template <typename... Arguments>
  explicit Refusal(int status, fmt::format_string<Arguments...> format, Arguments&&... arguments)
      : Error(format, std::forward<Arguments>(arguments)...), status_(status) {}

  int status() const { return status_; }

  /// Seconds to wait before the next try; 0 when waiting does not help.
  int wait() const { return wait_; }
  Refusal& waiting(int seconds) {
    wait_ = seconds;
    return *this;
  }

 private:
  int status_;
  int wait_ = 0;
};

}  // namespace manyverbs
