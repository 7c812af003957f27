// SPDX-License-Identifier: MIT
//
// Unauthorised access, oversized and slow requests.
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/http_server.h"
#include "manyverbs/server/internal/content_policy.h"
#include "manyverbs/server/internal/login_limiter.h"
#include "manyverbs/server/internal/secrets.h"
#include "tests/raw_client.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"
#include "web/pages.h"

namespace manyverbs {
namespace {

class Closed : public testing::Test {
 protected:
  Closed() {
    leader_.set_up(server_.setup_url());
    link_ = leader_.invite("Ann");
    annotator_.join(link_);
    annotator_.post_json("/api/annotator/next", Json::object());
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 5);
  RunningServer server_{project_};
  Visitor leader_{server_.port()};
  Visitor annotator_{server_.port()};
  Visitor stranger_{server_.port()};
  std::string link_;
};

const std::vector<std::string> kLeaderGets = {
    "/api/leader/overview", "/api/leader/disputes", "/api/leader/reports",   "/api/leader/clips",
    "/api/leader/clip",     "/api/leader/answers",  "/api/leader/decisions", "/api/leader/texts",
    "/api/leader/export",   "/api/leader/log",      "/api/leader/remarks",   "/api/leader/leaders"};
const std::vector<std::string> kLeaderPosts = {
    "/api/leader/settings",       "/api/leader/people",         "/api/leader/people/1",
    "/api/leader/people/1/link",  "/api/leader/reports/forget", "/api/leader/decisions",
    "/api/leader/decisions/undo", "/api/leader/texts",          "/api/leader/people/1/practised",
    "/api/leader/people/many",    "/api/leader/people/1/name",  "/api/leader/people/1/remove",
    "/api/leader/leaders",        "/api/leader/leaders/1/link", "/api/leader/leaders/1/remove",
    "/api/leader/password"};
const std::vector<std::string> kAnnotatorGets = {
    "/api/annotator",       "/api/annotator/answers", "/api/annotator/practice",
    "/api/annotator/guide", "/clips/1.mp4",           "/clips/p1.mp4"};
const std::vector<std::string> kAnnotatorPosts = {
    "/api/annotator/next", "/api/annotator/answers", "/api/annotator/practice",
    "/api/annotator/practised", "/api/annotator/reports"};

const std::vector<std::string> kSignIns = {"/api/annotator/join", "/api/annotator/logout",
                                           "/api/leader/login",   "/api/leader/logout",
                                           "/api/leader/setup",   "/api/leader/setup/check"};

TEST_F(Closed, OnlySignInPagesAreReachableWithoutALinkOrThePassword) {
  for (const auto& paths : {kLeaderGets, kAnnotatorGets}) {
    for (const std::string& path : paths) EXPECT_EQ(stranger_.get(path).status, 401) << path;
  }
  for (const auto& paths : {kLeaderPosts, kAnnotatorPosts}) {
    for (const std::string& path : paths) {
      EXPECT_EQ(stranger_.post(path, Json::object()).status, 401) << path;
    }
  }
  for (const std::string path : {"/", "/lead", "/join", "/annotate", "/api/leader"}) {
    EXPECT_EQ(stranger_.get(path).status, 200) << path;
  }
  for (const std::string path :
       {"/answers.sqlite", "/project.json", "/tasks.csv", "/.env", "/api"}) {
    EXPECT_EQ(stranger_.get(path).status, 404) << path;
  }
}

TEST_F(Closed, AnnotatorAndLeaderSessionsAreSeparate) {
  for (const std::string& path : kLeaderGets) EXPECT_EQ(annotator_.get(path).status, 401) << path;
  for (const std::string& path : kLeaderPosts) {
    EXPECT_EQ(annotator_.post(path, Json::object()).status, 401) << path;
  }
  // The cookie of one role under the name of the other.
  Visitor forger(server_.port());
  const auto with_value_of = [](const Visitor& name, const Visitor& value) {
    return name.cookies().substr(0, name.cookies().find('=')) +
           value.cookies().substr(value.cookies().find('='));
  };
  forger.set_cookies(with_value_of(leader_, annotator_));
  EXPECT_EQ(forger.get("/api/leader/overview").status, 401);
  forger.set_cookies(with_value_of(annotator_, leader_));
  EXPECT_EQ(forger.get("/api/annotator").status, 401);
}

TEST_F(Closed, AnAnnotatorSeesOnlyAssignedClipsAndOwnAnswers) {
  EXPECT_EQ(annotator_.get("/clips/1.mp4").status, 200);
  EXPECT_EQ(annotator_.get("/clips/2.mp4").status, 200);
  EXPECT_EQ(annotator_.get("/clips/3.mp4").status, 403);
  EXPECT_EQ(annotator_.get("/clips/99.mp4").status, 403) << "as if it were somebody else's";
  EXPECT_EQ(leader_.get("/clips/3.mp4").status, 200);
  EXPECT_EQ(leader_.get("/clips/99.mp4").status, 404);
  annotator_.post_json("/api/annotator/answers", sent_answer(1, {0}));
  Visitor ben(server_.port());
  ben.join(leader_.invite("Ben"));
  EXPECT_TRUE(ben.get_json("/api/annotator/answers")["task"].is_null());
  EXPECT_EQ(ben.post("/api/annotator/answers", sent_answer(1, {0})).status, 403);
}

TEST_F(Closed, APageOpenedByOnePersonCannotActForAnother) {
  const auto key_of = [](Visitor* visitor) {
    return HttpHeaders{
        {"X-Manyverbs-Person", visitor->get_json("/api/annotator")["key"].get<std::string>()}};
  };
  const HttpHeaders ann = key_of(&annotator_);
  Visitor ben(server_.port());
  ben.join(leader_.invite("Ben"));
  ben.post_json("/api/annotator/next", Json::object());
  for (const std::string& path : kAnnotatorPosts) {
    const auto reply = ben.post(path, sent_answer(1, {0}), ann);
    EXPECT_EQ(reply.status, 401) << path;
    EXPECT_NE(reply.body.find("another personal link"), std::string::npos) << reply.body;
  }
  for (const std::string path :
       {"/api/annotator", "/api/annotator/answers", "/api/annotator/practice"}) {
    EXPECT_EQ(ben.get(path, ann).status, 401) << path;
  }
  const Json me = ben.get_json("/api/annotator");
  EXPECT_EQ(me["progress"]["done"], 0);
  Visitor cyd(server_.port());
  cyd.open(leader_.invite("Cyd"));
  EXPECT_EQ(cyd.post("/api/annotator/practice", sent_answer(1, {0}), ann).status, 401);
  EXPECT_TRUE(cyd.get_json("/api/annotator/practice")["answered"].empty());
  EXPECT_EQ(ben.post("/api/annotator/answers", sent_answer(1, {0}), key_of(&ben)).status, 200);
  EXPECT_EQ(annotator_.post("/api/annotator/answers", sent_answer(1, {0}), ann).status, 200);
}

TEST_F(Closed, PathsOutsideTheProjectAreNotFound) {
  scratch_.write("clips/secret.mp4", "secret");
  for (const std::string path :
       {"/clips/../project.json", "/clips/..%2fproject.json", "/clips/%2e%2e/answers.sqlite",
        "/clips//etc/passwd", "/clips/secret.mp4", "/clips/1.mp4/../../tasks.csv", "/clips/01.mp4",
        "/clips/1", "/clips/1.mp4%00.txt", "/../../etc/passwd", "/clips/", "/clips/-1.mp4"}) {
    const auto reply = leader_.get(path);
    EXPECT_TRUE(reply.status == 404 || reply.status == 400) << path << reply.status;
    EXPECT_EQ(reply.body.find("secret"), std::string::npos) << path;
  }
}

TEST_F(Closed, CrossSiteRequestsAreRejected) {
  const Json body = sent_answer(1, {0});
  EXPECT_EQ(annotator_.post("/api/annotator/answers", body, {{"X-Manyverbs", "0"}}).status, 403);
  EXPECT_EQ(
      annotator_.post("/api/annotator/answers", body, {{"Origin", "https://evil.example"}}).status,
      403);
  EXPECT_EQ(annotator_.post("/api/annotator/answers", body, {{"Origin", "null"}}).status, 403);
  const std::string own = fmt::format("http://127.0.0.1:{}", server_.port());
  EXPECT_EQ(annotator_.post("/api/annotator/answers", body, {{"Origin", own}}).status, 200);
  EXPECT_EQ(leader_.post("/api/leader/people", {{"name", "Eve"}}, {{"X-Manyverbs", ""}}).status,
            403);
  for (const auto& [visitor, paths] : {std::pair(&leader_, kLeaderPosts),
                                       {&annotator_, kAnnotatorPosts},
                                       {&stranger_, kSignIns}}) {
    for (const std::string& path : paths) {
      EXPECT_EQ(visitor->post(path, Json::object(), {{"X-Manyverbs", "0"}}).status, 403) << path;
    }
  }
  EXPECT_FALSE(stranger_.get("/api/leader").headers.contains("Access-Control-Allow-Origin"));
}

TEST_F(Closed, WrongLinksDoNotBlockTheirAddress) {
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(stranger_.use("/join#guess" + std::to_string(i)).status, 404);
    const Json wrong = {{"token", "guess"}, {"password", kPassword}};
    EXPECT_EQ(stranger_.post("/api/leader/setup", wrong).status, 403);
  }
  EXPECT_EQ(stranger_.use(leader_.invite("Ben")).status, 200);
  EXPECT_EQ(stranger_.sign_in().status, 200);
}

TEST_F(Closed, ManyPeopleWithOneAddressCanJoinAtOnce) {
  std::vector<std::string> links;
  for (int i = 0; i < 20; ++i) links.push_back(leader_.invite(std::to_string(i)));
  std::vector<std::thread> threads;
  for (const std::string& link : links) {
    threads.emplace_back([&] { EXPECT_NO_THROW(Visitor(server_.port()).join(link)); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Closed, WrongPasswordsAreSlowedDown) {
  ClientReply reply = stranger_.sign_in("guess");
  EXPECT_EQ(reply.status, 403);
  // After three attempts, unless one takes longer than the wait; after ten always.
  for (int i = 0; i < 10 && reply.status == 403; ++i) {
    reply = stranger_.sign_in("guess");
  }
  EXPECT_EQ(reply.status, 429);
  EXPECT_GE(Json::parse(reply.body)["wait"], 1);
  EXPECT_EQ(reply.headers.value("Retry-After"), Json::parse(reply.body)["wait"].dump());
}

TEST(LoginLimiter, DoublesTheWaitAndThenBlocksForAQuarterOfAnHour) {
  LoginLimiter limiter;
  Time now = 1'700'000'000'000;
  std::vector<int> waits;
  while (waits.size() < 9) {
    try {
      limiter.begin("10.0.0.1", now);
    } catch (const HttpError& error) {
      EXPECT_EQ(error.status(), 429);
      waits.push_back(error.retry_after());
      now += error.retry_after() * 1000;
    }
  }
  EXPECT_EQ(waits, (std::vector{1, 2, 4, 8, 16, 32, 64, 900, 900}));
  EXPECT_NO_THROW(limiter.begin("10.0.0.2", now)) << "others are not held up";
}

TEST(LoginLimiter, ResetsAfterTheRightPasswordAndAfterAnHour) {
  LoginLimiter limiter;
  for (int i = 0; i < 3; ++i) limiter.begin("10.0.0.1", 1000 + i);
  EXPECT_THROW(limiter.begin("10.0.0.1", 1500), HttpError);
  limiter.succeeded("10.0.0.1");
  for (int i = 0; i < 3; ++i) EXPECT_NO_THROW(limiter.begin("10.0.0.1", 1500));
  EXPECT_THROW(limiter.begin("10.0.0.1", 1500), HttpError);
  const Time later = 1500 + 3'600'001;
  for (int i = 0; i < 3; ++i) EXPECT_NO_THROW(limiter.begin("10.0.0.1", later)) << i;
  EXPECT_THROW(limiter.begin("10.0.0.1", later), HttpError);
}

TEST(LoginLimiter, ParallelAttemptsAreAllCounted) {
  LoginLimiter limiter;
  std::atomic<int> tries = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 100; ++j) {
        try {
          limiter.begin("10.0.0.1", 1000);
          ++tries;
        } catch (const HttpError&) {  // too early
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tries, 3);
}

TEST_F(Closed, OversizedBodiesAndPathsAreRejected) {
  Visitor first(server_.port());
  const auto large = first.post_text("/api/annotator/answers", std::string(70'000, 'x'));
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(annotator_.get("/" + std::string(600, 'x')).status, 414);
  const auto packed =
      annotator_.post_text("/api/annotator/next", "{}", {{"Content-Encoding", "gzip"}});
  EXPECT_EQ(packed.status, 415);
  EXPECT_EQ(annotator_.get("/api/annotator").status, 200);
}

TEST_F(Closed, OneAddressCannotUseAllConnections) {
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 300; ++i) {
    clients.push_back(std::make_unique<RawClient>(server_.port(), "127.0.0.3"));
  }
  EXPECT_TRUE(clients.back()->is_cut(10));
  EXPECT_EQ(annotator_.get("/api/annotator").status, 200);
}

// A thousand requests would need a quarter of an hour.
TEST(ManyRequests, OfOneAddressAreRejected) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 1), {.requests_per_second = 1});
  const RawClient stranger(server.port(), "127.0.0.2");
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += "GET /api/leader HTTP/1.1\r\n\r\n";
  stranger.say(requests);
  stranger.end_sending();
  const std::string heard = stranger.hear(30);
  EXPECT_TRUE(statuses(heard).starts_with("200 200 ")) << "twice as many at once";
  EXPECT_NE(heard.find("{\"error\":\"too many requests; try again in 1 second\",\"wait\":1}"),
            std::string::npos)
      << heard.substr(0, 1000);
  EXPECT_EQ(Visitor(server.port()).get("/api/leader").status, 200) << "others are not affected";
}

TEST_F(Closed, BodiesThatAreNotJsonAreRejectedUnread) {
  HttpClient client(server_.port());
  for (const std::string type :
       {"application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"}) {
    const auto reply =
        client.post("/api/leader/login", "a=b", {{"X-Manyverbs", "1"}, {"Content-Type", type}});
    EXPECT_EQ(reply.status, 415) << type;
  }
}

TEST_F(Closed, ScriptInNamesAndLabelsIsEscaped) {
  const std::string script = "<script>alert(1)</script>";
  const auto invited = leader_.post("/api/leader/people", {{"name", script}});
  EXPECT_EQ(invited.headers.value("Content-Type"), "application/json; charset=utf-8");
  EXPECT_EQ(invited.headers.value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(Json::parse(invited.body)["person"]["name"], script);
  const auto missing = stranger_.get("/<script>alert(1)</script>");
  EXPECT_EQ(missing.body.find("<script>"), std::string::npos);
  EXPECT_EQ(html_text("<b>&\"'"), "&lt;b&gt;&amp;&quot;&#39;");
  const std::vector<std::string> odd = {"", "   ", "two\nlines", std::string(101, 'x')};
  for (const std::string& name : odd) {
    EXPECT_EQ(leader_.post("/api/leader/people", {{"name", name}}).status, 400) << name;
  }
}

TEST_F(Closed, PagesRunOnlyTheirOwnScript) {
  for (const auto& [path, page] :
       {std::pair("/lead", kLeadPage), {"/annotate", kAnnotatePage}, {"/join", kAnnotatePage}}) {
    const auto reply = annotator_.get(path);
    EXPECT_EQ(reply.body, page);
    const std::string policy = reply.headers.value("Content-Security-Policy");
    EXPECT_NE(policy.find("default-src 'none'"), std::string::npos) << policy;
    EXPECT_NE(policy.find("script-src 'sha256-"), std::string::npos) << policy;
    EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
    EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos) << policy;
    EXPECT_EQ(reply.headers.value("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(reply.headers.value("Cache-Control"), "no-store");
  }
}

TEST(ContentPolicy, ListsScriptsAndStylesByTheirHashes) {
  // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
  EXPECT_NE(content_policy("<p><script type=\"module\">alert(1)</script>")
                .find("script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='; "
                      "style-src 'none'"),
            std::string::npos);
}

TEST_F(Closed, CookiesAreHttpOnlyAndSameSite) {
  Visitor ben(server_.port());
  const std::string cookie = ben.use(leader_.invite("Ben")).headers.value("Set-Cookie");
  EXPECT_NE(cookie.find("; HttpOnly; SameSite=Lax"), std::string::npos) << cookie;
  const std::string session = stranger_.sign_in().headers.value("Set-Cookie");
  EXPECT_NE(session.find("; HttpOnly; SameSite=Strict"), std::string::npos) << session;
}

TEST(Secrets, TokensDifferAndAreHashedWithSha256) {
  const std::string token = new_token();
  EXPECT_EQ(token.size(), 43U);
  EXPECT_NE(token, new_token());
  // printf abc | sha256sum
  EXPECT_EQ(token_hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_TRUE(equal_secrets("abc", "abc"));
  EXPECT_FALSE(equal_secrets("abc", "abd"));
  EXPECT_FALSE(equal_secrets("abc", "ab"));
}

TEST(Secrets, PasswordsAreHashedWithArgon2AndASalt) {
  const std::string hash = password_hash("correct horse");
  EXPECT_EQ(hash.find("$argon2id$"), 0U);
  EXPECT_NE(hash, password_hash("correct horse"));
  EXPECT_TRUE(is_password(hash, "correct horse"));
  EXPECT_FALSE(is_password(hash, "correct horsf"));
  EXPECT_FALSE(is_password("", ""));
}

TEST(Secrets, FewPasswordsWaitForEachOtherAndMoreAreRefused) {
  const std::string hash = password_hash("correct horse");
  std::vector<std::thread> waiting;
  {
    const PasswordTurn turn;
    for (int i = 1; i < PasswordTurn::kMost; ++i) {
      waiting.emplace_back([&] { EXPECT_TRUE(is_password(hash, "correct horse")); });
    }
    while (PasswordTurn::count() < PasswordTurn::kMost) std::this_thread::yield();
    try {
      is_password(hash, "correct horse");
      FAIL() << "one more password was not refused";
    } catch (const HttpError& refusal) {
      EXPECT_EQ(refusal.status(), 429);
      EXPECT_EQ(refusal.retry_after(), 2);
    }
    EXPECT_EQ(PasswordTurn::count(), PasswordTurn::kMost);
  }
  for (std::thread& thread : waiting) thread.join();
  EXPECT_EQ(PasswordTurn::count(), 0);
  EXPECT_TRUE(is_password(hash, "correct horse"));
}

TEST_F(Closed, TheDatabaseContainsNoPasswordLinkOrCookie) {
  std::string bytes;
  for (const std::string& name : scratch_.names()) {
    if (name.starts_with("answers.sqlite")) bytes += read_file(scratch_ / name);
  }
  EXPECT_FALSE(bytes.empty());
  for (const std::string& secret : {std::string(kPassword), token_of(link_),
                                    annotator_.cookies().substr(annotator_.cookies().find('=') + 1),
                                    leader_.cookies().substr(leader_.cookies().find('=') + 1)}) {
    EXPECT_EQ(bytes.find(secret), std::string::npos);
  }
}

}  // namespace
}  // namespace manyverbs
