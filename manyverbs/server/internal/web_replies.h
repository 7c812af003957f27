// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <httplib.h>

#include "manyverbs/server/internal/http_error.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Replies of the annotation server.

void send_json(const Json& json, httplib::Response* reply);

/// Sends a page with a Content-Security-Policy for its content.
void send_page(std::string_view page, httplib::Response* reply);

/// A constant page. Its policy and its compressed form are computed once.
class FixedPage {
 public:
  explicit FixedPage(std::string_view page);
  void send(const httplib::Request& request, httplib::Response* reply) const;

 private:
  std::string_view page_;
  std::string packed_;
  std::string policy_;
};

/// Sends {"error": …} to scripts and an HTML page to people.
void send_error(const HttpError& error, const httplib::Request& request, httplib::Response* reply);

/// Sends an MP4 file, or the requested range of it. Browsers may cache it but must revalidate; the
/// reply is 304 if the file is unchanged. Throws HttpError (416) if the range is not satisfiable.
void send_video(const std::filesystem::path& path, const httplib::Request& request,
                httplib::Response* reply);

}  // namespace manyverbs
