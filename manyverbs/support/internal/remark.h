// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace manyverbs {

/// A line on standard error, behind what is on standard output so far: what users should know but
/// no program needs. Nothing after silence_remarks().
void remark(std::string_view text);
void silence_remarks();

}  // namespace manyverbs
