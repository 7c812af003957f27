// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/display.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace manyverbs {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Letter {
  char32_t code;
  std::size_t bytes;  ///< its encoded length
};

// The first character of a non-empty text; for invalid UTF-8 the first byte.
Letter first_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {kReplacement, 1};
  char32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {kReplacement, 1};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const char32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  const bool is_letter = code >= least && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return is_letter ? Letter{code, bytes} : Letter{kReplacement, 1};
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t kSize>
bool is_in(const std::array<Range, kSize>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

// Includes characters that change the text direction, which can hide parts of a name.
constexpr std::array<Range, 5> kControls = {
    {{0x00, 0x1F}, {0x7F, 0x9F}, {0x2028, 0x2029}, {0x202A, 0x202E}, {0x2066, 0x2069}}};

// Combining characters and joiners.
constexpr std::array<Range, 19> kNoColumn = {{{0x0300, 0x036F},
                                              {0x0483, 0x0489},
                                              {0x0591, 0x05BD},
                                              {0x0610, 0x061A},
                                              {0x064B, 0x065F},
                                              {0x093C, 0x093C},
                                              {0x0941, 0x0948},
                                              {0x094D, 0x094D},
                                              {0x0E31, 0x0E31},
                                              {0x0E34, 0x0E3A},
                                              {0x0E47, 0x0E4E},
                                              {0x1AB0, 0x1AFF},
                                              {0x1DC0, 0x1DFF},
                                              {0x200B, 0x200F},
                                              {0x2060, 0x2064},
                                              {0x20D0, 0x20FF},
                                              {0xFE00, 0xFE0F},
                                              {0xFE20, 0xFE2F},
                                              {0xFEFF, 0xFEFF}}};

// East Asian characters and emoji.
constexpr std::array<Range, 14> kTwoColumns = {{{0x1100, 0x115F},
                                                {0x231A, 0x231B},
                                                {0x2E80, 0x303E},
                                                {0x3041, 0xA4CF},
                                                {0xAC00, 0xD7A3},
                                                {0xF900, 0xFAFF},
                                                {0xFE30, 0xFE6F},
                                                {0xFF00, 0xFF60},
                                                {0xFFE0, 0xFFE6},
                                                {0x1F300, 0x1F64F},
                                                {0x1F680, 0x1F6FF},
                                                {0x1F900, 0x1F9FF},
                                                {0x1FA70, 0x1FAFF},
                                                {0x20000, 0x3FFFD}}};

int columns_of(char32_t code) {
  if (is_in(kNoColumn, code)) return 0;
  return is_in(kTwoColumns, code) ? 2 : 1;
}

std::string spaces(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (is_in(kControls, letter.code)) {
      clean += ' ';
    } else if (letter.code == kReplacement) {
      clean += "\uFFFD";
    } else {
      clean += text.substr(0, letter.bytes);
    }
    text.remove_prefix(letter.bytes);
  }
  return clean;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    width += columns_of(letter.code);
    text.remove_prefix(letter.bytes);
  }
  return width;
}

std::string shortened(std::string_view text, int width) {
  std::string clean = printable(text);
  if (display_width(clean) <= width) return clean;
  std::string_view rest = clean;
  std::string kept;
  int used = 1;  // for the …
  while (true) {
    const Letter letter = first_letter(rest);
    used += columns_of(letter.code);
    if (used > width) return kept + "…";
    kept += rest.substr(0, letter.bytes);
    rest.remove_prefix(letter.bytes);
  }
}

std::string left_aligned(std::string_view text, int width) {
  return std::string(text) + spaces(width - display_width(text));
}

}  // namespace manyverbs
