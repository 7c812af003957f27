// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <httplib.h>

#include "manyverbs/server/internal/http_server.h"

namespace manyverbs {

/// A connection with time limits, for cpp-httplib.
class TimedStream : public httplib::Stream {
 public:
  /// Does not close the socket.
  TimedStream(socket_t socket, const HttpServer::Limits& limits, const std::atomic<bool>& ending)
      : socket_(socket), limits_(limits), ending_(ending) {}

  /// Returns false if no request arrives in time.
  bool wait_for_request() const;
  void begin_request();
  /// The head of the current request, without consuming it. Nothing if it does not arrive in time.
  /// Throws HttpError (431) if it is too long.
  std::optional<std::string_view> head();
  /// The number of bytes of the request that were read.
  std::size_t taken() const { return taken_; }
  /// Shuts down sending and reads the remaining input. With unread input, the system would discard
  /// the reply.
  void finish();

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* out, std::size_t size) override;
  /// Writes all bytes, or returns -1.
  ssize_t write(const char* bytes, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(short what, Clock::time_point until, bool stop_at_end) const;
  ssize_t receive();
  std::string_view unread() const { return std::string_view(buffer_).substr(used_); }

  socket_t socket_;
  const HttpServer::Limits& limits_;
  const std::atomic<bool>& ending_;
  std::string buffer_;  // received bytes; the first `used_` are consumed
  std::size_t used_ = 0;
  std::size_t received_ = 0;  // these two count bytes of the current request
  std::size_t taken_ = 0;
  Clock::time_point read_until_;
  std::optional<Clock::time_point> write_until_;
};

/// The peer address of a connection, or "".
std::string peer_address(socket_t socket);

}  // namespace manyverbs
