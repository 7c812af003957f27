// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/request_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/request_head.h"

namespace manyverbs {
namespace {

namespace beast = boost::beast;

// Strings in which an empty line may end in the bytes that arrive next: "\n\r".
constexpr std::size_t kBeginOfEmptyLine = 2;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

std::string decoded(std::string_view text, bool plus_is_space) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) c = ' ';
    if (c == '%') {
      unsigned char value = 0;
      const std::string_view digits = text.substr(i + 1, 2);
      const auto [end, problem] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
      if (digits.size() != 2 || problem != std::errc() || end != digits.data() + 2) {
        throw HttpError(400, "expected two hexadecimal digits after % in the path");
      }
      c = static_cast<char>(value);
      i += 2;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      throw HttpError(400, "the path contains control characters");
    }
    result += c;
  }
  return result;
}

void set_target(std::string_view target, HttpRequest* request) {
  if (!target.starts_with('/')) throw HttpError(400, "expected a path that begins with /");
  const std::size_t mark = std::min(target.find('?'), target.size());
  request->path = decoded_path(target.substr(0, mark));
  std::string_view rest = target.substr(std::min(mark + 1, target.size()));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    request->query.emplace_back(decoded_query(pair.substr(0, equals)),
                                decoded_query(pair.substr(std::min(equals + 1, pair.size()))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

HttpRequest parsed_head(std::string_view head) {
  beast::http::request_parser<beast::http::empty_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(head.size() + 1));
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());  // see check_body()
  beast::error_code problem;
  parser.put(boost::asio::buffer(head.data(), head.size()), problem);
  if (problem || !parser.is_header_done()) {
    throw HttpError(400, "the head of the request is not valid: {}", problem.message());
  }
  const auto& message = parser.get();
  HttpRequest request;
  request.method = text_of(message.method_string());
  request.keeps_connection = message.keep_alive();
  request.minor_version = static_cast<int>(message.version() % 10);
  set_target({message.target().data(), message.target().size()}, &request);
  for (const auto& field : message) {
    request.headers.add(text_of(field.name_string()), text_of(field.value()));
  }
  return request;
}

}  // namespace

std::string decoded_path(std::string_view text) { return decoded(text, false); }

std::string decoded_query(std::string_view text) { return decoded(text, true); }

void RequestReader::add(std::string_view bytes) { bytes_.append(bytes); }

std::string RequestReader::take(std::size_t count) {
  std::string taken = bytes_.substr(0, count);
  bytes_.erase(0, count);
  if (bytes_.empty()) bytes_.shrink_to_fit();  // thousands of connections may be idle
  return taken;
}

std::optional<HttpRequest> RequestReader::read_head() {
  const std::size_t size = head_size(bytes_, searched_);
  if ((size > 0 ? size : bytes_.size()) > most_head_bytes_) {
    throw HttpError(431, "the headers have more than {} bytes", most_head_bytes_);
  }
  if (size == 0) {
    searched_ = bytes_.size() - std::min(bytes_.size(), kBeginOfEmptyLine);
    return std::nullopt;
  }
  const std::string_view head = std::string_view(bytes_).substr(0, size);
  body_bytes_ = body_size(head);
  HttpRequest request = parsed_head(head);
  searched_ = 0;
  take(size);
  return request;
}

void RequestReader::check_body() const {
  if (body_bytes_ > most_body_bytes_) throw HttpError(413, "the request is too large");
}

std::optional<std::string> RequestReader::read_body() {
  check_body();
  if (bytes_.size() < body_bytes_) return std::nullopt;
  return take(body_bytes_);
}

}  // namespace manyverbs
