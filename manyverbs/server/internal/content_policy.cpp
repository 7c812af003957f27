// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/content_policy.h"

#include <algorithm>

#include <fmt/format.h>

#include "manyverbs/server/internal/secrets.h"

namespace manyverbs {
namespace {

// The hash " 'sha256-…'" of the content of each element with that name.
std::string hashes(std::string_view page, std::string_view element) {
  const std::string open = fmt::format("<{}", element);
  const std::string close = fmt::format("</{}>", element);
  std::string text;
  for (std::size_t at = page.find(open); at != std::string_view::npos; at = page.find(open, at)) {
    const std::size_t inside = page.find('>', at);
    const std::size_t end = page.find(close, at);
    if (inside == std::string_view::npos || end == std::string_view::npos) break;
    text += fmt::format(" 'sha256-{}'", sha256_base64(page.substr(inside + 1, end - inside - 1)));
    at = end;
  }
  return text.empty() ? " 'none'" : text;
}

}  // namespace

std::string content_policy(std::string_view page) {
  return fmt::format(
      "default-src 'none'; script-src{}; style-src{}; connect-src 'self'; img-src 'self' data:; "
      "media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      hashes(page, "script"), hashes(page, "style"));
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string plain_page(std::string_view heading, std::string_view text, std::string_view path) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>manyverbs</title>\n"
      "<style>body {{ font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; "
      "padding: 0 1rem; color: #222; background: #fff }} a {{ color: #1a4fa0 }}</style>\n"
      "<h1>{1}</h1>\n<p>{2}</p>\n"
      "<p>Leaders sign in at <a href=\"{0}/lead\">{0}/lead</a>.</p>\n</html>\n",
      html_text(path), html_text(heading), html_text(text));
}

}  // namespace manyverbs
