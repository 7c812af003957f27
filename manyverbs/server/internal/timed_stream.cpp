// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/timed_stream.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "manyverbs/server/internal/address.h"
#include "manyverbs/server/internal/http_error.h"
#include "manyverbs/server/internal/request_head.h"

namespace manyverbs {
namespace {

using std::chrono::seconds;

constexpr std::chrono::milliseconds kPollInterval(200);  // between two checks of `ending_`
constexpr std::size_t kLargestHead = 16 << 10;
constexpr std::size_t kReadSize = 4096;  // bytes

struct Peer {
  std::string address;
  int port = 0;
};

Peer peer_of(const sockaddr_storage& from) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (from.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return {text.data(), ntohs(v4.sin_port)};
  }
  if (from.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
    inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    return {plain_address(text.data()).value_or(""), ntohs(v6.sin6_port)};
  }
  return {};
}

template <auto ask>
Peer end_of(socket_t socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (ask(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
  return peer_of(storage);
}

}  // namespace

std::string peer_address(socket_t socket) { return end_of<getpeername>(socket).address; }

bool TimedStream::wait_for_request() const {
  if (!unread().empty()) return true;
  return wait(POLLIN, Clock::now() + seconds(limits_.idle_seconds), true);
}

void TimedStream::begin_request() {
  read_until_ = Clock::now() + seconds(limits_.request_seconds);
  write_until_.reset();
  received_ = 0;
  taken_ = 0;
}

std::optional<std::string_view> TimedStream::head() {
  for (;;) {
    const std::size_t size = head_size(unread());
    const std::size_t so_far = size > 0 ? size : unread().size();
    if (so_far > kLargestHead) {
      throw HttpError(431, "the headers have more than {} bytes", kLargestHead);
    }
    if (size > 0) return unread().substr(0, size);
    if (receive() <= 0) return std::nullopt;
  }
}

void TimedStream::finish() {
  shutdown(socket_, SHUT_WR);
  read_until_ = Clock::now() + seconds(1);
  while (receive() > 0) used_ = buffer_.size();
}

bool TimedStream::is_readable() const { return wait(POLLIN, read_until_, false); }

bool TimedStream::is_writable() const {
  return wait(POLLOUT, Clock::now() + seconds(limits_.stall_seconds), false);
}

// Receives more bytes into the buffer; returns the result of recv().
ssize_t TimedStream::receive() {
  if (received_ > limits_.request_bytes || !is_readable()) return -1;
  std::array<char, kReadSize> bytes;
  const ssize_t count = recv(socket_, bytes.data(), bytes.size(), 0);
  if (count <= 0) return count;
  received_ += count;
  buffer_.erase(0, used_);
  used_ = 0;
  buffer_.append(bytes.data(), count);
  return count;
}

ssize_t TimedStream::read(char* out, std::size_t size) {
  if (unread().empty()) {
    const ssize_t received = receive();
    if (received <= 0) return received;
  }
  const std::size_t count = std::min(size, unread().size());
  std::memcpy(out, unread().data(), count);
  used_ += count;
  taken_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t TimedStream::write(const char* bytes, std::size_t size) {
  if (!write_until_) write_until_ = Clock::now() + seconds(limits_.reply_seconds);
  for (std::size_t sent = 0; sent < size;) {
    if (Clock::now() > *write_until_ || !is_writable()) return -1;
    const ssize_t count = send(socket_, bytes + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return -1;
    sent += std::max<ssize_t>(count, 0);
  }
  return static_cast<ssize_t>(size);
}

void TimedStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  const Peer peer = end_of<getpeername>(socket_);
  ip = peer.address;
  port = peer.port;
}

void TimedStream::get_local_ip_and_port(std::string& ip, int& port) const {
  const Peer peer = end_of<getsockname>(socket_);
  ip = peer.address;
  port = peer.port;
}

bool TimedStream::wait(short what, Clock::time_point until, bool stop_at_end) const {
  for (;;) {
    const auto left = until - Clock::now();
    if (left <= Clock::duration::zero() || (stop_at_end && ending_)) return false;
    pollfd entry{socket_, what, 0};
    const auto slice = std::chrono::ceil<std::chrono::milliseconds>(
        std::min<Clock::duration>(left, kPollInterval));
    const int ready = poll(&entry, 1, static_cast<int>(slice.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

}  // namespace manyverbs
