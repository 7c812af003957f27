// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/database.h"

namespace manyverbs {

/// The status of the reply if a request makes this call: that of an HttpError, 503 if the database
/// fails, otherwise 200.
inline int status_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const HttpError& error) {
    return error.status();
  } catch (const DatabaseError&) {
    return 503;
  }
  return 200;
}

}  // namespace manyverbs
