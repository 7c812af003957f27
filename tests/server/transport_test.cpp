// SPDX-License-Identifier: MIT
//
// Ambiguous requests, and requests with excessive cost.
#include <zlib.h>

#include <array>

#include <gtest/gtest.h>

#include "manyverbs/http/internal/request_head.h"
#include "manyverbs/server/internal/compression.h"
#include "tests/raw_client.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"
#include "web/pages.h"

namespace manyverbs {
namespace {

TEST(Smuggling, ABodyIsNeverReadAsARequestOfTheNextClient) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 1));
  const std::string smuggled = "GET /join?ATTACKER HTTP/1.1\r\nX-Swallow: ";
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
           {"POST /api/leader/login", "Range: " + std::string(101, '1') + "\r\n" + length, "400 "},
           {"POST /api/leader/login", "X-Many: 1\r\n Transfer-Encoding: chunked\r\n", "400 "},
           {"POST /api/leader/login", "Content-Length : 2\r\n" + length, "400 "}}) {
    const RawClient client(server.port());
    client.say(fmt::format("{} HTTP/1.1\r\nHost: a\r\n{}\r\n{}{}", line, headers, smuggled, next));
    EXPECT_EQ(statuses(client.hear(10)), status) << line.substr(0, 40) << " " << headers;
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
