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

/// cpp-httplib's server with a thread for each connection, so that nobody waits for somebody with a
/// slow line, and with limits on what a connection may take: seconds to send a request, seconds to
/// take the answer, bytes of a request, connections in all and from one address. Requests that
/// could be read in two ways are refused, see body_size(). Ranges and compression are left to
/// handlers, see requested_range() and takes_gzip().
class PatientServer : public httplib::Server {
 public:
  struct Limits {
    int request_seconds = 10;  ///< from the first byte of a request to the last
    int stall_seconds = 10;    ///< without a byte taken of the answer
    int answer_seconds = 120;  ///< for the whole answer
    int idle_seconds = 20;     ///< between two requests
    std::size_t request_bytes = 96 << 10;
    int connections = 1024;
    int connections_of_one = 256;  ///< from one address
    TrustedProxies proxies = {};   ///< may have any number of connections
  };
  explicit PatientServer(const Limits& limits);

  /// After bind: lets more callers wait to be accepted than cpp-httplib does.
  void widen_queue();
  /// For handlers: ends the connection behind this answer, and says so in it. Needed where the rest
  /// of a request is not read.
  static void close_behind_this(httplib::Response* reply);
  /// For handlers: whether the caller takes an answer that is compressed by gzip.
  static bool takes_gzip(const httplib::Request& request);
  /// Serves until end() is called, from whatever thread and at whatever time: before serve() too.
  void serve();
  /// What is being answered is answered.
  void end();

 private:
  class Guest;
  bool serve_request(TimedStream* stream, bool last);
  bool process_and_close_socket(socket_t socket) override;

  Limits limits_;
  std::atomic<int> connections_ = 0;
  std::atomic<bool> serving_ = false;
  std::atomic<bool> ending_ = false;
  std::mutex mutex_;
  std::map<std::string, int> guests_;  // connections by group of addresses
};

/// Bytes of a file: `count` from `first` on.
struct ByteRange {
  std::size_t first = 0;
  std::size_t count = 0;
  bool operator==(const ByteRange&) const = default;
};
/// What a Range header asks for of so many bytes: of 10, "bytes=2-5" is 4 from 2, "bytes=7-" 3 from
/// 7, "bytes=-4" 4 from 6, and "bytes=8-99" 2 from 8; no bytes for one that begins behind the last.
/// Nothing, which means the whole, for a header that is none or asks for several ranges.
std::optional<ByteRange> requested_range(const std::string& header, std::size_t size);

}  // namespace manyverbs
