// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace manyverbs {

/// Names from users' files, made fit to stand in tables: they may hold line breaks, terminal codes,
/// Chinese, or bytes that are no text at all.

/// The text as UTF-8 on one line: what is no UTF-8 becomes U+FFFD, control characters become
/// spaces. "a\nb" gives "a b".
std::string printable(std::string_view text);

/// How many columns of a terminal a printable text takes: accents that stand on another letter
/// take none, Chinese and emoji two. "né" takes 2 however it is written, "切る" 4.
int display_width(std::string_view text);

/// A printable text in at most `width` columns; what does not fit is cut and ends in "…".
/// "remove" in 4 columns is "rem…".
std::string shortened(std::string_view text, int width);

/// Filled up with spaces on the right to `width` columns.
std::string left_aligned(std::string_view text, int width);

}  // namespace manyverbs
