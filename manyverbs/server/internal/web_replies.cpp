// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/web_replies.h"

#include <memory>

#include "manyverbs/server/internal/compression.h"
#include "manyverbs/server/internal/content_policy.h"
#include "manyverbs/server/internal/http_server.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

using httplib::Request;
using httplib::Response;

constexpr const char* kHtml = "text/html; charset=utf-8";

}  // namespace

void send_json(const Json& json, Response* reply) {
  // Names come from users' files and may not be valid UTF-8.
  reply->set_content(json.dump(-1, ' ', false, Json::error_handler_t::replace),
                     "application/json; charset=utf-8");
}

void send_page(std::string_view page, Response* reply) {
  reply->set_header("Content-Security-Policy", content_policy(page));
  reply->set_content(page.data(), page.size(), kHtml);
}

FixedPage::FixedPage(std::string_view page)
    : page_(page), packed_(gzip(page)), policy_(content_policy(page)) {}

void FixedPage::send(const Request& request, Response* reply) const {
  const bool packed = HttpServer::client_accepts_gzip(request);
  const std::string_view body = packed ? packed_ : page_;
  reply->set_header("Content-Security-Policy", policy_);
  reply->set_header("Vary", "Accept-Encoding");
  if (packed) reply->set_header("Content-Encoding", "gzip");
  reply->set_content(body.data(), body.size(), kHtml);
}

void send_error(const HttpError& error, const Request& request, Response* reply) {
  reply->status = error.status();
  if (error.retry_after() > 0)
    reply->set_header("Retry-After", std::to_string(error.retry_after()));
  if (!request.path.starts_with("/api/")) {
    send_page(plain_page("manyverbs", std::string(error.what()) + "."), reply);
    return;
  }
  Json json = {{"error", error.what()}};
  if (error.retry_after() > 0) json["wait"] = error.retry_after();
  send_json(json, reply);
}

void send_video(const std::filesystem::path& path, const Request& request, Response* reply) {
  // The time is read first: if the file is replaced in between, it will be requested again.
  const auto written = std::filesystem::last_write_time(path).time_since_epoch().count();
  const auto file = std::make_shared<MappedFile>(path);
  const std::size_t size = file->bytes().size();
  const std::string tag = fmt::format("\"{:x}-{:x}\"", size, written);
  reply->headers.erase("Cache-Control");
  reply->set_header("Cache-Control", "private, no-cache");
  reply->set_header("ETag", tag);
  reply->set_header("Accept-Ranges", "bytes");
  if (request.get_header_value("If-None-Match").find(tag) != std::string::npos) {
    reply->status = 304;
    return;
  }
  const bool other = request.has_header("If-Range") && request.get_header_value("If-Range") != tag;
  const auto asked =
      other ? std::nullopt : requested_range(request.get_header_value("Range"), size);
  const ByteRange range = asked.value_or(ByteRange{0, size});
  if (range.count == 0) {
    reply->set_header("Content-Range", fmt::format("bytes */{}", size));
    throw HttpError(416, "the video has {} bytes", size);
  }
  if (asked) {
    reply->status = 206;
    reply->set_header("Content-Range", fmt::format("bytes {}-{}/{}", range.first,
                                                   range.first + range.count - 1, size));
  }
  reply->set_content_provider(
      range.count, "video/mp4",
      [file, range](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        const auto bytes = file->bytes().subspan(range.first + offset, length);
        return sink.write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      });
}

}  // namespace manyverbs
