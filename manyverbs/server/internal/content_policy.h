// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace manyverbs {

/// The Content-Security-Policy of a page: its own script and style elements, known by their
/// hashes, and this server; nothing else loads, and no other site may frame it.
std::string content_policy(std::string_view page);

/// A page with a heading and a text, for people who come without a link.
std::string plain_page(std::string_view heading, std::string_view text);

/// Text that stands in HTML: "<b>" is "&lt;b&gt;".
std::string html_text(std::string_view text);

}  // namespace manyverbs
