// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/names.h"

#include <algorithm>

#include "manyverbs/http/internal/http_error.h"

namespace manyverbs {
namespace {

constexpr int kLongestName = 100;  // characters

std::string with_single_spaces(const std::string& text) {
  std::string name;
  for (const char c : text) {
    if (c != ' ' || (!name.empty() && name.back() != ' ')) name += c;
  }
  if (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

}  // namespace

std::string clean_name(const std::string& text) {
  std::string name = with_single_spaces(text);
  const bool control = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (control) throw HttpError(400, "a name must not contain line breaks or control characters");
  if (name.empty() || character_count(name) > kLongestName) {
    throw HttpError(400, "a name must have 1 to {} characters", kLongestName);
  }
  return name;
}

int character_count(const std::string& text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string folded_name(const std::string& name) {
  std::string folded = with_single_spaces(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

}  // namespace manyverbs
