// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// JSON for a script element: '<' and line separators are escaped, so that no name can end the
/// element; invalid UTF-8 is replaced. {"a": "</script>"} gives {"a":"\u003c/script>"}.
std::string script_json(const Json& json);

/// Replaces the word REPORT_DATA in a page, which must contain it, by the data.
std::string filled_page(std::string_view page, const Json& data);

}  // namespace manyverbs
