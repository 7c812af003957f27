// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/request_head.h"

#include <strings.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

struct Header {
  std::string_view name;
  std::string_view value;
};

struct Length {
  std::optional<std::size_t> given;  // from Content-Length
  bool is_chunked = false;           // or another transfer encoding
  bool has_host = false;
};

bool is_called(const Header& header, std::string_view name) {
  return header.name.size() == name.size() &&
         strncasecmp(header.name.data(), name.data(), name.size()) == 0;
}

// Characters of method and header names, see RFC 9110.
bool is_token(std::string_view text) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return std::isalnum(c) != 0 || kSigns.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

// Removes and returns the first line of a head. A \r or \n elsewhere counts as a control character.
std::string_view take_line(std::string_view* head) {
  const std::size_t end = head->find(kLineEnd);
  const std::string_view line = head->substr(0, end);
  if (end == std::string_view::npos || has_control(line)) {
    throw HttpError(400,
                    "a line of the request contains control characters or does not end in CR LF");
  }
  head->remove_prefix(end + kLineEnd.size());
  return line;
}

std::string_view method_in(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  const std::string_view method = line.substr(0, first);
  const bool is_line = first != std::string_view::npos && last > first + 1 &&
                       line.find(' ', first + 1) == last && is_token(method) &&
                       (line.substr(last) == " HTTP/1.1" || line.substr(last) == " HTTP/1.0");
  if (!is_line) throw HttpError(400, "expected METHOD PATH HTTP/1.1 in the first line");
  if (last - first - 1 > kLongestTarget) throw HttpError(414, "the path is too long");
  if (method != "GET" && method != "HEAD" && method != "POST") {
    throw HttpError(501, "expected the method GET, HEAD or POST");
  }
  return method;
}

Header header_in(std::string_view line) {
  const std::size_t colon = std::min(line.find(':'), line.size());
  Header header{line.substr(0, colon), line.substr(std::min(colon + 1, line.size()))};
  if (colon == line.size() || !is_token(header.name)) {
    throw HttpError(400, "expected headers as NAME: VALUE");
  }
  constexpr std::string_view kBlanks = " \t";
  header.value.remove_prefix(
      std::min(header.value.find_first_not_of(kBlanks), header.value.size()));
  header.value = header.value.substr(0, header.value.find_last_not_of(kBlanks) + 1);
  return header;
}

void note_header(const Header& header, Length* length) {
  if (is_called(header, "Content-Length")) {
    if (length->given) throw HttpError(400, "Content-Length is given twice");
    length->given = number_in<std::size_t>(header.value);
    if (!length->given) throw HttpError(400, "Content-Length is not a number");
  } else if (is_called(header, "Transfer-Encoding")) {
    length->is_chunked = true;
  } else if (is_called(header, "Host")) {
    if (length->has_host) throw HttpError(400, "Host is given twice");
    length->has_host = true;
  } else if (is_called(header, "Range") && header.value.size() > kLongestRange) {
    throw HttpError(400, "Range has more than {} characters", kLongestRange);
  }
}

}  // namespace

std::size_t head_size(std::string_view text, std::size_t from) {
  // A line that ends in \n only is an error; it is reported at once instead of waiting for \r\n.
  const std::size_t wrong = text.find("\n\n", from);
  const std::size_t right = text.find("\n\r\n", from);
  if (wrong < right) return wrong + 2;
  return right == std::string_view::npos ? 0 : right + 3;
}

std::size_t body_size(std::string_view head) {
  const std::string_view method = method_in(take_line(&head));
  Length length;
  for (std::size_t headers = 0;; ++headers) {
    const std::string_view line = take_line(&head);
    if (line.empty()) break;
    if (headers == kMostHeaders) throw HttpError(431, "more than {} headers", kMostHeaders);
    note_header(header_in(line), &length);
  }
  if (method != "POST" && (length.given || length.is_chunked)) {
    throw HttpError(400, "a {} request must not have a body", method);
  }
  if (length.given && length.is_chunked) {
    throw HttpError(400, "both Content-Length and Transfer-Encoding are given");
  }
  if (method == "POST" && !length.given) {
    throw HttpError(411, "a POST request needs a Content-Length");
  }
  return length.given.value_or(0);
}

}  // namespace manyverbs
