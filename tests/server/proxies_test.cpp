// SPDX-License-Identifier: MIT
//
// Behind a proxy: the client address and the public URL.
#include <gtest/gtest.h>

#include "tests/raw_client.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

TEST(PublicUrl, IsCheckedByTheServer) {
  const ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(scratch.path(), 1);
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       const AnnotationServer server(
                           project, {.port = 0, .public_url = "verbs.example.org"});
                     }),
            "public URL: 'verbs.example.org' is not http://HOST[:PORT][/PATH] or "
            "https://HOST[:PORT][/PATH]");
}

int login_status(Visitor* visitor, const std::string& address) {
  const Json body = {{"name", "leader"}, {"password", "guess"}};
  return visitor->post("/api/leader/login", body, {{"X-Real-IP", address}}).status;
}

// Whether an attempt is rejected before the eleventh. After three attempts the wait is a second,
// which a slow machine may need for the next attempt anyway; after ten it is 15 minutes.
bool is_locked_out(Visitor* visitor, const std::string& address_start) {
  for (int i = 0; i < 11; ++i) {
    if (login_status(visitor, address_start + std::to_string(i)) == 429) return true;
  }
  return false;
}

TEST(BehindAProxy, OnlyTheClientWithWrongPasswordsIsBlocked) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 1),
                             {.trusted_proxies = {"127.0.0.1"}, .password = kPassword});
  Visitor proxy(server.port());
  EXPECT_TRUE(is_locked_out(&proxy, "2001:db8:1:2::")) << "a network of 64 bits";
  EXPECT_EQ(login_status(&proxy, "2001:db8:1:3::1"), 403);
}

TEST(BehindAProxy, HeadersOfUntrustedClientsAreIgnored) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 1),
                             {.trusted_proxies = {"127.0.0.2"}, .password = kPassword});
  Visitor stranger(server.port());
  EXPECT_TRUE(is_locked_out(&stranger, "203.0.113."));
}

TEST(BehindAProxy, ALocalProxyNeedsOnlyThePublicUrl) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 1),
                             {.public_url = "https://verbs.example.org", .password = kPassword});
  Visitor proxy(server.port());
  EXPECT_TRUE(is_locked_out(&proxy, "2001:db8:1:2::"));
  EXPECT_EQ(login_status(&proxy, "2001:db8:1:3::1"), 403);
}

TEST(BehindAProxy, ATrustedProxyHasNoLimitPerAddress) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 1),
                             {.trusted_proxies = {"127.0.0.3"}});
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 300; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port(), "127.0.0.3"));
  }
  clients.back()->say("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(clients.back()->hear(10).starts_with("HTTP/1.1 200"));
}

TEST(BehindAProxy, CookiesAreSecureAndLinksUseThePublicUrl) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 1),
                             {.public_url = "https://verbs.example.org/"});
  EXPECT_EQ(server.setup_url().find("https://verbs.example.org/lead#setup="), 0U);
  Visitor leader(server.port());
  leader.set_up(server.setup_url());
  const std::string link = leader.invite("Ann");
  EXPECT_EQ(link.find("https://verbs.example.org/join#"), 0U) << link;
  Visitor ann(server.port());
  EXPECT_NE(ann.use(link).headers.value("Set-Cookie").find("; Secure"), std::string::npos);
  leader.post_json("/api/leader/people/1/practised", Json::object());
  EXPECT_EQ(
      ann.post("/api/annotator/next", Json::object(), {{"Origin", "https://verbs.example.org"}})
          .status,
      200);
}

TEST(BehindAProxy, PagesLinksAndCookiesAreUnderThePathOfThePublicUrl) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 1),
                             {.public_url = "https://lab.example.org/verbs/"});
  EXPECT_EQ(server.setup_url().find("https://lab.example.org/verbs/lead#setup="), 0U);
  const std::string token = token_of(server.setup_url());
  HttpClient client(server.port());
  const HttpHeaders own = {{"X-Manyverbs", "1"}, {"Origin", "https://lab.example.org"}};
  const Json password = {{"token", token}, {"name", "Lea"}, {"password", kPassword}};
  EXPECT_EQ(client.post("/api/leader/setup", password.dump(), own).status, 404);
  const ClientReply leader = client.post("/verbs/api/leader/setup", password.dump(), own);
  EXPECT_EQ(leader.status, 200);
  const std::string cookie = leader.headers.value("Set-Cookie");
  EXPECT_NE(cookie.find("; Path=/verbs/; HttpOnly; SameSite=Strict; "), std::string::npos)
      << cookie;
  HttpHeaders signed_in = own;
  signed_in.add("Cookie", cookie.substr(0, cookie.find(';')));
  const ClientReply invited =
      client.post("/verbs/api/leader/people", Json{{"name", "Ann"}}.dump(), signed_in);
  const auto link = Json::parse(invited.body)["link"].get<std::string>();
  EXPECT_EQ(link.find("https://lab.example.org/verbs/join#"), 0U) << link;
  EXPECT_EQ(client.get("/verbs/join").status, 200);
  const ClientReply joined =
      client.post("/verbs/api/annotator/join", Json{{"token", token_of(link)}}.dump(), own);
  EXPECT_EQ(joined.status, 200);
  EXPECT_NE(joined.headers.value("Set-Cookie").find("; Path=/verbs/; "), std::string::npos);
  for (const char* page : {"/verbs", "/verbs/", "/verbs/join/unknown"}) {
    EXPECT_NE(client.get(page).body.find("<a href=\"/verbs/lead\">"), std::string::npos) << page;
  }
}

TEST(BehindAProxy, UnderAPathTooManyRequestsAreRefusedInJson) {
  const ScratchFolder scratch;
  const RunningServer server(
      write_toy_project(scratch.path(), 1),
      {.public_url = "https://lab.example.org/verbs", .requests_per_second = 1});
  HttpClient client(server.port());
  ClientReply reply = client.get("/verbs/api/leader");
  for (int i = 0; i < 1000 && reply.status != 429; ++i) reply = client.get("/verbs/api/leader");
  EXPECT_EQ(reply.status, 429);
  EXPECT_GT(Json::parse(reply.body)["wait"], 0);
}

// Browsers send a cookie to all ports of a host.
TEST(TwoProjects, OnOneHostHaveTheirOwnCookies) {
  const ScratchFolder scratch;
  const RunningServer first(write_toy_project(scratch / "a", 1), {.password = kPassword});
  const RunningServer second(write_toy_project(scratch / "b", 1), {.password = kPassword});
  Visitor leader(first.port());
  leader.sign_in();
  Visitor other(second.port());
  other.sign_in();
  const std::string names = leader.cookies() + "; " + other.cookies();
  for (Visitor* each : {&leader, &other}) {
    each->set_cookies(names);
    EXPECT_EQ(each->get_json("/api/leader")["state"], "signed_in");
  }
}

}  // namespace
}  // namespace manyverbs
