// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <thread>
#include <utility>

#include "manyverbs/http/internal/http_server.h"
#include "tests/raw_client.h"

namespace manyverbs {

inline const std::string kGet = "GET / HTTP/1.1\r\n\r\n";
inline const std::string kLastGet = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n";

/// A response with a text.
inline HttpResponse text_response(const std::string& text) {
  HttpResponse response;
  response.set_body(text, "text/plain");
  return response;
}

/// A HttpServer in a thread of the test, on its own port. By default it answers every request with
/// "here".
class TestServer {
 public:
  explicit TestServer(
      const HttpLimits& limits = {},
      HttpHandlers handlers = {.answer = [](const auto&) { return text_response("here"); }})
      : server_(limits, std::move(handlers)),
        port_(server_.listen("127.0.0.1", 0)),
        thread_([this] { server_.serve(); }) {}
  ~TestServer() { server_.stop(); }

  int port() const { return port_; }
  void stop() { server_.stop(); }
  /// Returns when the server has ended.
  void join() { thread_.join(); }

  /// All that the server sends after a text, until it closes the connection.
  std::string reply_to(const std::string& text, const std::string& from = "127.0.0.1") const {
    const RawClient client(port_, from);
    client.say(text);
    return client.hear(30);
  }

 private:
  HttpServer server_;
  int port_;
  std::jthread thread_;
};

}  // namespace manyverbs
