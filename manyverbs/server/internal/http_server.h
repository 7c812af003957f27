// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <httplib.h>

#include "manyverbs/server/internal/proxies.h"

namespace manyverbs {

class TimedStream;

/// cpp-httplib's server with one thread per connection, so that slow clients do not delay others,
/// and with limits per connection: time to send a request, time to receive the reply, bytes per
/// request, connections in total and per address. Ambiguous requests are rejected, see body_size().
/// Handlers deal with ranges and compression themselves, see requested_range() and
/// client_accepts_gzip().
class HttpServer : public httplib::Server {
 public:
  struct Limits {
    int request_seconds = 10;  ///< from the first to the last byte of a request
    int stall_seconds = 10;    ///< without progress while the reply is sent
    int reply_seconds = 120;   ///< for the whole reply
    int idle_seconds = 20;     ///< between two requests
    std::size_t request_bytes = 96 << 10;
    int connections = 1024;
    int connections_per_address = 256;
    TrustedProxies proxies = {};  ///< not limited by connections_per_address
  };
  explicit HttpServer(const Limits& limits);

  /// Call after bind. Sets a longer queue of pending connections than cpp-httplib does.
  void widen_queue();
  /// For handlers: closes the connection after this reply. Required if the rest of the request is
  /// not read.
  static void close_after_reply(httplib::Response* reply);
  /// For handlers: whether the client accepts gzip.
  static bool client_accepts_gzip(const httplib::Request& request);
  /// Serves until end() is called, from any thread and at any time, also before serve().
  void serve();
  /// Stops the server after the current requests are answered.
  void end();

 private:
  class Connection;
  bool serve_request(TimedStream* stream, bool last);
  bool process_and_close_socket(socket_t socket) override;

  Limits limits_;
  std::atomic<int> connections_ = 0;
  std::atomic<bool> serving_ = false;
  std::atomic<bool> ending_ = false;
  std::mutex mutex_;
  std::map<std::string, int> connections_by_group_;  // by address_group()
};

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

}  // namespace manyverbs
