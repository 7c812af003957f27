// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace manyverbs {

/// Prints a line to standard error, after flushing standard output: information for users, not for
/// programs. Disabled by silence_remarks().
void remark(std::string_view text);
void silence_remarks();

}  // namespace manyverbs
