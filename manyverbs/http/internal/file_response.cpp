// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/file_response.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

constexpr std::size_t kMostRead = 16 << 20;

// Reads the beginning of a part of a mapped file from disk, so that the thread that sends it to the
// network does not wait for the disk. Unlike a read by the program, this cannot crash if the file
// is truncated meanwhile.
void read_from_disk(std::string_view part) {
  const auto address = reinterpret_cast<std::uintptr_t>(part.data());
  const std::size_t offset = address % static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  madvise(reinterpret_cast<void*>(address - offset), std::min(part.size(), kMostRead) + offset,
          MADV_POPULATE_READ);
}

}  // namespace

std::optional<ByteRange> requested_range(const std::string& header, std::size_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!header.starts_with(kUnit)) return std::nullopt;
  const std::string_view range = std::string_view(header).substr(kUnit.size());
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = number_in<std::size_t>(range.substr(0, dash));
  const auto last = number_in<std::size_t>(range.substr(dash + 1));
  if (dash == 0 && last) return ByteRange{size - std::min(*last, size), std::min(*last, size)};
  if (!first || (!last && dash + 1 < range.size()) || (last && *last < *first)) return std::nullopt;
  if (*first >= size) return ByteRange{size, 0};
  return ByteRange{*first, std::min(last.value_or(size - 1), size - 1) - *first + 1};
}

void set_file(const std::filesystem::path& path, const std::string& type,
              const HttpRequest& request, HttpResponse* response) {
  // The time is read first: if the file is replaced in between, it will be requested again.
  const auto written = std::filesystem::last_write_time(path).time_since_epoch().count();
  const auto file = std::make_shared<MappedFile>(path);
  const std::size_t size = file->bytes().size();
  const std::string tag = fmt::format("\"{:x}-{:x}\"", size, written);
  response->headers.set("Cache-Control", "private, no-cache");
  response->headers.set("ETag", tag);
  response->headers.set("Accept-Ranges", "bytes");
  if (request.headers.value("If-None-Match").find(tag) != std::string::npos) {
    response->status = 304;
    return;
  }
  const bool other =
      request.headers.contains("If-Range") && request.headers.value("If-Range") != tag;
  const auto asked = other ? std::nullopt : requested_range(request.headers.value("Range"), size);
  const ByteRange range = asked.value_or(ByteRange{0, size});
  if (asked && range.count == 0) {
    response->headers.set("Content-Range", fmt::format("bytes */{}", size));
    throw HttpError(416, "the file has {} bytes", size);
  }
  if (asked) {
    response->status = 206;
    response->headers.set("Content-Range", fmt::format("bytes {}-{}/{}", range.first,
                                                       range.first + range.count - 1, size));
  }
  const auto bytes = file->bytes().subspan(range.first, range.count);
  const std::string_view part(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!part.empty()) read_from_disk(part);
  response->set_body(part, type, file);
}

}  // namespace manyverbs
