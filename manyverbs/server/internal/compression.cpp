// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/compression.h"

#include <strings.h>
#include <zlib.h>

#include <algorithm>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

bool is_refused(std::string_view quality) {
  constexpr std::string_view kQuality = "q=";
  return quality.starts_with(kQuality) && number_in<double>(quality.substr(kQuality.size())) == 0.0;
}

}  // namespace

std::string gzip(std::string_view text) {
  constexpr int kGzip = 15 + 16;  // the largest window, with a gzip header
  constexpr int kMostMemory = 9;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMostMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error("not enough memory to compress a page");
  }
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);  // the output buffer is large enough
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

bool accepts_gzip(std::string_view header) {
  constexpr std::string_view kName = "gzip";
  while (!header.empty()) {
    const std::size_t comma = std::min(header.find(','), header.size());
    const std::string_view coding = header.substr(0, comma);
    const std::size_t semicolon = std::min(coding.find(';'), coding.size());
    const std::string_view name = trimmed(coding.substr(0, semicolon));
    if (name.size() == kName.size() && strncasecmp(name.data(), kName.data(), kName.size()) == 0) {
      return !is_refused(trimmed(coding.substr(std::min(semicolon + 1, coding.size()))));
    }
    header.remove_prefix(std::min(comma + 1, header.size()));
  }
  return false;
}

}  // namespace manyverbs
