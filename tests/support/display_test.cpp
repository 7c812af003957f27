// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/display.h"

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

TEST(Display, PrintableTextIsOneLineWithoutTerminalCodes) {
  EXPECT_EQ(printable("a\nb"), "a b");
  EXPECT_EQ(printable("a\r\n\tb"), "a   b");
  EXPECT_EQ(printable("\x1b[31mred"), " [31mred");
  EXPECT_EQ(printable("\u009b31mred\u202egpj"), " 31mred gpj");
  EXPECT_EQ(printable("a\u2028b"), "a b");
  EXPECT_EQ(printable("切る é 🥕"), "切る é 🥕");
}

TEST(Display, InvalidUtf8IsReplaced) {
  EXPECT_EQ(printable("caf\xe9"), "caf\uFFFD");
  EXPECT_EQ(printable("\xc3"), "\uFFFD");
  EXPECT_EQ(printable("\xc0\xaf"), "\uFFFD\uFFFD");                      // '/' in too many bytes
  EXPECT_EQ(printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");            // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond the last letter
}

TEST(Display, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("cut"), 3);
  EXPECT_EQ(display_width("n\u00e9"), 2);
  EXPECT_EQ(display_width("ne\u0301"), 2);
  EXPECT_EQ(display_width("切る"), 4);
  EXPECT_EQ(display_width("🥕"), 2);
  EXPECT_EQ(display_width("33.5 ± 0.2"), 10);
}

TEST(Display, LongTextsEndInAnEllipsis) {
  EXPECT_EQ(shortened("remove", 6), "remove");
  EXPECT_EQ(shortened("remove", 4), "rem…");
  EXPECT_EQ(shortened("切る切る", 6), "切る…");
  EXPECT_EQ(shortened("切る切る", 4), "切…");
  EXPECT_EQ(shortened("a\nb", 10), "a b");
  EXPECT_EQ(display_width(shortened(std::string(300, 'x'), 20)), 20);
}

TEST(Display, AlignmentPadsWithSpaces) {
  EXPECT_EQ(left_aligned("né", 4), "né  ");
  EXPECT_EQ(left_aligned("切", 4), "切  ");
  EXPECT_EQ(left_aligned("wash", 2), "wash");
}

}  // namespace
}  // namespace manyverbs
