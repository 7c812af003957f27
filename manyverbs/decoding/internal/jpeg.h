// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "manyverbs/decoding/image.h"

namespace manyverbs {

/// JPEG in memory. What write_picture() writes to a file is encode_jpeg() of the picture, and
/// read_picture() gives decode_jpeg() of the file. Both throw Error; `path` is for the message.
std::string encode_jpeg(const Image& image, const std::filesystem::path& path);
Image decode_jpeg(std::string_view jpeg, Colour colour, const std::filesystem::path& path);

}  // namespace manyverbs
