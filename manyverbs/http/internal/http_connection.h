// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include "manyverbs/http/internal/fair_workers.h"
#include "manyverbs/http/internal/http_server.h"
#include "manyverbs/http/internal/rate_limiter.h"
#include "manyverbs/http/internal/request_reader.h"

namespace manyverbs {

class HttpConnection;

/// What the connections of a server share. Only the thread of HttpServer::serve() uses it.
struct HttpShared {
  HttpShared(const HttpLimits& given, HttpHandlers handlers_given)
      : limits(given),
        handlers(std::move(handlers_given)),
        rates(given.requests_per_second, given.requests_at_once) {}

  HttpLimits limits;
  HttpHandlers handlers;
  RateLimiter rates;
  FairWorkers* workers = nullptr;
  std::unordered_set<HttpConnection*> connections;
  std::unordered_map<std::string, int> connections_by_group;  // by address_group()
  bool is_stopping = false;
  boost::asio::io_context io{1};
  boost::asio::steady_timer stop_timer{io};  // runs while connections end after stop()
};

/// A connection of a client: reads a request, has it answered by a worker, sends the response, and
/// so on. It lives as long as an operation of it is under way, and is counted meanwhile.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  /// `address` is the IP address of the peer.
  HttpConnection(boost::asio::ip::tcp::socket socket, std::string address, HttpShared* shared);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// Waits for the first request.
  void start() { next_request(); }
  /// Closes the connection if no request is under way.
  void close_if_idle();
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  struct Reply;

  void next_request();
  void begin_request();
  void receive();
  void advance();
  void admit();
  void enter_path();
  bool expects_continue() const;
  void send_continue();
  void run_handler();
  HttpResponse refusal_of(const HttpError& error) const;
  HttpResponse answer() const;
  void refuse(const HttpError& error);
  void send(HttpResponse response, bool keep_connection);
  void write_more();
  void finish();
  void discard_input(std::size_t left);

  HttpShared* shared_;
  std::string address_;
  boost::beast::tcp_stream stream_;
  RequestReader reader_;
  std::array<char, 4096> input_;
  bool is_waiting_ = false;             // for the first byte of a request
  std::optional<HttpRequest> request_;  // after its head was read; a worker may be reading it
  std::unique_ptr<Reply> reply_;        // while it is sent
  Clock::time_point write_until_;
};

}  // namespace manyverbs
