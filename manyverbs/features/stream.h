// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace manyverbs {

/// The input of a backbone: the frames of a clip, or the optical flow between them.
enum class Stream { Rgb, Flow };
std::string_view stream_name(Stream stream);
/// Finds "rgb" or "flow". Throws Error with a suggestion for other names.
Stream find_stream(std::string_view name);

}  // namespace manyverbs
