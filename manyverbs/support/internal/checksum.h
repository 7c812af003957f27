// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace manyverbs {

/// CRC-32C (Castagnoli): 0xe3069283 for "123456789".
std::uint32_t crc32c(std::string_view bytes);

/// The checksum of TFRecords: a CRC-32C, rotated and with an offset, since CRCs of CRCs are weak.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace manyverbs
