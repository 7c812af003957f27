// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "manyverbs/http/internal/http_message.h"

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Replies of the annotation server.

void send_json(const Json& json, HttpResponse* reply);

/// Sends a page with a Content-Security-Policy for its content.
void send_page(std::string_view page, HttpResponse* reply);

/// A constant page. Its policy and its compressed form are computed once.
class FixedPage {
 public:
  explicit FixedPage(std::string_view page);
  void send(const HttpRequest& request, HttpResponse* reply) const;

 private:
  std::string_view page_;
  std::string packed_;
  std::string policy_;
};

/// Sends {"error": …} to scripts and an HTML page to people. `path` is that of the server: "" or
/// "/verbs".
void send_error(const HttpError& error, const HttpRequest& request, std::string_view path,
                HttpResponse* reply);

}  // namespace manyverbs
