// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string>

namespace manyverbs {

/// Prints "manyverbs: PROBLEM" to standard error. Never throws: a server must not end because its
/// log cannot be written, as on a full disk.
inline void log_problem(const std::string& problem) noexcept {
  std::fprintf(stderr, "manyverbs: %s\n", problem.c_str());
}

}  // namespace manyverbs
