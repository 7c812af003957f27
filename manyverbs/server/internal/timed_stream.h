// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <httplib.h>

#include "manyverbs/server/internal/patient_server.h"

namespace manyverbs {

/// A connection for cpp-httplib to read from and write to, whose other end has only so long.
class TimedStream : public httplib::Stream {
 public:
  /// Does not close the socket.
  TimedStream(socket_t socket, const PatientServer::Limits& limits, const std::atomic<bool>& ending)
      : socket_(socket), limits_(limits), ending_(ending) {}

  /// False when none comes.
  bool wait_for_request() const;
  void begin_request();
  /// The head of the request that has begun; it is still there to be read. Nothing when it does not
  /// come in time. Throws Refusal (431) when it is too long.
  std::optional<std::string_view> head();
  /// How many bytes of the request were read.
  std::size_t taken() const { return taken_; }
  /// Says that nothing follows, and reads what the other end is still sending: unread, it would
  /// make the system drop what was written.
  void finish();

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* out, std::size_t size) override;
  /// All of it, or -1.
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
  const PatientServer::Limits& limits_;
  const std::atomic<bool>& ending_;
  std::string buffer_;  // received; read up to `used_`
  std::size_t used_ = 0;
  std::size_t received_ = 0;  // these two of the request that has begun
  std::size_t taken_ = 0;
  Clock::time_point read_until_;
  std::optional<Clock::time_point> write_until_;
};

/// The address of the other end of a connection, or "".
std::string peer_address(socket_t socket);

}  // namespace manyverbs
