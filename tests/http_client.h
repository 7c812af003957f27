// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "manyverbs/http/internal/http_message.h"
#include "manyverbs/support/error.h"

namespace manyverbs {

struct ClientReply {
  int status = 0;
  HttpHeaders headers;
  std::string body;
};

/// A client of a server on this machine. It keeps the connection for the next request.
class HttpClient {
 public:
  explicit HttpClient(int port, int seconds = 120) : port_(port), limit_(seconds) {}

  ClientReply get(const std::string& path, const HttpHeaders& headers = {}) {
    return fetch(boost::beast::http::verb::get, path, "", headers);
  }
  ClientReply head(const std::string& path, const HttpHeaders& headers = {}) {
    return fetch(boost::beast::http::verb::head, path, "", headers);
  }
  ClientReply post(const std::string& path, const std::string& body, HttpHeaders headers = {}) {
    if (!headers.contains("Content-Type")) headers.set("Content-Type", "application/json");
    return fetch(boost::beast::http::verb::post, path, body, headers);
  }

 private:
  using Message = boost::beast::http::request<boost::beast::http::string_body>;
  using Problem = boost::beast::error_code;

  // A connection that was kept may have been closed by the server meanwhile.
  ClientReply fetch(boost::beast::http::verb method, const std::string& path,
                    const std::string& body, const HttpHeaders& headers) {
    Message message(method, path, 11);
    message.set("Host", "127.0.0.1:" + std::to_string(port_));
    for (const auto& [name, value] : headers) message.insert(name, value);
    message.body() = body;
    message.prepare_payload();
    const bool was_kept = stream_ != nullptr;
    ClientReply reply;
    Problem problem = attempt(message, &reply);
    if (problem && was_kept) problem = attempt(message, &reply);
    if (problem) throw Error("no reply: {}", problem.message());
    return reply;
  }

  Problem attempt(const Message& message, ClientReply* reply) {
    namespace http = boost::beast::http;
    Problem problem = stream_ == nullptr ? connect() : Problem{};
    if (problem) return problem;
    http::response_parser<http::string_body> parser;
    parser.skip(message.method() == http::verb::head);
    parser.body_limit(std::uint64_t{1} << 30);
    stream_->expires_after(limit_);
    // A server may refuse a request before it has read it all.
    http::async_write(*stream_, message, [&](Problem, std::size_t) {
      http::async_read(*stream_, buffer_, parser,
                       [&](Problem found, std::size_t) { problem = found; });
    });
    run();
    if (problem || !parser.get().keep_alive()) stream_.reset();
    if (problem) return problem;
    reply->status = static_cast<int>(parser.get().result_int());
    reply->body = parser.get().body();
    for (const auto& field : parser.get()) {
      reply->headers.add(std::string(field.name_string()), std::string(field.value()));
    }
    return {};
  }

  Problem connect() {
    Problem problem;
    buffer_.clear();
    stream_ = std::make_unique<boost::beast::tcp_stream>(io_);
    stream_->expires_after(limit_);
    stream_->async_connect(boost::asio::ip::tcp::endpoint(boost::asio::ip::address_v4::loopback(),
                                                          static_cast<std::uint16_t>(port_)),
                           [&](Problem found) { problem = found; });
    run();
    if (problem) {
      stream_.reset();
    } else {
      stream_->socket().set_option(boost::asio::ip::tcp::no_delay(true));
    }
    return problem;
  }

  void run() {
    io_.restart();
    io_.run();
  }

  int port_;
  std::chrono::seconds limit_;
  boost::asio::io_context io_;
  std::unique_ptr<boost::beast::tcp_stream> stream_;
  boost::beast::flat_buffer buffer_;
};

}  // namespace manyverbs
