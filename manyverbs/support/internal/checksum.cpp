// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/checksum.h"

#include <array>
#include <cstring>

namespace manyverbs {
namespace {

using CrcTable = std::array<std::uint32_t, 256>;

// Bits reversed. Table k is for a byte with k bytes after it, so that eight bytes are one step.
constexpr std::array<CrcTable, 8> crc_tables() {
  std::array<CrcTable, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0x82F63B78 : 0);
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTables = crc_tables();
  std::uint32_t crc = ~0U;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t block = 0;
    std::memcpy(&block, bytes.data(), 8);
    block ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][block >> 8 * k & 0xFF];
  }
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return ~crc;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xA282EAD8;
}

}  // namespace manyverbs
