// SPDX-License-Identifier: MIT
//
// Behind a proxy: the client address and the public URL.
#include "manyverbs/server/internal/proxies.h"

#include <gtest/gtest.h>

#include "manyverbs/server/internal/address.h"
#include "tests/scratch.h"
#include "tests/server/raw_client.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

httplib::Request request_from(const std::string& peer, const httplib::Headers& headers) {
  httplib::Request request;
  request.remote_addr = peer;
  request.headers = headers;
  return request;
}

TEST(Addresses, HaveACanonicalForm) {
  EXPECT_EQ(plain_address("10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(plain_address("2001:DB8:0::1"), "2001:db8::1");
  EXPECT_EQ(plain_address("::ffff:10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(plain_address(std::string("10.0.0.7\0a", 10)), "10.0.0.7");
  for (const std::string odd : {"", "localhost", "10.0.0", "10.0.0.7:80", "[::1]", "10.0.0.0/8"}) {
    EXPECT_FALSE(plain_address(odd)) << odd;
  }
}

TEST(Addresses, AnIpv6NetworkCountsAsOne) {
  EXPECT_EQ(address_group("10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(address_group("2001:db8:1:2:3::4"), "2001:db8:1:2::");
  EXPECT_EQ(address_group("2001:db8:1:2:ffff:1:2:3"), "2001:db8:1:2::");
}

TEST(TrustedProxies, SetTheClientAddressAndOthersDoNot) {
  const TrustedProxies proxies({"10.0.0.2", "2001:DB8::2"}, false);
  const httplib::Headers real = {{"X-Real-IP", "203.0.113.5"}};
  const httplib::Headers forwarded = {{"X-Forwarded-For", "203.0.113.5"}};
  for (const auto& headers : {real, forwarded}) {
    for (const std::string peer : {"10.0.0.2", "2001:db8::2"}) {
      EXPECT_EQ(proxies.caller(request_from(peer, headers)), "203.0.113.5") << peer;
    }
    for (const std::string peer : {"10.0.0.3", "127.0.0.1", "::1", "2001:db8::3"}) {
      EXPECT_EQ(proxies.caller(request_from(peer, headers)), peer);
    }
  }
}

TEST(TrustedProxies, IncludeLoopbackAddressesIfEnabled) {
  const TrustedProxies proxies({}, true);
  const httplib::Headers real = {{"X-Real-IP", "203.0.113.5"}};
  for (const std::string peer : {"127.0.0.1", "127.0.0.9", "::1"}) {
    EXPECT_EQ(proxies.caller(request_from(peer, real)), "203.0.113.5") << peer;
    EXPECT_EQ(proxies.caller(request_from(peer, {})), peer);
  }
  EXPECT_EQ(proxies.caller(request_from("10.0.0.2", real)), "10.0.0.2");
}

TEST(TrustedProxies, OnlyAddressesThatTheyAddedAreUsed) {
  const TrustedProxies proxies({"10.0.0.2", "10.0.0.3"}, false);
  const auto caller = [&](const httplib::Headers& headers) {
    return proxies.caller(request_from("10.0.0.2", headers));
  };
  EXPECT_EQ(caller({{"X-Forwarded-For", "198.51.100.9, 203.0.113.5, 10.0.0.3"}}), "203.0.113.5");
  EXPECT_EQ(caller({{"X-Forwarded-For", "198.51.100.9"}, {"X-Forwarded-For", "203.0.113.5"}}),
            "203.0.113.5")
      << "the proxy added a line of its own";
  EXPECT_EQ(caller({{"X-Forwarded-For", "198.51.100.9, unknown"}}), "10.0.0.2");
  EXPECT_EQ(caller({{"X-Real-IP", "me"}}), "10.0.0.2");
  EXPECT_EQ(caller({{"X-Forwarded-For", "10.0.0.3"}}), "10.0.0.2");
}

TEST(TrustedProxies, WithBothHeadersAreUsedOnlyIfTheHeadersAgree) {
  const TrustedProxies proxies({"10.0.0.2", "10.0.0.3"}, false);
  const auto caller = [&](const std::string& real, const std::string& chain) {
    return proxies.caller(
        request_from("10.0.0.2", {{"X-Real-IP", real}, {"X-Forwarded-For", chain}}));
  };
  EXPECT_EQ(caller("203.0.113.5", "203.0.113.5"), "203.0.113.5");
  EXPECT_EQ(caller("203.0.113.5", "198.51.100.9, 203.0.113.5, 10.0.0.3"), "203.0.113.5");
  EXPECT_EQ(caller("2001:DB8:0::1", "2001:db8::1"), "2001:db8::1");
  EXPECT_EQ(caller("198.51.100.9", "203.0.113.5"), "10.0.0.2") << "either may be made up";
  EXPECT_EQ(caller("198.51.100.9", "198.51.100.9, 203.0.113.5"), "10.0.0.2");
  EXPECT_EQ(caller("203.0.113.5", "10.0.0.3"), "10.0.0.2");
  EXPECT_EQ(caller("203.0.113.5", "unknown"), "10.0.0.2");
  EXPECT_EQ(caller("me", "203.0.113.5"), "10.0.0.2");
  EXPECT_EQ(caller("me", "you"), "10.0.0.2");
}

TEST(TrustedProxies, MustBeIpAddresses) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [] { const TrustedProxies proxies({"proxy.example.org"}, false); }),
            "trusted proxy 'proxy.example.org': is not an IP address");
}

TEST(PublicUrl, IsASchemeAHostAndAnOptionalPort) {
  for (const std::string right :
       {"https://verbs.example.org", "https://verbs.example.org/", "http://10.0.0.7:8080",
        "http://[2001:db8::1]:8080", "https://[::1]", "http://localhost"}) {
    EXPECT_EQ(public_url_problem(right), "");
  }
  for (const std::string wrong :
       {"", "verbs.example.org", "https:verbs", "https://", "https:///", "ftp://example.org",
        "HTTPS://example.org", "https://me@example.org", "https://example.org:", "https://:80",
        "https://example.org:0", "https://example.org:65536", "https://[::1", "https://[1]",
        "https://[::1]a:80", "https://exa mple.org", "https://2001:db8::1"}) {
    EXPECT_EQ(public_url_problem(wrong),
              fmt::format("'{}' is not http://HOST[:PORT] or https://HOST[:PORT]", wrong));
  }
  for (const std::string wrong : {"https://example.org/verbs", "https://example.org//",
                                  "https://example.org?a", "http://a#b"}) {
    EXPECT_NE(public_url_problem(wrong).find("; a path after the host is not supported"),
              std::string::npos)
        << wrong;
  }
}

TEST(PublicUrl, IsCheckedByTheServer) {
  const ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(scratch.path(), 1);
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       const AnnotationServer server(
                           project, {.port = 0, .public_url = "verbs.example.org"});
                     }),
            "public URL: 'verbs.example.org' is not http://HOST[:PORT] or https://HOST[:PORT]");
}

int login_status(Visitor* visitor, const std::string& address) {
  return visitor->post("/api/leader/login", {{"password", "guess"}}, {{"X-Real-IP", address}})
      ->status;
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
  EXPECT_EQ(link.find("https://verbs.example.org/join/"), 0U) << link;
  Visitor ann(server.port());
  EXPECT_NE(
      ann.get(link.substr(link.find("/join")))->get_header_value("Set-Cookie").find("; Secure"),
      std::string::npos);
  EXPECT_EQ(
      ann.post("/api/annotator/next", Json::object(), {{"Origin", "https://verbs.example.org"}})
          ->status,
      200);
}

}  // namespace
}  // namespace manyverbs
