// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/remark.h"

#include <atomic>
#include <cstdio>

#include <fmt/format.h>

namespace manyverbs {
namespace {

std::atomic<bool> remarks_are_silent = false;

}  // namespace

void remark(std::string_view text) {
  if (remarks_are_silent) return;
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", text);
}

void silence_remarks() { remarks_are_silent = true; }

}  // namespace manyverbs
