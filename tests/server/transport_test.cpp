// SPDX-License-Identifier: MIT
//
// Ambiguous requests, and requests with excessive cost.
#include <pthread.h>
#include <zlib.h>

#include <array>
#include <thread>

#include <gtest/gtest.h>

#include "manyverbs/server/internal/compression.h"
#include "manyverbs/server/internal/http_error.h"
#include "manyverbs/server/internal/http_server.h"
#include "manyverbs/server/internal/request_body.h"
#include "manyverbs/server/internal/request_head.h"
#include "tests/scratch.h"
#include "tests/server/raw_client.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"
#include "web/pages.h"

namespace manyverbs {
namespace {

// The statuses of the replies in the output of a server: "200 404 ".
std::string statuses(const std::string& heard) {
  constexpr std::string_view kStart = "HTTP/1.1 ";
  std::string list;
  for (std::size_t at = heard.find(kStart); at != std::string::npos; at = heard.find(kStart, at)) {
    at += kStart.size();
    list += heard.substr(at, 4);
  }
  return list;
}

int refused_with(const std::string& head) {
  try {
    body_size(head);
    return 0;
  } catch (const HttpError& error) {
    return error.status();
  }
}

// A HttpServer that answers every GET and POST with "here".
class Here {
 public:
  Here() : server_(HttpServer::Limits{}) {
    const auto here = [](const httplib::Request&, httplib::Response& reply) {
      reply.set_content("here", "text/plain");
    };
    server_.Get("/.*", here);
    server_.Post("/.*", here);
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.serve(); });
  }
  ~Here() {
    server_.end();
    thread_.join();
  }
  Here(const Here&) = delete;
  Here& operator=(const Here&) = delete;

  std::string reply_to(const std::string& text) const {
    const RawClient client(port_);
    client.say(text);
    return client.hear(10);
  }

 private:
  HttpServer server_;
  int port_ = 0;
  std::thread thread_;
};

TEST(RequestHead, EndsAtTheEmptyLine) {
  EXPECT_EQ(head_size("GET / HTTP/1.1\r\nHost: a\r\n\r\n{}"), 27U);
  EXPECT_EQ(head_size("GET / HTTP/1.1\r\nHost: a\r\n"), 0U);
  EXPECT_EQ(head_size("GET / HTTP/1.1\n\nGET / HTTP/1.1\r\n\r\n"), 16U) << "to be refused at once";
}

