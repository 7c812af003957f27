// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace manyverbs {

/// A text as the bytes of a gzip file, as small as they get: a few milliseconds for a page, so done
/// once and kept.
std::string gzip(std::string_view text);

/// Whether an Accept-Encoding header allows gzip: "gzip, br" and "br;q=1, GZIP;q=0.5" do,
/// "gzip;q=0", "br" and "" do not.
bool accepts_gzip(std::string_view header);

}  // namespace manyverbs
