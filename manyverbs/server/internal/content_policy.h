// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace manyverbs {

/// The Content-Security-Policy of a page. It allows the page's own script and style elements,
/// identified by their hashes, and requests to this server. Nothing else is loaded, and no other
/// site may embed the page in a frame.
std::string content_policy(std::string_view page);

/// An HTML page with a heading and a text, for visitors without a link. `path` is that of the
/// server: "" or "/verbs".
std::string plain_page(std::string_view heading, std::string_view text, std::string_view path);

/// Escapes a text for HTML: "<b>" is "&lt;b&gt;".
std::string html_text(std::string_view text);

}  // namespace manyverbs