TEST(RequestHead, GivesTheSizeOfTheBody) {
  EXPECT_EQ(body_size("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), 0U);
  EXPECT_EQ(body_size("HEAD /a?b=c HTTP/1.0\r\n\r\n"), 0U);
  EXPECT_EQ(body_size("POST / HTTP/1.1\r\ncontent-LENGTH: \t12 \r\nX-Empty:\r\n\r\n"), 12U);
}

TEST(RequestHead, AmbiguousOnesAreRejected) {
  const std::string get = "GET / HTTP/1.1\r\n";
  const std::string post = "POST / HTTP/1.1\r\n";
  for (const std::string& head :
       std::vector<std::string>{get + "Content-Length: 5\r\n\r\n",
                                get + "Content-Length: 0\r\n\r\n",
                                get + "Transfer-Encoding: chunked\r\n\r\n",
                                "HEAD / HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
                                post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
                                post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                                post + "Content-Length: +5\r\n\r\n",
                                post + "Content-Length: -5\r\n\r\n",
                                post + "Content-Length: 5, 5\r\n\r\n",
                                post + "Content-Length: 0x5\r\n\r\n",
                                post + "Content-Length: %35\r\n\r\n",
                                post + "Content-Length:\r\n\r\n",
                                post + "Content-Length: 99999999999999999999\r\n\r\n",
                                post + "Content-Length : 5\r\n\r\n",
                                post + "X: a\r\n Content-Length: 5\r\n\r\n",
                                post + "X: a\nContent-Length: 5\r\n\r\n",
                                post + "X: a\rContent-Length: 5\r\n\r\n",
                                post + "X: a\r\n\n",
                                get + "no colon\r\n\r\n",
                                get + ": no name\r\n\r\n",
                                get + "Host: a\r\nHost: b\r\n\r\n",
                                get + std::string("X: \0\r\n\r\n", 8),
                                "GET / HTTP/1.1\n\n",
                                "GET  / HTTP/1.1\r\n\r\n",
                                "GET / HTTP/2\r\n\r\n",
                                "GET /\r\n\r\n",
                                "\r\n\r\n",
                                "GET / a HTTP/1.1\r\n\r\n"}) {
    EXPECT_EQ(refused_with(head), 400) << head;
  }
  EXPECT_EQ(refused_with(post + "\r\n"), 411);
  EXPECT_EQ(refused_with(post + "Transfer-Encoding: chunked\r\n\r\n"), 411);
  for (const std::string method : {"DELETE", "OPTIONS", "PUT", "PATCH", "TRACE", "PRI", "get"}) {
    EXPECT_EQ(refused_with(method + " / HTTP/1.1\r\nContent-Length: 5\r\n\r\n"), 501) << method;
  }
}

TEST(RequestHead, LongRangesAreRejected) {
  const std::string start = "GET /clips/1.mp4 HTTP/1.1\r\nRange: bytes=";
  EXPECT_EQ(refused_with(start + "0-1,4-5\r\n\r\n"), 0);
  EXPECT_EQ(refused_with(start + std::string(94, '1') + "\r\n\r\n"), 0);
  EXPECT_EQ(refused_with(start + std::string(95, '1') + "\r\n\r\n"), 400);
}

TEST(Smuggling, ABodyIsNeverReadAsARequestOfTheNextClient) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 1));
  const std::string smuggled = "GET /join/ATTACKER HTTP/1.1\r\nX-Swallow: ";
  const std::string next = "GET /api/leader HTTP/1.1\r\nHost: a\r\nCookie: of-the-leader\r\n\r\n";
  const std::string length = fmt::format("Content-Length: {}\r\n", smuggled.size());
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  for (const auto& [line, headers, status] : std::vector<std::array<std::string, 3>>{
           {"GET /lead", length, "400 "},
           {"HEAD /lead", length, "400 "},
           {"GET /lead", chunked, "400 "},
           {"GET /lead", "Content-Length: 0\r\n" + length, "400 "},
           {"DELETE /lead", length, "501 "},
           {"OPTIONS /lead", length, "501 "},
           {"PUT /lead", length, "501 "},
           {"BREW /lead", length, "501 "},
           {"POST /api/leader/login", "Content-Length: 0\r\n" + length, "400 "},
           {"POST /api/leader/login", chunked + length, "400 "},
           {"POST /api/leader/login", chunked, "411 "},
           {"POST /api/leader/login", "", "411 "},
           {"POST /api/leader/login", "Content-Type: text/plain\r\n" + length, "415 "},
           {"POST /" + std::string(600, 'x'), length, "414 "},
           {"POST /" + std::string(9000, 'x'), length, "414 "},
           {"POST /api/leader/login", "Range: lines=1\r\n" + length, "416 "}}) {
    const RawClient client(server.port());
    client.say(fmt::format("{} HTTP/1.1\r\nHost: a\r\n{}\r\n{}{}", line, headers, smuggled, next));
    EXPECT_EQ(statuses(client.hear(10)), status) << line.substr(0, 40) << " " << headers;
  }
}

TEST(HttpServer, ReusesAConnectionForConsecutiveRequests) {
  const Here here;
  const std::string post = "POST / HTTP/1.1\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\n{}";
  const std::string get = "GET / HTTP/1.1\r\n\r\n";
  const std::string last = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(statuses(here.reply_to(get + post + get + post + last)), "200 200 200 200 200 ");
}

TEST(HttpServer, ClosesAConnectionWithAnUnreadPartOfARequest) {
  const Here here;
  const std::string unread = "GET / HTTP/1.1\r\n\r\n";
  // cpp-httplib answers this range before it reads the body, and would keep the connection.
  EXPECT_EQ(statuses(here.reply_to(
                fmt::format("POST / HTTP/1.1\r\nRange: lines=1\r\nContent-Length: {}\r\n\r\n{}",
                            unread.size(), unread))),
            "416 ");
}

