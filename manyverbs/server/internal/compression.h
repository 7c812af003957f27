// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace manyverbs {

/// Compresses a text with gzip at the highest level. This takes a few milliseconds for a page, so
/// the result should be stored.
std::string gzip(std::string_view text);

/// Whether an Accept-Encoding header allows gzip: "gzip, br" and "br;q=1, GZIP;q=0.5" do,
/// "gzip;q=0", "br" and "" do not.
bool accepts_gzip(std::string_view header);

}  // namespace manyverbs
