// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace manyverbs {

/// An error outside the program: a file, a setting, a label. The message names the location, what
/// was found and what was expected:
///
///   throw Error("{}:{}: class '{}' is not in classes.csv", path, line, name);
///
/// Violated invariants inside the program are asserts, not Errors.
class Error : public std::runtime_error {
 public:
  template <typename... Arguments>
  explicit Error(fmt::format_string<Arguments...> format, Arguments&&... arguments)
      : std::runtime_error(fmt::format(format, std::forward<Arguments>(arguments)...)) {}
};

}  // namespace manyverbs
