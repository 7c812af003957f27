// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace manyverbs {

/// Parses a number, independent of the locale; nothing if the text is not a number. "2.5" gives
/// 2.5; "2,5", "2.5 s" and "" give nothing.
template <typename T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace manyverbs
