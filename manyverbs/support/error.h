// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace manyverbs {

/// Something outside the program is wrong: a file, a setting, a label. The message says where, what
/// was found and what would be right:
///
///   throw Error("{}:{}: class '{}' is not in classes.csv", path, line, name);
///
/// A broken promise inside the program is an assert, not an Error.
class Error : public std::runtime_error {
 public:
  template <typename... Arguments>
  explicit Error(fmt::format_string<Arguments...> format, Arguments&&... arguments)
      : std::runtime_error(fmt::format(format, std::forward<Arguments>(arguments)...)) {}
};

}  // namespace manyverbs
