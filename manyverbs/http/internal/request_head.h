// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace manyverbs {

/// The head of an HTTP request: request line, headers and the empty line. It is checked before
/// Boost.Beast parses it, which accepts some ambiguous heads (two equal lengths, continuation
/// lines): this server and a proxy must always agree on where a request ends.

/// The size in bytes of the head at the start of a text; 0 if the empty line has not arrived yet.
/// The search starts at `from`. "GET / HTTP/1.1\r\nHost: a\r\n\r\n{}" has 27.
std::size_t head_size(std::string_view text, std::size_t from = 0);

/// Maximum lengths of a target, such as "/clips/1.mp4?a=b", and of a Range header, in characters,
/// and maximum number of headers.
inline constexpr std::size_t kLongestTarget = 8000;
inline constexpr std::size_t kLongestRange = 100;
inline constexpr std::size_t kMostHeaders = 100;

/// The size in bytes of the body after a head: 2 for "POST … Content-Length: 2 …". Throws HttpError
/// for an ambiguous head (400): GET or HEAD with a body, two lengths, a length that is not a
/// number, lines that end in \n only, white space before a colon, or continuation lines; for a body
/// without a length, which includes chunked bodies (411), for a target that is too long (414), for
/// too many headers (431), for a Range that is too long (400), and for methods other than GET, HEAD
/// and POST (501).
std::size_t body_size(std::string_view head);

}  // namespace manyverbs
