// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "manyverbs/server/internal/address.h"
#include "manyverbs/server/internal/compression.h"
#include "manyverbs/server/internal/http_error.h"
#include "manyverbs/server/internal/request_head.h"
#include "manyverbs/server/internal/timed_stream.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

constexpr int kQueue = 512;
constexpr std::size_t kRequestsAConnection = 1000;
constexpr std::size_t kStackBytes = 2 << 20;
constexpr const char* kAcceptEncoding = "Accept-Encoding";
constexpr const char* kAcceptsGzip = "X-Manyverbs-Accepts-Gzip";  // set here, read by handlers
constexpr std::chrono::milliseconds kPause(200);  // before another attempt to start a thread

// Whether the connection of this thread is closed after the reply.
thread_local bool close_connection = false;

// Starts a thread for the task; false if the system has no more threads. The stack size does not
// depend on `ulimit -s`, which std::thread would use (from some kB to 8 MB).
bool start_thread(std::function<void()> work) {
  auto given = std::make_unique<std::function<void()>>(std::move(work));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const auto run = [](void* argument) -> void* {
    const std::unique_ptr<std::function<void()>> task(
        static_cast<std::function<void()>*>(argument));
    (*task)();
    return nullptr;
  };
  pthread_t thread{};
  const bool started = pthread_create(&thread, &attributes, run, given.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (started) static_cast<void>(given.release());
  return started;
}

// Runs each task in its own thread.
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
    // The thread limit is reached: wait until a thread ends.
    while (!start_thread(work)) std::this_thread::sleep_for(kPause);
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

// Sends an error reply without cpp-httplib, which never sees the request.
void refuse(const HttpError& error, bool with_text, TimedStream* stream) {
  const std::string text = fmt::format("{}\n", error.what());
  const std::string answer = fmt::format(
      "HTTP/1.1 {} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n"
      "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{}",
      error.status(), text.size(), with_text ? text : "");
  stream->write(answer.data(), answer.size());
}

// cpp-httplib does not limit ranges to the size of the content and compresses every reply again at
// the highest level of brotli. So both headers are hidden from it.
void leave_to_handlers(httplib::Request& request) {
  const bool gzip = accepts_gzip(request.get_header_value(kAcceptEncoding));
  request.ranges.clear();
  request.headers.erase(kAcceptEncoding);
  request.headers.erase(kAcceptsGzip);
  if (gzip) request.set_header(kAcceptsGzip, "1");
}

}  // namespace

// Counts a connection while it is open.
class HttpServer::Connection {
 public:
  Connection(HttpServer* server, const std::string& address)
      : server_(server), group_(address_group(address)) {
    const Limits& limits = server->limits_;
    const bool counted = !limits.proxies.contains(address);
    const std::lock_guard lock(server->mutex_);
    const int of_group = ++server->connections_by_group_[group_];
    allowed_ = ++server->connections_ <= limits.connections &&
               (!counted || of_group <= limits.connections_per_address);
  }
  ~Connection() {
    const std::lock_guard lock(server_->mutex_);
    --server_->connections_;
    const auto place = server_->connections_by_group_.find(group_);
    if (--place->second == 0) server_->connections_by_group_.erase(place);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_allowed() const { return allowed_; }

 private:
  HttpServer* server_;
  std::string group_;
  bool allowed_ = false;
};

HttpServer::HttpServer(const Limits& limits) : limits_(limits) {
  set_keep_alive_timeout(limits.idle_seconds);  // these two are sent to the browser
  set_keep_alive_max_count(kRequestsAConnection);
  new_task_queue = [] { return new ThreadEach; };
  // Without SO_REUSEPORT, which cpp-httplib sets by default: with it, two servers could share a
  // port.
  set_socket_options([](socket_t socket) {
    const int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  });
}

void HttpServer::widen_queue() { ::listen(svr_sock_, kQueue); }

void HttpServer::close_after_reply(httplib::Response* reply) {
  close_connection = true;
  reply->set_header("Connection", "close");
}

bool HttpServer::client_accepts_gzip(const httplib::Request& request) {
  return request.has_header(kAcceptsGzip);
}

void HttpServer::serve() {
  serving_ = true;
  if (!ending_) listen_after_bind();
  serving_ = false;
}

// cpp-httplib ignores stop() before it listens, so this waits until it does.
void HttpServer::end() {
  ending_ = true;
  while (serving_ && !is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  stop();
}

// Returns false if the connection must be closed after this request.
bool HttpServer::serve_request(TimedStream* stream, bool last) {
  stream->begin_request();
  bool is_head = false;
  std::size_t size = 0;
  try {
    const std::optional<std::string_view> head = stream->head();
    if (!head) return false;
    is_head = head->starts_with("HEAD ");
    size = head->size() + body_size(*head);
  } catch (const HttpError& error) {
    refuse(error, !is_head, stream);
    stream->finish();
    return false;
  }
  bool closed = false;
  const bool served = process_request(*stream, last, closed, leave_to_handlers);
  // Unread bytes of this request would be taken for the next request.
  const bool whole = stream->taken() == size;
  if (!whole) stream->finish();
  return served && whole && !closed && !last && !close_connection;
}

bool HttpServer::process_and_close_socket(socket_t socket) {
  const Connection connection(this, peer_address(socket));
  if (connection.is_allowed()) {
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    TimedStream stream(socket, limits_, ending_);
    std::size_t requests = 0;
    try {
      while (stream.wait_for_request() &&
             serve_request(&stream, ending_ || ++requests == kRequestsAConnection)) {
      }
    } catch (const std::exception&) {  // a failing request must not affect others
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