TEST(HttpServer, RejectsHeadsOfMoreThan16Kilobytes) {
  const Here here;
  const std::string start = "GET / HTTP/1.1\r\nConnection: close\r\n";
  std::string lines;
  while (lines.size() < 15'000) lines += "X: " + std::string(995, 'x') + "\r\n";
  EXPECT_EQ(statuses(here.reply_to(start + lines + "\r\n")), "200 ");
  EXPECT_EQ(statuses(here.reply_to(start + lines + lines + "\r\n")), "431 ");
}

TEST(HttpServer, GivesItsThreadsAtLeastTwoMegabytesOfStack) {
  pthread_attr_t before;
  pthread_getattr_default_np(&before);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  pthread_setattr_default_np(&small);
  HttpServer server(HttpServer::Limits{});
  server.Get("/", [](const httplib::Request&, httplib::Response& reply) {
    pthread_attr_t own;
    std::size_t size = 0;
    pthread_getattr_np(pthread_self(), &own);
    pthread_attr_getstacksize(&own, &size);
    pthread_attr_destroy(&own);
    reply.set_content(std::to_string(size >> 10), "text/plain");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { server.serve(); });
  // More if the system reuses the stack of an ended thread.
  EXPECT_GE(std::stoi(httplib::Client("127.0.0.1", port).Get("/")->body), 2048);
  server.end();
  thread.join();
  pthread_setattr_default_np(&before);
}

std::string nested(int depth) {
  return "{\"a\": " + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
}

TEST(RequestBody, DeepNestingIsRejected) {
  EXPECT_EQ(body_json(nested(16)).dump().size(), nested(16).size() - 1) << "no blank";
  for (const int depth : {17, 32'000}) {
    try {
      body_json(nested(depth));
      ADD_FAILURE() << depth;
    } catch (const HttpError& error) {
      EXPECT_EQ(error.status(), 400);
      EXPECT_STREQ(error.what(), "the request body is nested more than 16 levels deep");
    }
  }
}

std::string unpacked(const std::string& packed, std::size_t size) {
  std::string text(size, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.total_out, size);
  inflateEnd(&stream);
  return text;
}

// The reply of the server to a GET, head and body, with this Accept-Encoding.
std::pair<std::string, std::string> fetched(int port, const std::string& path,
                                            const std::string& encodings) {
  const RawClient client(port);
  client.say(fmt::format("GET {} HTTP/1.1\r\nAccept-Encoding: {}\r\nConnection: close\r\n\r\n",
                         path, encodings));
  const std::string heard = client.hear(10);
  const std::size_t end = head_size(heard);
  return {heard.substr(0, end), heard.substr(end)};
}

TEST(Compression, PagesAreCompressedOnce) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 1));
  const auto [packed_head, packed] = fetched(server.port(), "/lead", "br, gzip, deflate");
  EXPECT_NE(packed_head.find("\r\nContent-Encoding: gzip\r\n"), std::string::npos) << packed_head;
  EXPECT_NE(packed_head.find("\r\nVary: Accept-Encoding\r\n"), std::string::npos) << packed_head;
  EXPECT_EQ(packed, gzip(kLeadPage));
  EXPECT_EQ(unpacked(packed, kLeadPage.size()), kLeadPage);
  EXPECT_LT(packed.size(), kLeadPage.size() / 2);
  const auto [plain_head, plain] = fetched(server.port(), "/lead", "br");
  EXPECT_EQ(plain_head.find("Content-Encoding"), std::string::npos) << plain_head;
  EXPECT_NE(plain_head.find("\r\nVary: Accept-Encoding\r\n"), std::string::npos) << plain_head;
  EXPECT_EQ(plain, kLeadPage);
}

TEST(Compression, OtherRepliesAreNotCompressed) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 1));
  for (const std::string path : {"/", "/nothing", "/join/x", "/api/leader", "/api/annotator"}) {
    const auto [head, body] = fetched(server.port(), path, "br, gzip, deflate");
    EXPECT_EQ(head.find("Content-Encoding"), std::string::npos) << path << head;
    EXPECT_TRUE(body.starts_with('{') || body.starts_with("<!doctype html>")) << path << body;
  }
}

TEST(Compression, UsesGzipIfTheBrowserAcceptsIt) {
  for (const std::string yes : {"gzip", "br, GZIP", "deflate;q=1,gzip;q=0.5", " gzip ; q=1.0"}) {
    EXPECT_TRUE(accepts_gzip(yes)) << yes;
  }
  for (const std::string no :
       {"", "br", "gzip;q=0", "br, gzip;q=0.000", "xgzip", "gzipx", ",", ";"}) {
    EXPECT_FALSE(accepts_gzip(no)) << no;
  }
}

}  // namespace
}  // namespace manyverbs
