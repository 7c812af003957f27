// SPDX-License-Identifier: MIT
#include "manyverbs/server/patient_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

#include "manyverbs/server/address.h"
#include "manyverbs/support/numbers.h"

namespace manyverbs {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr int kQueue = 512;
constexpr std::size_t kRequestsAConnection = 1000;
constexpr std::chrono::milliseconds kLook(200);  // between two looks at whether to end

// Of this thread's connection.
thread_local bool close_behind = false;

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
    return {text.data(), ntohs(v6.sin6_port)};
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

// A thread for each task.
class ThreadEach : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      ++running_;
    }
    const auto work = [this, task = std::move(task)] {
      task();
      const std::lock_guard lock(mutex_);
      --running_;
      done_.notify_all();
    };
    for (;;) {
      try {
        std::thread(work).detach();
        return;
      } catch (const std::system_error&) {  // no more threads until one ends
        std::this_thread::sleep_for(kLook);
      }
    }
  }

  void shutdown() override {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  int running_ = 0;
  std::mutex mutex_;
  std::condition_variable done_;
};

// A socket whose other end has only so long.
class TimedStream : public httplib::Stream {
 public:
  TimedStream(socket_t socket, const PatientServer::Limits& limits, const std::atomic<bool>& ending)
      : socket_(socket), limits_(limits), ending_(ending) {}

  // False when none comes.
  bool wait_for_request() {
    if (used_ < filled_) return true;
    return wait(POLLIN, Clock::now() + seconds(limits_.idle_seconds), true);
  }
  void begin_request() {
    read_until_ = Clock::now() + seconds(limits_.request_seconds);
    write_until_.reset();
    bytes_ = 0;
  }

  bool is_readable() const override { return wait(POLLIN, read_until_, false); }
  bool is_writable() const override {
    return wait(POLLOUT, Clock::now() + seconds(limits_.stall_seconds), false);
  }

  ssize_t read(char* out, std::size_t size) override {
    if (used_ == filled_) {
      if (bytes_ > limits_.request_bytes || !is_readable()) return -1;
      const ssize_t count = recv(socket_, buffer_.data(), buffer_.size(), 0);
      if (count <= 0) return count;
      bytes_ += count;
      used_ = 0;
      filled_ = count;
    }
    const std::size_t count = std::min(size, filled_ - used_);
    std::memcpy(out, buffer_.data() + used_, count);
    used_ += count;
    return static_cast<ssize_t>(count);
  }

  // All of it, or -1.
  ssize_t write(const char* bytes, std::size_t size) override {
    if (!write_until_) write_until_ = Clock::now() + seconds(limits_.answer_seconds);
    for (std::size_t sent = 0; sent < size;) {
      if (Clock::now() > *write_until_ || !is_writable()) return -1;
      const ssize_t count = send(socket_, bytes + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && errno != EAGAIN && errno != EINTR) return -1;
      sent += std::max<ssize_t>(count, 0);
    }
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    const Peer peer = end_of<getpeername>(socket_);
    ip = peer.address;
    port = peer.port;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    const Peer peer = end_of<getsockname>(socket_);
    ip = peer.address;
    port = peer.port;
  }
  socket_t socket() const override { return socket_; }

 private:
  bool wait(short what, Clock::time_point until, bool stop_at_end) const {
    for (;;) {
      const auto left = until - Clock::now();
      if (left <= Clock::duration::zero() || (stop_at_end && ending_)) return false;
      pollfd entry{socket_, what, 0};
      const auto slice =
          std::chrono::ceil<std::chrono::milliseconds>(std::min<Clock::duration>(left, kLook));
      const int ready = poll(&entry, 1, static_cast<int>(slice.count()));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
    }
  }

  socket_t socket_;
  const PatientServer::Limits& limits_;
  const std::atomic<bool>& ending_;
  std::array<char, 4096> buffer_{};
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
  std::size_t bytes_ = 0;
  Clock::time_point read_until_;
  std::optional<Clock::time_point> write_until_;
};

}  // namespace

// A connection while it lasts.
class PatientServer::Guest {
 public:
  Guest(PatientServer* server, const std::string& address)
      : server_(server), group_(address_group(address)) {
    const Limits& limits = server->limits_;
    const bool counted = !(limits.behind_proxy && is_this_machine(address));
    const std::lock_guard lock(server->mutex_);
    const int of_one = ++server->guests_[group_];
    welcome_ = ++server->connections_ <= limits.connections &&
               (!counted || of_one <= limits.connections_of_one);
  }
  ~Guest() {
    const std::lock_guard lock(server_->mutex_);
    --server_->connections_;
    const auto place = server_->guests_.find(group_);
    if (--place->second == 0) server_->guests_.erase(place);
  }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  bool is_welcome() const { return welcome_; }

 private:
  PatientServer* server_;
  std::string group_;
  bool welcome_ = false;
};

PatientServer::PatientServer(const Limits& limits) : limits_(limits) {
  set_keep_alive_timeout(limits.idle_seconds);  // these two are what the browser is told
  set_keep_alive_max_count(kRequestsAConnection);
  new_task_queue = [] { return new ThreadEach; };
  // Not SO_REUSEPORT, which cpp-httplib sets: two servers would share a port and its callers.
  set_socket_options([](socket_t socket) {
    const int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  });
}

void PatientServer::widen_queue() { ::listen(svr_sock_, kQueue); }

void PatientServer::close_behind_this(httplib::Response* reply) {
  close_behind = true;
  reply->set_header("Connection", "close");
}

void PatientServer::serve() {
  serving_ = true;
  if (!ending_) listen_after_bind();
  serving_ = false;
}

// cpp-httplib forgets to stop when it has not begun to listen yet, so this waits until it has.
void PatientServer::end() {
  ending_ = true;
  while (serving_ && !is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  stop();
}

bool PatientServer::process_and_close_socket(socket_t socket) {
  const Guest guest(this, end_of<getpeername>(socket).address);
  if (guest.is_welcome()) {
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    TimedStream stream(socket, limits_, ending_);
    bool closed = false;
    std::size_t requests = 0;
    // What cpp-httplib makes of ranges is not bounded by what there is: handlers do that
    // themselves.
    const auto without_ranges = [](httplib::Request& request) { request.ranges.clear(); };
    try {
      while (!closed && stream.wait_for_request()) {
        stream.begin_request();
        const bool last = ending_ || ++requests == kRequestsAConnection;
        if (!process_request(stream, last, closed, without_ranges) || last || close_behind) break;
      }
    } catch (const std::exception&) {  // one odd request must not take the others along
    }
  }
  shutdown(socket, SHUT_RDWR);
  close(socket);
  return true;
}

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

}  // namespace manyverbs
