// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "manyverbs/http/internal/http_message.h"

namespace manyverbs {

/// A range of bytes in a file.
struct ByteRange {
  std::size_t first = 0;
  std::size_t count = 0;
  bool operator==(const ByteRange&) const = default;
};
/// The range that a Range header requests from `size` bytes. Of 10 bytes: "bytes=2-5" is 4 from 2,
/// "bytes=7-" is 3 from 7, "bytes=-4" is 4 from 6, "bytes=8-99" is 2 from 8; count is 0 if the
/// range begins after the last byte. Nothing, which means the whole file, if the header is not
/// valid or requests several ranges.
std::optional<ByteRange> requested_range(const std::string& header, std::size_t size);

/// Puts a file, or the requested range of it (206), into a response, without a copy in memory.
/// Browsers may cache it but must revalidate; the status is 304 if the file is unchanged. Throws
/// HttpError (416) if the range is not satisfiable, Error if the file cannot be read.
void set_file(const std::filesystem::path& path, const std::string& type,
              const HttpRequest& request, HttpResponse* response);

}  // namespace manyverbs
