// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace manyverbs {

/// Makes names from users' files printable in tables: they may contain line breaks, terminal codes,
/// wide characters, or invalid UTF-8.

/// The text as one line of UTF-8: invalid bytes become U+FFFD, control characters become spaces.
/// "a\nb" gives "a b".
std::string printable(std::string_view text);

/// The width of a printable text in terminal columns: combining characters take none, East Asian
/// characters and emoji two. "né" takes 2 in any encoding form, "切る" 4.
int display_width(std::string_view text);

/// Truncates a printable text to `width` columns, with "…" at the end. "remove" in 4 columns is
/// "rem…".
std::string shortened(std::string_view text, int width);

/// Pads with spaces on the right to `width` columns.
std::string left_aligned(std::string_view text, int width);

}  // namespace manyverbs
