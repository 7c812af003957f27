// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace manyverbs {

/// Requests and responses of HttpServer.

/// Headers in their order. Names are compared without case.
class HttpHeaders {
 public:
  using Header = std::pair<std::string, std::string>;

  HttpHeaders() = default;
  HttpHeaders(std::initializer_list<Header> headers);

  bool contains(std::string_view name) const;
  /// The value of the first header with that name, or "".
  std::string value(std::string_view name) const;
  /// The values of all headers with that name.
  std::vector<std::string> values(std::string_view name) const;
  /// Adds a header, also if there is one with that name. Throws Error for a value with control
  /// characters: a line break would begin another header.
  void add(std::string name, std::string value);
  /// Replaces all headers with that name.
  void set(const std::string& name, std::string value);

  auto begin() const { return headers_.begin(); }
  auto end() const { return headers_.end(); }

 private:
  std::vector<Header> headers_;
};

struct HttpRequest {
  std::string method;  ///< GET, HEAD or POST
  std::string path;    ///< decoded and without the query: "/clips/1.mp4"
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded names and values
  HttpHeaders headers;
  std::string body;
  std::string client;  ///< IP address, determined by trusted proxies if there are any
  bool keeps_connection = true;
  int minor_version = 1;  ///< of HTTP/1.1 or HTTP/1.0

  /// The first value of a name in the query, or "".
  std::string parameter(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  HttpHeaders headers;

  void set_body(std::string text, const std::string& type);
  /// Sends bytes without a copy. `owner` keeps them alive; it is not needed for bytes that outlive
  /// the server.
  void set_body(std::string_view bytes, const std::string& type, std::shared_ptr<const void> owner);
  std::string_view body() const { return body_; }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view body_;
};

}  // namespace manyverbs
