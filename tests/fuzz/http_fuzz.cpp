// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <string>

#include "manyverbs/http/internal/file_response.h"
#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/proxies.h"
#include "manyverbs/http/internal/request_reader.h"

namespace {

using namespace manyverbs;

// What handlers do with the headers of a request from anybody.
void use_headers(const HttpRequest& request) {
  static const TrustedProxies proxies({"10.0.0.2"}, true);
  constexpr std::size_t kSize = 1000;
  const auto range = requested_range(request.headers.value("Range"), kSize);
  if (range && (range->first > kSize || range->count > kSize - range->first)) std::abort();
  proxies.caller("10.0.0.2", request.headers);
}

// The requests in the bytes of a connection that arrive in pieces of a size, as a text.
std::string requests_in(std::string_view bytes, std::size_t step) {
  RequestReader reader(4000, 1000);
  std::string text;
  bool in_body = false;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    reader.add(bytes.substr(0, step));
    try {
      for (;;) {
        if (!in_body) {
          const std::optional<HttpRequest> request = reader.read_head();
          if (!request) break;
          use_headers(*request);
          text += request->method + " " + request->path + " ";
          for (const auto& [name, value] : request->query) text += name + "=" + value + "&";
          for (const auto& [name, value] : request->headers) text += name + ":" + value + "\n";
          in_body = true;
        }
        const std::optional<std::string> body = reader.read_body();
        if (!body) break;
        text += *body + "\n";
        in_body = false;
      }
    } catch (const HttpError& error) {
      return text + error.what();
    }
  }
  return text;
}

}  // namespace

// The bytes of a connection: the requests in them must not depend on how they are split.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = requests_in(bytes, std::max<std::size_t>(size, 1));
  for (const std::size_t step : {1, 7}) {
    if (requests_in(bytes, step) != whole) std::abort();
  }
  return 0;
}
