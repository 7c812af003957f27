// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/http_server.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <boost/asio/post.hpp>

#include "manyverbs/http/internal/address.h"
#include "manyverbs/http/internal/http_connection.h"
#include "manyverbs/http/internal/log.h"

namespace manyverbs {
namespace {

using boost::asio::ip::tcp;
using boost::beast::error_code;

constexpr std::chrono::milliseconds kPause(100);  // before another attempt to accept
constexpr int kOtherFiles = 128;

// "fe80::1" for "fe80::1%eth0".
boost::asio::ip::address without_scope(const boost::asio::ip::address& address) {
  if (!address.is_v6()) return address;
  boost::asio::ip::address_v6 plain = address.to_v6();
  plain.scope_id(0);
  return plain;
}

// The number of connections that the system allows, after raising its limit of open files.
int possible_connections(int wanted) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return wanted;
  const rlim_t needed = static_cast<rlim_t>(wanted) + kOtherFiles;
  if (files.rlim_cur < needed) {
    const rlimit more{std::min(needed, files.rlim_max), files.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &more) == 0) files = more;
  }
  if (files.rlim_cur >= needed) return wanted;
  return std::max(1, static_cast<int>(files.rlim_cur) - kOtherFiles);
}

}  // namespace

class HttpServer::State {
 public:
  State(const HttpLimits& limits, HttpHandlers handlers) : shared_(limits, std::move(handlers)) {}

  int listen(const std::string& host, int port);
  void serve();
  void stop();

 private:
  bool try_listening(const tcp::endpoint& endpoint);
  void accept();
  void accept_later();
  void admit(tcp::socket socket);

  HttpShared shared_;
  tcp::acceptor acceptor_{shared_.io};
  boost::asio::steady_timer pause_{shared_.io};
};

// Without SO_REUSEPORT, which would allow two servers to share a port.
bool HttpServer::State::try_listening(const tcp::endpoint& endpoint) {
  error_code problem;
  acceptor_.open(endpoint.protocol(), problem);
  if (!problem) acceptor_.set_option(tcp::acceptor::reuse_address(true), problem);
  if (!problem) acceptor_.bind(endpoint, problem);
  if (!problem) acceptor_.listen(boost::asio::socket_base::max_listen_connections, problem);
  if (!problem) return true;
  error_code ignored;
  acceptor_.close(ignored);
  return false;
}

int HttpServer::State::listen(const std::string& host, int port) {
  error_code problem;
  const auto found = tcp::resolver(shared_.io)
                         .resolve(host, std::to_string(port),
                                  tcp::resolver::passive | tcp::resolver::numeric_service, problem);
  const bool is_listening =
      !problem && std::any_of(found.begin(), found.end(),
                              [this](const auto& each) { return try_listening(each.endpoint()); });
  if (!is_listening) {
    throw Error("{}:{}: cannot listen on this address; is another server running?", host, port);
  }
  shared_.limits.connections = possible_connections(shared_.limits.connections);
  return acceptor_.local_endpoint().port();
}

void HttpServer::State::accept() {
  acceptor_.async_accept([this](const error_code& problem, tcp::socket socket) {
    if (shared_.is_stopping) return;
    if (problem) return accept_later();
    accept();
    admit(std::move(socket));
  });
}

// The system has no more open files or memory at the moment.
void HttpServer::State::accept_later() {
  pause_.expires_after(kPause);
  pause_.async_wait([this](const error_code& problem) {
    if (!problem && !shared_.is_stopping) accept();
  });
}

// Closes the connection if there are too many.
void HttpServer::State::admit(tcp::socket socket) {
  error_code problem;
  const tcp::endpoint peer = socket.remote_endpoint(problem);
  if (problem) return;  // it is gone
  const std::string address = plain_address(without_scope(peer.address()).to_string()).value_or("");
  const HttpLimits& limits = shared_.limits;
  const auto of_group = shared_.connections_by_group.find(address_group(address));
  const bool is_full = std::ssize(shared_.connections) >= limits.connections;
  const bool is_group_full = of_group != shared_.connections_by_group.end() &&
                             of_group->second >= limits.connections_per_address &&
                             !limits.proxies.contains(address);
  if (is_full || is_group_full) return;
  socket.set_option(tcp::no_delay(true), problem);
  std::make_shared<HttpConnection>(std::move(socket), address, &shared_)->start();
}

void HttpServer::State::serve() {
  FairWorkers workers(shared_.limits.threads);
  shared_.workers = &workers;
  accept();
  for (;;) {
    try {
      shared_.io.run();
      return;
    } catch (const std::exception& problem) {  // a failing connection must not affect others
      log_problem(problem.what());
    }
  }
}

void HttpServer::State::stop() {
  boost::asio::post(shared_.io, [this] {
    shared_.is_stopping = true;
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    if (shared_.connections.empty()) return;
    shared_.stop_timer.expires_after(std::chrono::seconds(shared_.limits.stop_seconds));
    shared_.stop_timer.async_wait([this](const error_code& problem) {
      if (problem) return;  // all connections have ended
      for (HttpConnection* connection : shared_.connections) connection->close();
    });
    for (HttpConnection* connection : shared_.connections) connection->close_if_idle();
  });
}

HttpServer::HttpServer(const HttpLimits& limits, HttpHandlers handlers)
    : state_(std::make_unique<State>(limits, std::move(handlers))) {}

HttpServer::~HttpServer() = default;

int HttpServer::listen(const std::string& host, int port) { return state_->listen(host, port); }

void HttpServer::serve() { state_->serve(); }

void HttpServer::stop() { state_->stop(); }

}  // namespace manyverbs
