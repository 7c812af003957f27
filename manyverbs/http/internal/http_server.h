// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/http_message.h"
#include "manyverbs/http/internal/proxies.h"

namespace manyverbs {

struct HttpLimits {
  int request_seconds = 10;    ///< from the first to the last byte of a request
  int stall_seconds = 10;      ///< without progress while the response is sent
  int response_seconds = 120;  ///< for the whole response
  int idle_seconds = 20;       ///< between two requests
  int stop_seconds = 10;       ///< after stop(): connections are closed, answered or not
  std::size_t head_bytes = 16 << 10;
  std::size_t body_bytes = 64 << 10;
  int connections = 10'000;           ///< fewer if the system allows fewer open files
  int connections_per_address = 256;  ///< except for trusted proxies
  double requests_per_second = 500;   ///< per client address, see RateLimiter; 0: no limit
  int requests_at_once = 1000;
  int threads = 16;  ///< that run handlers
  TrustedProxies proxies = {};
};

struct HttpHandlers {
  /// Answers a request. Called by several threads at once; it may take its time, as for a database.
  /// An exception other than HttpError is printed to standard error and answered with status 500.
  std::function<HttpResponse(const HttpRequest&)> answer;
  /// Optional. Checks a request before its body is read, and throws HttpError to refuse it. It must
  /// be quick, because all connections wait for it.
  std::function<void(const HttpRequest&)> check = {};
  /// Optional. The response to a request that was refused. Without it, and for requests that are
  /// not valid HTTP, the response is the text of the error. It must be quick, too.
  std::function<HttpResponse(const HttpError&, const HttpRequest&)> refusal = {};
  /// The path that all pages are under: with "/verbs", handlers get a request for "/verbs/lead" as
  /// "/lead", and a request for another path is refused (404).
  std::string path = {};
};

/// A server for HTTP/1.1 without TLS, for use behind a reverse proxy or on this machine. One thread
/// serves all connections and never waits, so that thousands of idle or slow connections cost only
/// memory; a few threads run the handlers, one client after the other (see FairWorkers). Each
/// address has a limited number of connections and requests per second, a client behind a trusted
/// proxy its own number of requests. Ambiguous requests are refused, see body_size(). Requests of
/// one connection are answered in their order. A client that sends no more still gets its answer.
///
///   HttpServer server({}, {.answer = [](const HttpRequest& request) {
///     HttpResponse response;
///     response.set_body("you asked for " + request.path, "text/plain");
///     return response;
///   }});
///   server.listen("127.0.0.1", 8080);
///   server.serve();
class HttpServer {
 public:
  HttpServer(const HttpLimits& limits, HttpHandlers handlers);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Listens on the address of a host name or IP address; port 0 is any free port. Returns the
  /// port. Throws Error if that is not possible. Raises the number of open files of this process if
  /// the connections need more.
  int listen(const std::string& host, int port);
  /// Serves until stop() is called, from any thread and at any time after listen(), also before
  /// serve(). Then it answers the current requests and returns.
  void serve();
  void stop();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace manyverbs
