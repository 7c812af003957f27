// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "manyverbs/http/internal/http_message.h"

namespace manyverbs {

/// Reads the requests of a connection from its bytes, however these are split.
///
///   reader.add("GET /a HTTP/1.1\r\n\r\nPOST /b HTT");
///   reader.read_head();  // a HttpRequest with the path "/a"
///   reader.read_body();  // "": it has none
///   reader.read_head();  // nothing yet: the next request is not complete
///
/// All functions that read throw HttpError for an invalid request. The rest of the connection
/// cannot be read after that.
class RequestReader {
 public:
  RequestReader(std::size_t most_head_bytes, std::size_t most_body_bytes)
      : most_head_bytes_(most_head_bytes), most_body_bytes_(most_body_bytes) {}

  void add(std::string_view bytes);
  /// Whether no byte of the next request has arrived.
  bool is_empty() const { return bytes_.empty(); }
  /// Whether the next request seems to be a HEAD request, whose reply has no body.
  bool begins_with_head() const { return bytes_.starts_with("HEAD "); }

  /// The next request without its body; nothing if its head has not arrived completely. Throws
  /// HttpError (431) if it is too long; for other errors see body_size().
  std::optional<HttpRequest> read_head();
  /// The number of bytes of the body of that request.
  std::size_t body_bytes() const { return body_bytes_; }
  /// Throws HttpError (413) if the body is too large.
  void check_body() const;
  /// The body; nothing if it has not arrived completely.
  std::optional<std::string> read_body();

 private:
  std::string take(std::size_t count);

  std::size_t most_head_bytes_;
  std::size_t most_body_bytes_;
  std::string bytes_;
  std::size_t searched_ = 0;  // the empty line does not end before this position
  std::size_t body_bytes_ = 0;
};

/// Decodes "%20" in a path or a query; in a query, "+" is a space. Throws HttpError (400) for "%"
/// without two hexadecimal digits and for control characters.
std::string decoded_path(std::string_view text);
std::string decoded_query(std::string_view text);

}  // namespace manyverbs
