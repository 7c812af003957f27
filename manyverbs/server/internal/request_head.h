// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace manyverbs {

/// The head of an HTTP request: its first line, its headers and the empty line below them. Checked
/// here before cpp-httplib reads it, so that no request can end anywhere but where a proxy in front
/// thinks it ends.

/// How many bytes the head at the start of a text has; 0 when the empty line has not come yet.
/// "GET / HTTP/1.1\r\nHost: a\r\n\r\n{}" has 27.
std::size_t head_size(std::string_view text);

/// How many bytes follow a head as its body: 2 for "POST … Content-Length: 2 …". Throws Refusal for
/// a head that two programs may read differently (400): a GET or HEAD with a body, two lengths, a
/// length that is not a number, lines that end in \n alone or that continue the line above; for a
/// body whose length is not given (411), for a Range that is too long (400), and for methods other
/// than GET, HEAD and POST (501).
std::size_t body_size(std::string_view head);

}  // namespace manyverbs
