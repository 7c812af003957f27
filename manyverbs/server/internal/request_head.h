// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace manyverbs {

/// The head of an HTTP request: request line, headers and the empty line. It is checked before
/// cpp-httplib parses it, so that this server and a proxy always agree on where a request ends.

/// The size in bytes of the head at the start of a text; 0 if the empty line has not arrived yet.
/// "GET / HTTP/1.1\r\nHost: a\r\n\r\n{}" has 27.
std::size_t head_size(std::string_view text);

/// The size in bytes of the body after a head: 2 for "POST … Content-Length: 2 …". Throws HttpError
/// for an ambiguous head (400): GET or HEAD with a body, two lengths, a length that is not a
/// number, lines that end in \n only, or continuation lines; for a body without a length (411), for
/// a Range that is too long (400), and for methods other than GET, HEAD and POST (501).
std::size_t body_size(std::string_view head);

}  // namespace manyverbs
