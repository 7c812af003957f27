// SPDX-License-Identifier: MIT
//
// Slow clients, and clients that send too much or open too many connections.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "tests/http/test_server.h"
#include "tests/http_client.h"
#include "tests/raw_client.h"

namespace manyverbs {
namespace {

// They may take an hour: if others waited for them, no reply would come.
TEST(HttpLimits, SlowClientsDoNotDelayOthers) {
  const TestServer server({.request_seconds = 3600, .stop_seconds = 0});
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 240; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port(), "127.0.0.2"));
    clients.back()->say("POST / HTTP/1.1\r\nContent-Length: 60000\r\n");
    if (i % 2 == 0) clients.back()->say("\r\n{");
  }
  HttpClient other(server.port());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(other.get("/").body, "here") << i;
}

TEST(HttpLimits, ClosesAConnectionThatSendsARequestByteByByte) {
  const TestServer server({.request_seconds = 1});
  const RawClient client(server.port());
  std::jthread dribble([&] {
    while (client.say("G")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  EXPECT_TRUE(client.is_cut(30));
  dribble.join();
  EXPECT_EQ(HttpClient(server.port()).get("/").body, "here");
}

TEST(HttpLimits, ClosesAConnectionThatSendsABodyByteByByte) {
  const TestServer server({.request_seconds = 1});
  const RawClient client(server.port());
  client.say("POST / HTTP/1.1\r\nContent-Length: 60000\r\n\r\n");
  std::jthread dribble([&] {
    while (client.say("{")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  EXPECT_TRUE(client.is_cut(30));
}

TEST(HttpLimits, ClosesIdleConnections) {
  const TestServer server({.request_seconds = 3600, .idle_seconds = 1});
  const RawClient silent(server.port());
  EXPECT_EQ(silent.hear(30), "");
  const RawClient client(server.port());
  client.say(kGet);
  EXPECT_EQ(statuses(client.hear(30)), "200 ");
}

// Long before a time limit would.
TEST(HttpLimits, RefusesAndDisconnectsAClientThatNeverStopsSendingHeaders) {
  const TestServer server({.request_seconds = 3600, .idle_seconds = 3600});
  const RawClient client(server.port());
  const std::string header = "X-More: " + std::string(1000, 'x') + "\r\n";
  constexpr std::size_t kMost = std::size_t{64} << 20;  // more than buffers of the system hold
  std::size_t sent = 0;
  bool taken = client.say("GET / HTTP/1.1\r\n");
  for (; taken && sent < kMost; sent += header.size()) taken = client.say(header);
  EXPECT_LT(sent, kMost);
  EXPECT_TRUE(client.hear(30).starts_with("HTTP/1.1 431 "));
}

// A server that answers with 64 MB, more than buffers of the system hold.
HttpHandlers large_answers(std::latch* begun) {
  return {.answer = [begun](const auto&) {
    begun->count_down();
    return text_response(std::string(std::size_t{64} << 20, 'x'));
  }};
}

// The server ends only after the connection has been closed.
TEST(HttpLimits, ClosesAConnectionThatDoesNotReadItsResponse) {
  std::latch begun(1);
  TestServer server({.stall_seconds = 1, .response_seconds = 3600, .stop_seconds = 3600},
                    large_answers(&begun));
  const RawClient client(server.port());
  client.say(kGet);
  begun.wait();
  server.stop();
  server.join();
  EXPECT_LT(client.hear(30).size(), std::size_t{64} << 20);
}

TEST(HttpLimits, ClosesAConnectionThatReadsItsResponseByteByByte) {
  std::latch begun(1);
  TestServer server({.stall_seconds = 3600, .response_seconds = 1, .stop_seconds = 3600},
                    large_answers(&begun));
  const RawClient client(server.port());
  client.say(kGet);
  begun.wait();
  server.stop();
  std::atomic<bool> done = false;
  std::jthread dribble([&] {
    while (!done) {
      client.hear_bytes(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  server.join();
  done = true;
}

TEST(HttpLimits, StoppingEndsUnfinishedRequests) {
  TestServer server({.request_seconds = 3600, .stop_seconds = 1});
  const RawClient client(server.port());
  client.say("GET / HTTP/1.1\r\nHo");
  EXPECT_EQ(HttpClient(server.port()).get("/").body, "here") << "the other one has begun";
  server.stop();
  server.join();
  EXPECT_EQ(client.hear(30), "");
}

TEST(HttpLimits, HasAMaximumNumberOfConnections) {
  const TestServer server({.idle_seconds = 3600, .connections = 3});
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port(), fmt::format("127.0.0.{}", i + 2)));
    clients.back()->say(kGet);
    EXPECT_EQ(clients.back()->hear_bytes(13), "HTTP/1.1 200 ");
  }
  EXPECT_EQ(server.reply_to(kLastGet), "");
  clients.pop_back();
  while (statuses(server.reply_to(kLastGet)) != "200 ") std::this_thread::yield();
}

TEST(HttpLimits, HasAMaximumNumberOfConnectionsPerAddress) {
  const TestServer server({.idle_seconds = 3600, .connections_per_address = 2});
  const RawClient first(server.port(), "127.0.0.2");
  const RawClient second(server.port(), "127.0.0.2");
  EXPECT_EQ(server.reply_to(kLastGet, "127.0.0.2"), "");
  EXPECT_EQ(statuses(server.reply_to(kLastGet, "127.0.0.3")), "200 ");
}

TEST(HttpLimits, HasAMaximumNumberOfRequestsPerAddress) {
  std::atomic<int> answered = 0;
  const TestServer server({.requests_per_second = 1e-6, .requests_at_once = 5},
                          {.answer = [&](const auto&) {
                            ++answered;
                            return text_response("here");
                          }});
  std::string requests;
  std::string expected = "200 200 200 200 200 ";
  for (int i = 0; i < 1000; ++i) requests += kGet;
  for (int i = 0; i < 996; ++i) expected += "429 ";
  const std::string heard = server.reply_to(requests + kLastGet, "127.0.0.2");
  EXPECT_EQ(statuses(heard), expected);
  EXPECT_NE(heard.find("\r\nRetry-After: 3600\r\n"), std::string::npos);
  EXPECT_TRUE(heard.ends_with("too many requests; try again in 3600 seconds\n"));
  EXPECT_EQ(statuses(server.reply_to(kGet + kLastGet, "127.0.0.3")), "200 200 ");
  EXPECT_EQ(answered, 7);
}

TEST(HttpLimits, CountsTheRequestsOfEachClientBehindAProxy) {
  const TestServer server({.requests_per_second = 1e-6,
                           .requests_at_once = 2,
                           .proxies = TrustedProxies({"127.0.0.2"}, false)});
  const auto requests = [](const std::string& client) {
    const std::string get = "GET / HTTP/1.1\r\nX-Real-IP: " + client + "\r\n";
    return get + "\r\n" + get + "\r\n" + get + "Connection: close\r\n\r\n";
  };
  EXPECT_EQ(statuses(server.reply_to(requests("203.0.113.5"), "127.0.0.2")), "200 200 429 ");
  EXPECT_EQ(statuses(server.reply_to(requests("203.0.113.6"), "127.0.0.2")), "200 200 429 ");
  EXPECT_EQ(statuses(server.reply_to(requests("203.0.113.7"), "127.0.0.3")), "200 200 429 ");
  EXPECT_EQ(statuses(server.reply_to(requests("203.0.113.8"), "127.0.0.3")), "429 429 429 ")
      << "not a trusted proxy";
}

// The number of open files, after raising its limit to the one that is needed.
rlim_t possible_files(rlim_t needed) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(needed, limit.rlim_max));
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

// Half of them have begun a request.
TEST(HttpLimits, AnswersOthersBesidesFiveThousandIdleConnections) {
  constexpr int kIdle = 5000;
  constexpr rlim_t kFiles = 2 * kIdle + 200;  // both ends of the connections
  const rlim_t files = possible_files(kFiles);
  if (files < kFiles) GTEST_SKIP() << "needs " << kFiles << " open files, ulimit -Hn: " << files;
  const TestServer server({.request_seconds = 3600, .idle_seconds = 3600, .stop_seconds = 0});
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < kIdle; ++i) {
    idle.push_back(std::make_unique<RawClient>(server.port(), fmt::format("127.0.1.{}", i / 250)));
    if (i % 2 == 1) idle.back()->say("GET / HTTP/1.1\r\nX-Slow: ");
  }
  HttpClient other(server.port());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(other.get("/").body, "here");
  for (int i = 0; i < kIdle; i += 500) {
    idle[i]->say(kLastGet);
    EXPECT_EQ(statuses(idle[i]->hear(30)), "200 ") << "still connected";
    idle[i + 1]->say("1\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(statuses(idle[i + 1]->hear(30)), "200 ") << "still connected";
  }
}

}  // namespace
}  // namespace manyverbs
