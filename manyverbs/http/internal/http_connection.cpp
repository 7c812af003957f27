// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/http_connection.h"

#include <strings.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/write.hpp>

#include "manyverbs/http/internal/address.h"
#include "manyverbs/http/internal/log.h"

namespace manyverbs {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using std::chrono::seconds;

using SpanBody = beast::http::span_body<const char>;

// After the last response, input is read and discarded for so long: with unread input, the system
// would discard the response.
constexpr seconds kLastInput(1);
constexpr std::size_t kMostLastInput = 256 << 10;

beast::string_view view_of(const std::string& text) { return {text.data(), text.size()}; }

}  // namespace

// A response while it is sent.
struct HttpConnection::Reply {
  Reply(HttpResponse given, const HttpRequest* request, bool without_body, bool keep,
        int idle_seconds)
      : response(std::move(given)), is_head_only(without_body), keeps_connection(keep) {
    message.version(request != nullptr && request->minor_version == 0 ? 10 : 11);
    message.result(static_cast<unsigned>(response.status));
    for (const auto& [name, value] : response.headers) message.insert(name, view_of(value));
    message.keep_alive(keep);
    if (keep) message.set("Keep-Alive", fmt::format("timeout={}", idle_seconds));
    // These two never have a body.
    if (response.status != 204 && response.status != 304) {
      message.content_length(response.body().size());
      message.body() = {response.body().data(), response.body().size()};
    }
    serializer.split(is_head_only);
  }

  bool is_sent() { return serializer.is_done() || (is_head_only && serializer.is_header_done()); }

  HttpResponse response;  // owns the bytes of the body
  bool is_head_only;
  bool keeps_connection;
  beast::http::response<SpanBody> message;
  beast::http::response_serializer<SpanBody> serializer{message};
};

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, std::string address,
                               HttpShared* shared)
    : shared_(shared),
      address_(std::move(address)),
      stream_(std::move(socket)),
      reader_(shared->limits.head_bytes, shared->limits.body_bytes) {
  ++shared_->connections_by_group[address_group(address_)];
  shared_->connections.insert(this);
}

HttpConnection::~HttpConnection() {
  shared_->connections.erase(this);
  const auto place = shared_->connections_by_group.find(address_group(address_));
  if (--place->second == 0) shared_->connections_by_group.erase(place);
  if (shared_->is_stopping && shared_->connections.empty()) shared_->stop_timer.cancel();
}

void HttpConnection::close_if_idle() {
  if (is_waiting_) close();
}

void HttpConnection::close() {
  is_waiting_ = false;
  beast::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  stream_.close();
}

void HttpConnection::next_request() {
  request_.reset();
  if (shared_->is_stopping) return close();
  if (!reader_.is_empty()) {
    begin_request();
    return advance();
  }
  is_waiting_ = true;
  stream_.expires_after(seconds(shared_->limits.idle_seconds));
  receive();
}

void HttpConnection::begin_request() {
  is_waiting_ = false;
  stream_.expires_after(seconds(shared_->limits.request_seconds));
}

void HttpConnection::receive() {
  stream_.async_read_some(
      asio::buffer(input_),
      [self = shared_from_this()](const beast::error_code& problem, std::size_t count) {
        if (problem) return self->close();  // the end, or a time limit
        if (self->is_waiting_) self->begin_request();
        self->reader_.add({self->input_.data(), count});
        self->advance();
      });
}

// Continues with the bytes that have arrived.
void HttpConnection::advance() {
  try {
    if (!request_) {
      request_ = reader_.read_head();
      if (!request_) return receive();
      admit();
      if (expects_continue()) return send_continue();
    }
    std::optional<std::string> body = reader_.read_body();
    if (!body) return receive();
    request_->body = std::move(*body);
  } catch (const HttpError& error) {
    return refuse(error);
  }
  run_handler();
}

// Throws HttpError if the request is not allowed; its body has not been read.
void HttpConnection::admit() {
  request_->client = shared_->limits.proxies.caller(address_, request_->headers);
  enter_path();
  const int wait = shared_->rates.take(address_group(request_->client), Clock::now());
  if (wait > 0) {
    HttpError error(429, "too many requests; try again in {} {}", wait,
                    wait == 1 ? "second" : "seconds");
    throw error.set_retry_after(wait);
  }
  if (shared_->handlers.check) shared_->handlers.check(*request_);
  reader_.check_body();
}

