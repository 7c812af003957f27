// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {

/// Parameters of GET requests of the leader's page.

/// The number in a parameter, `otherwise` for "". Throws HttpError (400) unless it is at least 0.
inline int query_number(const std::string& text, int otherwise, const std::string& key) {
  if (text.empty()) return otherwise;
  const auto number = number_in<int>(text);
  if (!number || *number < 0) {
    throw HttpError(400, "{}: expected a number of at least 0, found '{}'", key, text);
  }
  return *number;
}

/// A part of a list, as asked for with from=20&count=20; at most 100 entries, 20 by default.
struct PageQuery {
  PageQuery(const std::string& from, const std::string& count)
      : from(query_number(from, 0, "from")),
        most(std::min(100, query_number(count, 20, "count"))) {}

  /// The place after the last entry in a list of this length.
  std::size_t end(std::size_t total) const {
    return std::min(total, static_cast<std::size_t>(from) + static_cast<std::size_t>(most));
  }

  int from;
  int most;
};

}  // namespace manyverbs
