// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace manyverbs {

/// What a network sees of a clip: its pictures, or the optical flow between them.
enum class Stream { Rgb, Flow };
std::string_view stream_name(Stream stream);
/// "rgb" and "flow"; throws Error with the nearest spelling.
Stream find_stream(std::string_view name);

}  // namespace manyverbs