void HttpConnection::enter_path() {
  const std::string& prefix = shared_->handlers.path;
  if (prefix.empty()) return;
  std::string& path = request_->path;
  if (path != prefix && !path.starts_with(prefix + "/")) {
    throw HttpError(404, "not found: all pages of this server are under {}/", prefix);
  }
  path.erase(0, prefix.size());
  if (path.empty()) path = "/";
}

bool HttpConnection::expects_continue() const {
  return reader_.is_empty() && reader_.body_bytes() > 0 && request_->minor_version > 0 &&
         strcasecmp(request_->headers.value("Expect").c_str(), "100-continue") == 0;
}

void HttpConnection::send_continue() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(stream_, asio::buffer(kContinue),
                    [self = shared_from_this()](const beast::error_code& problem, std::size_t) {
                      if (problem) return self->close();
                      self->receive();
                    });
}

void HttpConnection::run_handler() {
  stream_.expires_never();
  // The connection moves from task to task: the thread of serve() must be the one to delete it.
  shared_->workers->add(
      address_group(request_->client),
      [self = shared_from_this(), busy = asio::make_work_guard(shared_->io)]() mutable {
        HttpResponse response = self->answer();
        asio::io_context& io = self->shared_->io;
        asio::post(io, [self = std::move(self), response = std::move(response)]() mutable {
          const bool keep = self->request_->keeps_connection;
          self->send(std::move(response), keep);
        });
      });
}

// Runs in a thread of the workers.
HttpResponse HttpConnection::answer() const {
  try {
    return shared_->handlers.answer(*request_);
  } catch (const HttpError& error) {
    return refusal_of(error);
  } catch (const std::exception& problem) {
    log_problem(fmt::format("{} {}: {}", request_->method, request_->path, problem.what()));
    return refusal_of(HttpError(500, "internal server error; the request was not completed"));
  }
}

HttpResponse HttpConnection::refusal_of(const HttpError& error) const {
  if (request_ && shared_->handlers.refusal) return shared_->handlers.refusal(error, *request_);
  HttpResponse response;
  response.status = error.status();
  response.headers = {{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}};
  if (error.retry_after() > 0) {
    response.headers.set("Retry-After", std::to_string(error.retry_after()));
  }
  response.set_body(fmt::format("{}\n", error.what()), "text/plain; charset=utf-8");
  return response;
}

void HttpConnection::refuse(const HttpError& error) {
  // Unread bytes of this request would be taken for the next request.
  const bool is_read = request_ && reader_.body_bytes() == 0;
  send(refusal_of(error), is_read && request_->keeps_connection);
}

void HttpConnection::send(HttpResponse response, bool keep_connection) {
  const HttpRequest* request = request_ ? &*request_ : nullptr;
  const bool is_head = request != nullptr ? request->method == "HEAD" : reader_.begins_with_head();
  reply_ = std::make_unique<Reply>(std::move(response), request, is_head,
                                   keep_connection && !shared_->is_stopping,
                                   shared_->limits.idle_seconds);
  write_until_ = Clock::now() + seconds(shared_->limits.response_seconds);
  write_more();
}

void HttpConnection::write_more() {
  const auto now = Clock::now();
  if (now >= write_until_) return close();
  stream_.expires_at(std::min(now + seconds(shared_->limits.stall_seconds), write_until_));
  beast::http::async_write_some(
      stream_, reply_->serializer,
      [self = shared_from_this()](const beast::error_code& problem, std::size_t) {
        if (problem) return self->close();
        if (!self->reply_->is_sent()) return self->write_more();
        self->finish();
      });
}

void HttpConnection::finish() {
  const bool keeps_connection = reply_->keeps_connection;
  reply_.reset();
  if (keeps_connection) return next_request();
  beast::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kLastInput);
  discard_input(kMostLastInput);
}

void HttpConnection::discard_input(std::size_t left) {
  stream_.async_read_some(
      asio::buffer(input_),
      [self = shared_from_this(), left](const beast::error_code& problem, std::size_t count) {
        if (problem || count >= left) return self->close();
        self->discard_input(left - count);
      });
}

}  // namespace manyverbs
