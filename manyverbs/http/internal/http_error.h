// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "manyverbs/support/error.h"

namespace manyverbs {

/// A request that fails, with an HTTP status and a message of one line for the user.
class HttpError : public Error {
 public:
  template <typename... Arguments>
  explicit HttpError(int status, fmt::format_string<Arguments...> format, Arguments&&... arguments)
      : Error(format, std::forward<Arguments>(arguments)...), status_(status) {}

  int status() const { return status_; }

  /// Seconds to wait before trying again; 0 if waiting does not help.
  int retry_after() const { return retry_after_; }
  HttpError& set_retry_after(int seconds) {
    retry_after_ = seconds;
    return *this;
  }

 private:
  int status_;
  int retry_after_ = 0;
};

}  // namespace manyverbs
