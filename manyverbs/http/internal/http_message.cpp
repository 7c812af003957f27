// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/http_message.h"

#include <strings.h>

#include <algorithm>

#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

bool is_same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool breaks_a_header(char c) { return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7f; }

}  // namespace

HttpHeaders::HttpHeaders(std::initializer_list<Header> headers) {
  for (const auto& [name, value] : headers) add(name, value);
}

bool HttpHeaders::contains(std::string_view name) const {
  return std::any_of(begin(), end(),
                     [&](const Header& header) { return is_same_name(header.first, name); });
}

std::string HttpHeaders::value(std::string_view name) const {
  for (const auto& [other, value] : headers_) {
    if (is_same_name(other, name)) return value;
  }
  return "";
}

std::vector<std::string> HttpHeaders::values(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& [other, value] : headers_) {
    if (is_same_name(other, name)) found.push_back(value);
  }
  return found;
}

void HttpHeaders::add(std::string name, std::string value) {
  if (std::any_of(value.begin(), value.end(), breaks_a_header)) {
    throw Error("the header {} contains control characters", name);
  }
  headers_.emplace_back(std::move(name), std::move(value));
}

void HttpHeaders::set(const std::string& name, std::string value) {
  std::erase_if(headers_, [&](const Header& header) { return is_same_name(header.first, name); });
  add(name, std::move(value));
}

std::string HttpRequest::parameter(std::string_view name) const {
  for (const auto& [other, value] : query) {
    if (other == name) return value;
  }
  return "";
}

void HttpResponse::set_body(std::string text, const std::string& type) {
  const auto owned = std::make_shared<const std::string>(std::move(text));
  set_body(*owned, type, owned);
}

void HttpResponse::set_body(std::string_view bytes, const std::string& type,
                            std::shared_ptr<const void> owner) {
  headers.set("Content-Type", type);
  owner_ = std::move(owner);
  body_ = bytes;
}

}  // namespace manyverbs
