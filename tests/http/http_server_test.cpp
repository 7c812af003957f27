// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/http_server.h"

#include <fcntl.h>
#include <unistd.h>

#include <pthread.h>

#include <atomic>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "tests/http/test_server.h"
#include "tests/http_client.h"
#include "tests/raw_client.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

std::string get_path(const std::string& path) { return "GET " + path + " HTTP/1.1\r\n\r\n"; }

TEST(HttpServer, ReusesAConnectionForConsecutiveRequests) {
  const TestServer server;
  const std::string post = "POST / HTTP/1.1\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\n{}";
  EXPECT_EQ(statuses(server.reply_to(kGet + post + kGet + post + kLastGet)),
            "200 200 200 200 200 ");
}

TEST(HttpServer, AnswersPipelinedRequestsInTheirOrder) {
  const TestServer server(
      {}, {.answer = [](const HttpRequest& request) { return text_response(request.path + ";"); }});
  std::string requests;
  std::string expected;
  for (int i = 0; i < 50; ++i) {
    requests += get_path("/" + std::to_string(i));
    expected += "/" + std::to_string(i) + ";";
  }
  const std::string heard = server.reply_to(requests + kLastGet);
  std::string bodies;
  for (std::size_t at = heard.find("\r\n\r\n"); at != std::string::npos;
       at = heard.find("\r\n\r\n", at)) {
    at += 4;
    bodies += heard.substr(at, heard.find(';', at) + 1 - at);
  }
  EXPECT_EQ(bodies, expected + "/;");
}

TEST(HttpServer, AnswersAClientThatSendsNoMore) {
  const TestServer server;
  const RawClient client(server.port());
  client.say(kGet + kGet);
  client.end_sending();
  EXPECT_EQ(statuses(client.hear(30)), "200 200 ");
}

