// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/request_reader.h"

#include <gtest/gtest.h>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/request_head.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

int refused_with(const std::string& head) {
  try {
    body_size(head);
    return 0;
  } catch (const HttpError& error) {
    return error.status();
  }
}

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

TEST(RequestHead, LongTargetsAreRejected) {
  EXPECT_EQ(refused_with("GET /" + std::string(7999, 'x') + " HTTP/1.1\r\n\r\n"), 0);
  EXPECT_EQ(refused_with("GET /" + std::string(8000, 'x') + " HTTP/1.1\r\n\r\n"), 414);
}

TEST(RequestHead, ManyHeadersAreRejected) {
  std::string head = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 100; ++i) head += "X: 1\r\n";
  EXPECT_EQ(refused_with(head + "\r\n"), 0);
  EXPECT_EQ(refused_with(head + "X: 1\r\n\r\n"), 431);
}

// "GET /a 0", or the status of the error.
std::string read_from(const std::string& bytes, std::size_t step) {
  RequestReader reader(16'000, 100);
  std::string text;
  bool in_body = false;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    reader.add(std::string_view(bytes).substr(at, step));
    try {
      for (;;) {
        if (!in_body) {
          const std::optional<HttpRequest> request = reader.read_head();
          if (!request) break;
          text += request->method + " " + request->path + " ";
          in_body = true;
        }
        const std::optional<std::string> body = reader.read_body();
        if (!body) break;
        text += *body + "; ";
        in_body = false;
      }
    } catch (const HttpError& error) {
      return text + std::to_string(error.status());
    }
  }
  return text;
}

TEST(RequestReader, ReadsTheSameHoweverTheBytesAreSplit) {
  const std::string get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string post = "POST /b HTTP/1.1\r\nContent-Length: 4\r\n\r\n\r\n\r\n";
  const std::string wrong = "GET / HTTP/1.1\n\n";
  const std::string large = "POST /c HTTP/1.1\r\nContent-Length: 101\r\n\r\n";
  const std::string bytes = get + post + get + post;
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    EXPECT_EQ(read_from(bytes, step), "GET /a ; POST /b \r\n\r\n; GET /a ; POST /b \r\n\r\n; ");
    EXPECT_EQ(read_from(get + wrong, step), "GET /a ; 400") << step;
    EXPECT_EQ(read_from(get + large, step), "GET /a ; POST /c 413") << step;
    EXPECT_EQ(read_from(post + "HEAD /" + std::string(16'000, 'x'), step), "POST /b \r\n\r\n; 431");
  }
}

HttpRequest read_request(const std::string& head) {
  RequestReader reader(16'000, 0);
  reader.add(head);
  return reader.read_head().value();
}

TEST(RequestReader, DecodesPathAndQuery) {
  const HttpRequest request = read_request(
      "GET /a%20b+c/%C3%A9?x=1+2%263&y&=z&x=4&& HTTP/1.1\r\nX-One: 1\r\nx-one: 2\r\n\r\n");
  EXPECT_EQ(request.path, "/a b+c/é");
  EXPECT_EQ(request.parameter("x"), "1 2&3");
  EXPECT_EQ(request.parameter("y"), "");
  EXPECT_EQ(request.parameter(""), "z");
  EXPECT_EQ(request.parameter("z"), "");
  EXPECT_EQ(request.headers.value("X-ONE"), "1");
  EXPECT_EQ(request.headers.values("X-One"), (std::vector<std::string>{"1", "2"}));
}

TEST(RequestReader, RejectsInvalidTargets) {
  for (const std::string target :
       {"/%", "/%4", "/%4g", "/%-1", "/%+1", "/%00", "/a%0d%0ab", "/?a=%7f", "/?%", "*", "a",
        "http://example.org/", "?a=b", "\\"}) {
    EXPECT_THROW(read_request("GET " + target + " HTTP/1.1\r\n\r\n"), HttpError) << target;
  }
}

TEST(RequestReader, KnowsWhetherTheConnectionIsKept) {
  EXPECT_TRUE(read_request("GET / HTTP/1.1\r\n\r\n").keeps_connection);
  EXPECT_FALSE(read_request("GET / HTTP/1.1\r\nConnection: a, CLOSE\r\n\r\n").keeps_connection);
  EXPECT_FALSE(read_request("GET / HTTP/1.0\r\n\r\n").keeps_connection);
  EXPECT_TRUE(read_request("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keeps_connection);
}

TEST(HttpHeaders, CannotContainLineBreaks) {
  const ScratchFolder scratch;
  HttpHeaders headers;
  EXPECT_EQ(error_of(scratch, [&] { headers.set("Location", "/a\r\nSet-Cookie: b"); }),
            "the header Location contains control characters");
  EXPECT_FALSE(headers.contains("Location"));
}

}  // namespace
}  // namespace manyverbs
