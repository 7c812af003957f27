// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/web_replies.h"

#include "manyverbs/server/internal/compression.h"
#include "manyverbs/server/internal/content_policy.h"

namespace manyverbs {
namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";

}  // namespace

void send_json(const Json& json, HttpResponse* reply) {
  // Names come from users' files and may not be valid UTF-8.
  reply->set_body(json.dump(-1, ' ', false, Json::error_handler_t::replace),
                  "application/json; charset=utf-8");
}

void send_page(std::string_view page, HttpResponse* reply) {
  reply->headers.set("Content-Security-Policy", content_policy(page));
  reply->set_body(std::string(page), kHtml);
}

FixedPage::FixedPage(std::string_view page)
    : page_(page), packed_(gzip(page)), policy_(content_policy(page)) {}

void FixedPage::send(const HttpRequest& request, HttpResponse* reply) const {
  const bool packed = accepts_gzip(request.headers.value("Accept-Encoding"));
  const std::string_view body = packed ? packed_ : page_;
  reply->headers.set("Content-Security-Policy", policy_);
  reply->headers.set("Vary", "Accept-Encoding");
  if (packed) reply->headers.set("Content-Encoding", "gzip");
  reply->set_body(body, kHtml, nullptr);
}

void send_error(const HttpError& error, const HttpRequest& request, std::string_view path,
                HttpResponse* reply) {
  reply->status = error.status();
  if (error.retry_after() > 0)
    reply->headers.set("Retry-After", std::to_string(error.retry_after()));
  if (!request.path.starts_with("/api/")) {
    send_page(plain_page("manyverbs", std::string(error.what()) + ".", path), reply);
    return;
  }
  Json json = {{"error", error.what()}};
  if (error.retry_after() > 0) json["wait"] = error.retry_after();
  send_json(json, reply);
}

}  // namespace manyverbs