TEST(HttpServer, ReceivesRequestsInAnyPieces) {
  const TestServer server({}, {.answer = [](const auto& request) {
                            return text_response(request.path + request.body);
                          }});
  const RawClient client(server.port());
  for (const char c : std::string("POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")) {
    client.say(std::string(1, c));
    std::this_thread::yield();
  }
  client.end_sending();
  EXPECT_TRUE(client.hear(30).ends_with("\r\n\r\n/a{}"));
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  const TestServer server;
  const std::string heard =
      server.reply_to("HEAD / HTTP/1.1\r\n\r\nHEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(statuses(heard), "200 200 ");
  EXPECT_NE(heard.find("\r\nContent-Length: 4\r\n"), std::string::npos) << heard;
  EXPECT_EQ(heard.find("here"), std::string::npos) << heard;
  EXPECT_TRUE(server.reply_to("HEAD / HTTP/1.1\r\nHost : a\r\n\r\n").ends_with("\r\n\r\n"))
      << "no text of an error either";
}

TEST(HttpServer, SendsNoLengthWithoutABody) {
  for (const int status : {204, 304}) {
    const TestServer server({}, {.answer = [&](const auto&) {
                              HttpResponse response;
                              response.status = status;
                              return response;
                            }});
    const std::string heard = server.reply_to(kGet + kLastGet);
    EXPECT_EQ(statuses(heard), fmt::format("{} {} ", status, status));
    EXPECT_EQ(heard.find("Content-Length"), std::string::npos) << heard;
  }
}

TEST(HttpServer, ClosesTheConnectionOfAnOldClient) {
  const TestServer server;
  const std::string heard = server.reply_to("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(heard.starts_with("HTTP/1.0 200 OK\r\n")) << heard;
  EXPECT_TRUE(heard.ends_with("here"));
}

TEST(HttpServer, CanHaveAllPagesUnderAPath) {
  const TestServer server(
      {}, {.answer = [](const auto& request) { return text_response(request.path); },
           .path = "/verbs"});
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/verbs/lead?a=b").body, "/lead");
  EXPECT_EQ(client.get("/verbs/verbs/lead").body, "/verbs/lead");
  EXPECT_EQ(client.get("/verbs/").body, "/");
  EXPECT_EQ(client.get("/verbs").body, "/");
  for (const std::string other : {"/", "/lead", "/verbs2/lead", "/Verbs/lead", "//verbs/lead"}) {
    const ClientReply reply = client.get(other);
    EXPECT_EQ(reply.status, 404) << other;
    EXPECT_EQ(reply.body, "not found: all pages of this server are under /verbs/\n");
  }
}

TEST(HttpServer, AsksForTheBodyIfTheClientWaitsForThat) {
  const TestServer server(
      {}, {.answer = [](const auto& request) { return text_response(request.body); }});
  const RawClient client(server.port());
  client.say("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  const std::string wanted = "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(client.hear_bytes(wanted.size()), wanted);
  client.say("body");
  client.end_sending();
  const std::string heard = client.hear(30);
  EXPECT_EQ(statuses(heard), "200 ");
  EXPECT_TRUE(heard.ends_with("\r\n\r\nbody")) << heard;
}

TEST(HttpServer, AnswersErrorsOfHandlers) {
  const TestServer server({}, {.answer = [](const HttpRequest& request) -> HttpResponse {
                            if (request.path == "/a") throw HttpError(404, "no {}", request.path);
                            throw std::runtime_error("a secret");
                          }});
  HttpClient client(server.port());
  const ClientReply missing = client.get("/a");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.body, "no /a\n");
  testing::internal::CaptureStderr();
  const ClientReply failed = client.get("/b");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "manyverbs: GET /b: a secret\n");
  EXPECT_EQ(failed.status, 500);
  EXPECT_EQ(failed.body, "internal server error; the request was not completed\n");
}

TEST(HttpServer, ClosesAConnectionWithAnUnreadPartOfARequest) {
  const TestServer server({}, {.answer = [](const auto&) { return text_response("here"); },
                               .check =
                                   [](const HttpRequest& request) {
                                     if (request.method == "POST") throw HttpError(415, "no");
                                   }});
  const std::string post =
      fmt::format("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", kGet.size(), kGet);
  EXPECT_EQ(statuses(server.reply_to(kGet + post + kGet)), "200 415 ");
}

// None of these may be followed by a second answer.
TEST(HttpServer, ClosesAConnectionAfterAnAmbiguousRequest) {
  const TestServer server;
  const std::string post = "POST / HTTP/1.1\r\n";
  const std::string length = fmt::format("Content-Length: {}\r\n", kGet.size());
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  for (const auto& [request, status] : std::vector<std::pair<std::string, std::string>>{
           {post + length + chunked + "\r\n0\r\n\r\n", "400 "},
           {post + chunked + length + "\r\n0\r\n\r\n", "400 "},
           {post + length + length + "\r\n", "400 "},
           {post + length + "Content-Length: 0\r\n\r\n", "400 "},
           {post + "Content-Length: 18, 18\r\n\r\n", "400 "},
           {post + "Content-Length: +18\r\n\r\n", "400 "},
           {post + "Content-Length: 18 18\r\n\r\n", "400 "},
           {post + "Content-Length : 18\r\n\r\n", "400 "},
           {post + "X: 1\r\n " + length + "\r\n", "400 "},
           {post + "X: 1\r\n\t" + length + "\r\n", "400 "},
           {post + "X: 1\n" + length + "\r\n", "400 "},
           {post + "X: 1\r" + length + "\r\n", "400 "},
           {"POST / HTTP/1.1\n" + length + "\r\n", "400 "},
           {"GET / HTTP/1.1\r\n" + length + "\r\n", "400 "},
           {"GET / HTTP/1.1\r\n" + chunked + "\r\n0\r\n\r\n", "400 "},
           {"GET / HTTP/0.9\r\n\r\n", "400 "},
           {"GET http://a/ HTTP/1.1\r\n\r\n", "400 "},
           {"PUT / HTTP/1.1\r\n" + length + "\r\n", "501 "},
           {post + chunked + "\r\n0\r\n\r\n", "411 "},
           {post + chunked + "\r\n-1\r\n\r\n", "411 "},
           {post + chunked + "\r\n0x12\r\n" + kGet + "\r\n0\r\n\r\n", "411 "},
           {post + chunked + "\r\nfffffffffffffffff\r\n", "411 "},
           {post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "411 "},
           {post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", "411 "},
           {post + "\r\n", "411 "}}) {
    EXPECT_EQ(statuses(server.reply_to(request + kGet)), status) << request;
  }
}

TEST(HttpServer, RejectsHeadsOfMoreThan16Kilobytes) {
  const TestServer server;
  const std::string start = "GET / HTTP/1.1\r\nConnection: close\r\n";
  std::string lines;
  while (lines.size() < 15'000) lines += "X: " + std::string(995, 'x') + "\r\n";
  EXPECT_EQ(statuses(server.reply_to(start + lines + "\r\n")), "200 ");
  EXPECT_EQ(statuses(server.reply_to(start + lines + lines + "\r\n")), "431 ");
}

TEST(HttpServer, RejectsLargeBodiesUnread) {
  const TestServer server({.body_bytes = 10});
  const std::string post = "POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: ";
  EXPECT_EQ(statuses(server.reply_to(post + "10\r\n\r\n0123456789")), "200 ");
  EXPECT_EQ(statuses(server.reply_to(post + "11\r\n\r\n")), "413 ");
  EXPECT_EQ(statuses(server.reply_to(post + "18446744073709551615\r\n\r\n")), "413 ");
}

TEST(HttpServer, GivesItsThreadsAtLeastTwoMegabytesOfStack) {
  pthread_attr_t before;
  pthread_getattr_default_np(&before);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  pthread_setattr_default_np(&small);
  const TestServer server({}, {.answer = [](const auto&) {
                            pthread_attr_t own;
                            std::size_t size = 0;
                            pthread_getattr_np(pthread_self(), &own);
                            pthread_attr_getstacksize(&own, &size);
                            pthread_attr_destroy(&own);
                            return text_response(std::to_string(size >> 10));
                          }});
  // More if the system reuses the stack of an ended thread.
  EXPECT_GE(std::stoi(HttpClient(server.port()).get("/").body), 2048);
  pthread_setattr_default_np(&before);
}

TEST(HttpServer, EndsIfStopIsCalledBeforeServe) {
  const HttpHandlers handlers{.answer = [](const auto&) { return HttpResponse{}; }};
  HttpServer server({}, handlers);
  server.listen("127.0.0.1", 0);
  server.stop();
  server.serve();
  for (int i = 0; i < 20; ++i) {
    TestServer other;
    other.stop();
    other.join();
  }
}

TEST(HttpServer, AnswersTheCurrentRequestWhenItStops) {
  std::latch begun(1);
  std::latch stopped(1);
  TestServer server({.idle_seconds = 3600, .stop_seconds = 3600}, {.answer = [&](const auto&) {
                      begun.count_down();
                      stopped.wait();
                      return text_response("here");
                    }});
  const RawClient idle(server.port());
  const RawClient busy(server.port());
  busy.say(kGet + kGet);
  begun.wait();
  server.stop();
  EXPECT_EQ(idle.hear(30), "") << "is closed at once";
  stopped.count_down();
  const std::string heard = busy.hear(30);
  EXPECT_EQ(statuses(heard), "200 ");
  EXPECT_NE(heard.find("\r\nConnection: close\r\n"), std::string::npos) << heard;
  EXPECT_TRUE(heard.ends_with("here")) << heard;
  server.join();
}

TEST(HttpServer, AnAddressThatIsInUseIsAnError) {
  const TestServer server;
  const ScratchFolder scratch;
  HttpServer other({}, {});
  EXPECT_EQ(error_of(scratch, [&] { other.listen("127.0.0.1", server.port()); }),
            fmt::format("127.0.0.1:{}: cannot listen on this address; is another server running?",
                        server.port()));
  EXPECT_EQ(error_of(scratch, [&] { other.listen("no such host", 0); }),
            "no such host:0: cannot listen on this address; is another server running?");
}

TEST(HttpServer, AnswersEvenIfItsLogCannotBeWritten) {
  const TestServer server({}, {.answer = [](const HttpRequest&) -> HttpResponse {
                            throw std::runtime_error("secret");
                          }});
  const int usual = dup(STDERR_FILENO);
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(dup2(full, STDERR_FILENO), 0);
  const std::string reply = server.reply_to("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  dup2(usual, STDERR_FILENO);
  close(full);
  close(usual);
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 500")) << reply;
}

}  // namespace
}  // namespace manyverbs
