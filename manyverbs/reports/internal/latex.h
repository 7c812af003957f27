// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace manyverbs {

/// Escapes a printable text for LaTeX: "a_b & 5 %" gives "a\_b \& 5 \%".
std::string latex_text(std::string_view text);

}  // namespace manyverbs
