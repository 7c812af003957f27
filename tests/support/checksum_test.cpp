// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/checksum.h"

#include <string>

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

// The vectors of RFC 3720, section B.4.
TEST(Checksum, EqualsThePublishedVectors) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string rising;
  for (int i = 0; i < 32; ++i) rising += static_cast<char>(i);
  EXPECT_EQ(crc32c(rising), 0x46dd794eU);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(Checksum, TheMaskIsARotationAndAnOffset) {
  EXPECT_EQ(masked_crc32c(""), 0xa282ead8U);
  EXPECT_EQ(masked_crc32c("123456789"), (0xe3069283U >> 15 | 0xe3069283U << 17) + 0xa282ead8U);
}

}  // namespace
}  // namespace manyverbs
