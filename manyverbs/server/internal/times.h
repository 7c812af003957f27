// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace manyverbs {

/// Milliseconds since 1970.
using Time = std::int64_t;
Time time_now();
/// "2026-01-31T14:03:21Z"
std::string time_text(Time time);
/// The time in a text of this form; nothing if it has another form.
std::optional<Time> time_in(const std::string& text);

}  // namespace manyverbs
