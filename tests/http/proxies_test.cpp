// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/proxies.h"

#include <gtest/gtest.h>

#include "manyverbs/http/internal/address.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

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
  const HttpHeaders real = {{"X-Real-IP", "203.0.113.5"}};
  const HttpHeaders forwarded = {{"X-Forwarded-For", "203.0.113.5"}};
  for (const auto& headers : {real, forwarded}) {
    for (const std::string peer : {"10.0.0.2", "2001:db8::2"}) {
      EXPECT_EQ(proxies.caller(peer, headers), "203.0.113.5") << peer;
    }
    for (const std::string peer : {"10.0.0.3", "127.0.0.1", "::1", "2001:db8::3"}) {
      EXPECT_EQ(proxies.caller(peer, headers), peer);
    }
  }
}

TEST(TrustedProxies, IncludeLoopbackAddressesIfEnabled) {
  const TrustedProxies proxies({}, true);
  const HttpHeaders real = {{"X-Real-IP", "203.0.113.5"}};
  for (const std::string peer : {"127.0.0.1", "127.0.0.9", "::1"}) {
    EXPECT_EQ(proxies.caller(peer, real), "203.0.113.5") << peer;
    EXPECT_EQ(proxies.caller(peer, {}), peer);
  }
  EXPECT_EQ(proxies.caller("10.0.0.2", real), "10.0.0.2");
}

TEST(TrustedProxies, OnlyAddressesThatTheyAddedAreUsed) {
  const TrustedProxies proxies({"10.0.0.2", "10.0.0.3"}, false);
  const auto caller = [&](const HttpHeaders& headers) {
    return proxies.caller("10.0.0.2", headers);
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
    return proxies.caller("10.0.0.2", {{"X-Real-IP", real}, {"X-Forwarded-For", chain}});
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

TEST(PublicUrl, IsASchemeAHostAnOptionalPortAndAnOptionalPath) {
  for (const std::string right :
       {"https://verbs.example.org", "https://verbs.example.org/", "http://10.0.0.7:8080",
        "http://[2001:db8::1]:8080", "https://[::1]", "http://localhost",
        "https://example.org/verbs", "https://example.org/verbs/",
        "http://example.org:8080/~lab/verbs-2.1"}) {
    EXPECT_EQ(public_url_problem(right), "");
  }
  for (const std::string wrong : {"",
                                  "verbs.example.org",
                                  "https:verbs",
                                  "https://",
                                  "https:///",
                                  "https:///verbs",
                                  "ftp://example.org",
                                  "HTTPS://example.org",
                                  "https://me@example.org",
                                  "https://example.org:",
                                  "https://:80",
                                  "https://example.org:0",
                                  "https://example.org:65536",
                                  "https://[::1",
                                  "https://[1]",
                                  "https://[::1]a:80",
                                  "https://exa mple.org",
                                  "https://2001:db8::1",
                                  "https://example.org//",
                                  "https://example.org//verbs",
                                  "https://example.org/a/../b",
                                  "https://example.org/.",
                                  "https://example.org/a b",
                                  "https://example.org/a;b",
                                  "https://example.org/a%20b",
                                  "https://example.org?a",
                                  "https://example.org/?a",
                                  "http://a#b"}) {
    EXPECT_EQ(
        public_url_problem(wrong),
        fmt::format("'{}' is not http://HOST[:PORT][/PATH] or https://HOST[:PORT][/PATH]", wrong));
  }
}

TEST(PublicUrl, HasAPath) {
  EXPECT_EQ(public_path("https://example.org/verbs/"), "/verbs");
  EXPECT_EQ(public_path("http://[::1]:80/lab/verbs"), "/lab/verbs");
  EXPECT_EQ(public_path("https://example.org/"), "");
  EXPECT_EQ(public_path("https://example.org"), "");
}

}  // namespace
}  // namespace manyverbs
