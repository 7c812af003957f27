// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/leaders.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/secrets.h"
#include "manyverbs/server/internal/store.h"
#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/moments.h"
#include "tests/server/status_of.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

constexpr Time kDays = 24 * 60 * kMinute;

// All tests run with an SQLite file and with a PostgreSQL server.
class LeaderAccounts : public testing::TestWithParam<std::string> {
 protected:
  void add_lea() {
    leaders_.add_first_link("first link");
    ASSERT_TRUE(leaders_.set_up("first link", "Lea", "hash of Lea", "session of Lea", kStart));
  }

  ScratchFolder scratch_;
  std::string where_ = GetParam() == "sqlite" ? (scratch_ / "answers.sqlite").string()
                                              : PostgresServer::shared().new_database();
  AnnotationProject project_ = write_toy_project(scratch_.path(), 1);
  AnnotationStore store_{where_, project_};
  Leaders leaders_{&store_.database()};
};

TEST_P(LeaderAccounts, TheLinksOfAllServersAreForTheFirstLeaderOnly) {
  EXPECT_FALSE(leaders_.exist());
  leaders_.add_first_link("of one server");
  leaders_.add_first_link("of another server");
  EXPECT_FALSE(leaders_.invitee("unknown", kStart));
  EXPECT_FALSE(leaders_.set_up("unknown", "Eve", "hash", "session", kStart));
  EXPECT_FALSE(leaders_.invitee("of one server", kStart)->name) << "nobody has named them yet";
  const auto lea = leaders_.set_up("of another server", " Lea ", "hash", "session", kStart);
  ASSERT_TRUE(lea);
  EXPECT_EQ(lea->name, "Lea");
  EXPECT_EQ(lea->id, 1);
  EXPECT_TRUE(leaders_.exist());
  EXPECT_EQ(leaders_.of_session("session", kStart)->name, "Lea");
  leaders_.add_first_link("too late");
  for (const char* link : {"of one server", "of another server", "too late"}) {
    EXPECT_FALSE(leaders_.invitee(link, kStart)) << link;
    EXPECT_FALSE(leaders_.set_up(link, "Eve", "hash", "other session", kStart)) << link;
  }
  EXPECT_EQ(store_.log(0, 9),
            (std::vector<LogEntry>{{kStart, "Lea", "set a password", "Lea", "", 1}}));
}

TEST_P(LeaderAccounts, OfManyWhoUseTheFirstLinksAtOnceOneBecomesTheLeader) {
  AnnotationStore second_store(where_, project_);
  Leaders second(&second_store.database());
  for (int i = 0; i < 4; ++i) leaders_.add_first_link(fmt::format("link {}", i));
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      Leaders& leaders = i % 2 == 0 ? leaders_ : second;
      if (leaders.set_up(fmt::format("link {}", i / 2), fmt::format("leader {}", i), "hash",
                         fmt::format("session {}", i), kStart)) {
        ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(leaders_.all(kStart).size(), 1U);
}

TEST_P(LeaderAccounts, AnInvitedLeaderSetsTheirOwnPasswordOnce) {
  add_lea();
  const Leader ben = leaders_.invite("Ben", "link of Ben", kLeader);
  EXPECT_EQ(ben, (Leader{2, "Ben", LeaderState::Invited}));
  EXPECT_EQ(leaders_.invitee("link of Ben", kStart)->name, "Ben");
  EXPECT_EQ(leaders_.all(kStart + 7 * kDays - 1).at(1).state, LeaderState::Invited);
  EXPECT_EQ(leaders_.all(kStart + 7 * kDays).at(1).state, LeaderState::Expired);
  EXPECT_FALSE(leaders_.invitee("link of Ben", kStart + 7 * kDays));
  EXPECT_FALSE(leaders_.set_up("link of Ben", "", "hash", "x", kStart + 7 * kDays));
  EXPECT_EQ(leaders_.find("ben", kStart)->password, "");
  const auto set_up =
      leaders_.set_up("link of Ben", "Eve", "hash of Ben", "session of Ben", kStart);
  EXPECT_EQ(set_up, (Leader{2, "Ben", LeaderState::Active})) << "the name was given already";
  EXPECT_EQ(leaders_.find(" BEN ", kStart)->password, "hash of Ben");
  EXPECT_FALSE(leaders_.set_up("link of Ben", "", "hash", "x", kStart)) << "used";
  EXPECT_EQ(leaders_.of_session("session of Lea", kStart)->name, "Lea") << "still signed in";
}

TEST_P(LeaderAccounts, NamesAreUniqueAndNotThoseOfPrograms) {
  add_lea();
  EXPECT_EQ(status_of([&] { leaders_.invite("LEA", "x", kLeader); }), 409);
  EXPECT_EQ(status_of([&] { leaders_.invite("(server)", "x", kLeader); }), 400);
  EXPECT_EQ(status_of([&] { leaders_.invite("", "x", kLeader); }), 400);
  EXPECT_EQ(leaders_.all(kStart).size(), 1U);
}

TEST_P(LeaderAccounts, ALostPasswordStaysValidUntilTheNewOneIsSet) {
  add_lea();
  leaders_.set_link(1, "new link", kLeader);
  leaders_.set_link(1, "newer link", kLeader);
  EXPECT_EQ(leaders_.find("Lea", kStart)->password, "hash of Lea");
  EXPECT_EQ(leaders_.find("Lea", kStart)->leader.state, LeaderState::Active);
  EXPECT_FALSE(leaders_.invitee("new link", kStart)) << "replaced";
  EXPECT_TRUE(leaders_.set_up("newer link", "", "new hash", "new session", kStart));
  EXPECT_FALSE(leaders_.of_session("session of Lea", kStart)) << "somebody may have stolen it";
  EXPECT_TRUE(leaders_.of_session("new session", kStart));
  EXPECT_EQ(status_of([&] { leaders_.set_link(9, "x", kLeader); }), 404);
}

TEST_P(LeaderAccounts, ARemovedLeaderIsSignedOutAndOneLeaderRemains) {
  add_lea();
  leaders_.invite("Ben", "link of Ben", kLeader);
  EXPECT_EQ(status_of([&] { leaders_.remove(1, kLeader); }), 409) << "Ben has no password yet";
  leaders_.set_up("link of Ben", "", "hash of Ben", "session of Ben", kStart);
  leaders_.set_link(2, "another link", kLeader);
  leaders_.remove(2, {"Lea", kStart + 1});
  EXPECT_FALSE(leaders_.of_session("session of Ben", kStart));
  EXPECT_FALSE(leaders_.find("Ben", kStart));
  EXPECT_FALSE(leaders_.set_up("another link", "", "hash", "x", kStart));
  EXPECT_EQ(store_.log(0, 1).at(0).action, "removed a leader");
  EXPECT_EQ(status_of([&] { leaders_.remove(2, kLeader); }), 404);
  EXPECT_EQ(status_of([&] { leaders_.remove(1, kLeader); }), 409);
  EXPECT_EQ(leaders_.invite("Cyd", "link of Cyd", kLeader).id, 3) << "numbers are not given again";
  leaders_.remove(3, kLeader);  // an invitation can be withdrawn
  EXPECT_FALSE(leaders_.invitee("link of Cyd", kStart));
}

TEST_P(LeaderAccounts, ANewPasswordEndsTheOtherSessionsOfItsLeaderOnly) {
  add_lea();
  leaders_.invite("Ben", "link of Ben", kLeader);
  leaders_.set_up("link of Ben", "", "hash of Ben", "session of Ben", kStart);
  const Leaders::Account lea = *leaders_.find("Lea", kStart);
  EXPECT_TRUE(leaders_.sign_in(lea, "second", kStart));
  leaders_.set_password(1, "new hash", "second", kLeader);
  EXPECT_FALSE(leaders_.of_session("session of Lea", kStart));
  EXPECT_TRUE(leaders_.of_session("second", kStart));
  EXPECT_TRUE(leaders_.of_session("session of Ben", kStart));
  EXPECT_FALSE(leaders_.sign_in(lea, "third", kStart)) << "the password has changed meanwhile";
  EXPECT_FALSE(leaders_.of_session("third", kStart));
  EXPECT_EQ(store_.log(0, 1).at(0),
            (LogEntry{kStart, "Lea", "changed the password", "Lea", "", 4}));
}

TEST_P(LeaderAccounts, SessionsEndAfterAWeekAndAreNotThoseOfPeople) {
  add_lea();
  EXPECT_TRUE(leaders_.of_session("session of Lea", kStart + 7 * kDays));
  EXPECT_FALSE(leaders_.of_session("session of Lea", kStart + 7 * kDays + 1));
  EXPECT_FALSE(store_.session_person("session of Lea", kStart));
  store_.add_person("Ann", "link", kLeader);
  store_.join("link", "session of Ann", "session of Lea", kStart);
  EXPECT_TRUE(leaders_.of_session("session of Lea", kStart)) << "not a session of an annotator";
  EXPECT_FALSE(leaders_.of_session("session of Ann", kStart));
  leaders_.close_session("session of Ann");
  EXPECT_TRUE(store_.session_person("session of Ann", kStart));
  leaders_.seen(1, kStart + 5);
  EXPECT_EQ(leaders_.all(kStart).at(0).last_seen, kStart + 5);
  leaders_.close_session("session of Lea");
  EXPECT_FALSE(leaders_.of_session("session of Lea", kStart));
}

TEST_P(LeaderAccounts, ThePasswordOfTheCommandLineIsThatOfALeader) {
  leaders_.add_first_link("first link");
  leaders_.set_password_of("leader", "hash", {kCommandLine, kStart});
  EXPECT_TRUE(leaders_.exist());
  EXPECT_FALSE(leaders_.invitee("first link", kStart));
  EXPECT_TRUE(leaders_.sign_in(*leaders_.find("leader", kStart), "session", kStart));
  leaders_.set_password_of("leader", "other hash", {kCommandLine, kStart});
  EXPECT_FALSE(leaders_.of_session("session", kStart));
  EXPECT_EQ(leaders_.all(kStart).size(), 1U);
  EXPECT_EQ(store_.log(0, 1).at(0),
            (LogEntry{kStart, "(command line)", "set a password", "leader", "", 2}));
}

INSTANTIATE_TEST_SUITE_P(, LeaderAccounts, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

// A server with the leader Lea, and another visitor.
class LeadersServing : public testing::Test {
 protected:
  LeadersServing() { lea_.set_up(server_.setup_url(), "Lea"); }
  std::string invite(const std::string& name) {
    return lea_.post_json("/api/leader/leaders", {{"name", name}})["link"].get<std::string>();
  }
  ClientReply set_up(Visitor* visitor, const std::string& link, const std::string& password) {
    return visitor->post("/api/leader/setup", {{"token", token_of(link)}, {"password", password}});
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 1);
  RunningServer server_{project_};
  Visitor lea_{server_.port()};
  Visitor ben_{server_.port()};
};

TEST_F(LeadersServing, AnInvitedLeaderChoosesAPasswordAndActsUnderTheirName) {
  EXPECT_EQ(lea_.get_json("/api/leader"), Json::parse(R"({"state": "signed_in", "name": "Lea"})"));
  EXPECT_EQ(ben_.get_json("/api/leader"), Json::parse(R"({"state": "signed_out"})"));
  const Json invited = lea_.post_json("/api/leader/leaders", {{"name", "Ben"}});
  EXPECT_EQ(invited["leader"], Json::parse(R"({"id": 2, "name": "Ben", "state": "invited",
                                               "last_seen": null, "you": false})"));
  const auto link = invited["link"].get<std::string>();
  EXPECT_TRUE(link.starts_with(fmt::format("http://127.0.0.1:{}/lead#setup=", server_.port())));
  const Json token = {{"token", token_of(link)}};
  EXPECT_EQ(ben_.post_json("/api/leader/setup/check", token), (Json{{"name", "Ben"}}));
  EXPECT_EQ(set_up(&ben_, link, "short").status, 400);
  EXPECT_EQ(Json::parse(set_up(&ben_, link, "the password of Ben").body),
            Json::parse(R"({"state": "signed_in", "name": "Ben"})"));
  EXPECT_EQ(ben_.post("/api/leader/setup/check", token).status, 403);
  ben_.invite("Ann");
  const Json log = lea_.get_json("/api/leader/log");
  EXPECT_EQ(log["entries"][0]["who"], "Ben");
  EXPECT_EQ(log["entries"][0]["action"], "invited");
  EXPECT_EQ(log["entries"][0]["id"], 4);
  const Json leaders = ben_.get_json("/api/leader/leaders")["leaders"];
  ASSERT_EQ(leaders.size(), 2U);
  EXPECT_EQ(leaders[0]["name"], "Lea");
  EXPECT_EQ(leaders[0]["you"], false);
  EXPECT_EQ(leaders[1]["you"], true);
  EXPECT_EQ(leaders[1]["state"], "active");
  EXPECT_FALSE(leaders[1]["last_seen"].is_null());
}

TEST_F(LeadersServing, TheFirstLeaderIsAskedForAName) {
  const AnnotationProject other = write_toy_project(scratch_ / "other", 1);
  const RunningServer server(other);
  const RunningServer second(other);
  Visitor visitor(second.port());
  EXPECT_EQ(visitor.get_json("/api/leader"), Json::parse(R"({"state": "setup"})"));
  const std::string token = token_of(server.setup_url());
  EXPECT_NE(token_of(second.setup_url()), token);
  EXPECT_EQ(visitor.post_json("/api/leader/setup/check", {{"token", token}}),
            Json::parse(R"({"name": null})"))
      << "the link of one server works on the other";
  Json body = {{"token", token}, {"password", kPassword}};
  EXPECT_EQ(visitor.post("/api/leader/setup", body).status, 400) << "no name";
  body["name"] = "(server)";
  EXPECT_EQ(visitor.post("/api/leader/setup", body).status, 400);
  body["name"] = "Max";
  EXPECT_EQ(visitor.post("/api/leader/setup", body).status, 200);
  EXPECT_EQ(visitor.get_json("/api/leader")["name"], "Max");
  EXPECT_EQ(server.setup_url(), "");
  EXPECT_EQ(visitor.post("/api/leader/setup", body).status, 403);
}

TEST_F(LeadersServing, UnknownUsedAndExpiredLinksHaveOneAnswer) {
  const std::string link = invite("Ben");
  set_up(&ben_, link, "the password of Ben");
  const std::string used = set_up(&ben_, link, "the password of Ben").body;
  EXPECT_EQ(used, set_up(&ben_, "#setup=guess", "the password of Ben").body);
  EXPECT_NE(used.find("already used or has expired"), std::string::npos) << used;
}

TEST_F(LeadersServing, UnknownNamesAndWrongPasswordsHaveOneAnswer) {
  invite("Ben");
  const ClientReply wrong = ben_.sign_in("not the password", "Lea");
  EXPECT_EQ(wrong.status, 403);
  EXPECT_EQ(wrong.body, ben_.sign_in("not the password", "Nobody").body);
  EXPECT_EQ(lea_.sign_in(kPassword, "Lea").status, 200) << "resets the count of wrong attempts";
  EXPECT_EQ(wrong.body, ben_.sign_in("not the password", "Ben").body) << "has no password yet";
}

// All turns to hash a password are taken: a request that needs one is refused.
TEST_F(LeadersServing, APasswordIsHashedForUnknownNamesToo) {
  invite("Ben");
  std::vector<std::thread> waiting;
  {
    const PasswordTurn turn;
    for (int i = 1; i < PasswordTurn::kMost; ++i) {
      waiting.emplace_back([] { EXPECT_FALSE(is_password(kNoPassword, "x")); });
    }
    while (PasswordTurn::count() < PasswordTurn::kMost) std::this_thread::yield();
    for (const char* name : {"Lea", "Ben", "Nobody"}) {
      EXPECT_EQ(ben_.sign_in("not the password", name).status, 429) << name;
    }
  }
  for (std::thread& thread : waiting) thread.join();
}

TEST(NoPassword, HasTheParametersOfOthersAndMatchesNothing) {
  const std::string hash = password_hash("x");
  EXPECT_TRUE(hash.starts_with(std::string(kNoPassword).substr(0, 31))) << hash;
  EXPECT_FALSE(is_password(kNoPassword, ""));
}

TEST_F(LeadersServing, ALeaderChangesTheirPassword) {
  Visitor phone(server_.port());
  EXPECT_EQ(phone.sign_in(kPassword, "lea").status, 200) << "in any case";
  const auto change = [&](const std::string& old, const std::string& password) {
    return lea_.post("/api/leader/password", {{"old", old}, {"new", password}}).status;
  };
  EXPECT_EQ(change("wrong", "a new password"), 403);
  EXPECT_EQ(change(kPassword, "short"), 400);
  EXPECT_EQ(change(kPassword, "a new password"), 200);
  EXPECT_EQ(lea_.get_json("/api/leader")["state"], "signed_in");
  EXPECT_EQ(phone.get_json("/api/leader")["state"], "signed_out");
  EXPECT_EQ(phone.sign_in(kPassword, "Lea").status, 403);
  EXPECT_EQ(phone.sign_in("a new password", "Lea").status, 200);
}

TEST_F(LeadersServing, WrongOldPasswordsCountAsAttempts) {
  int status = 403;
  for (int i = 0; i < 11 && status == 403; ++i) {
    status =
        lea_.post("/api/leader/password", {{"old", "guess"}, {"new", "a new password"}}).status;
  }
  EXPECT_EQ(status, 429);
  EXPECT_EQ(lea_.get_json("/api/leader")["state"], "signed_in");
}

TEST_F(LeadersServing, ARemovedLeaderIsSignedOutAtOnce) {
  set_up(&ben_, invite("Ben"), "the password of Ben");
  EXPECT_EQ(lea_.post_json("/api/leader/leaders/2/remove", Json::object()), Json::object());
  EXPECT_EQ(ben_.get("/api/leader/overview").status, 401);
  EXPECT_EQ(ben_.get_json("/api/leader")["state"], "signed_out");
  EXPECT_EQ(ben_.sign_in("the password of Ben", "Ben").status, 403);
  EXPECT_EQ(lea_.post("/api/leader/leaders/1/remove", Json::object()).status, 409);
  EXPECT_EQ(lea_.post("/api/leader/leaders/9/remove", Json::object()).status, 404);
  EXPECT_EQ(lea_.post("/api/leader/leaders", {{"name", "LEA"}}).status, 409);
}

TEST_F(LeadersServing, ANewLinkForALostPasswordReplacesIt) {
  set_up(&ben_, invite("Ben"), "the password of Ben");
  const Json again = lea_.post_json("/api/leader/leaders/2/link", Json::object());
  EXPECT_EQ(again["leader"]["name"], "Ben");
  Visitor phone(server_.port());
  EXPECT_EQ(phone.sign_in("the password of Ben", "Ben").status, 200) << "still valid";
  EXPECT_EQ(set_up(&phone, again["link"].get<std::string>(), "another password").status, 200);
  EXPECT_EQ(ben_.get_json("/api/leader")["state"], "signed_out");
  EXPECT_EQ(ben_.sign_in("the password of Ben", "Ben").status, 403);
  EXPECT_EQ(ben_.sign_in("another password", "Ben").status, 200);
  EXPECT_EQ(lea_.post("/api/leader/leaders/9/link", Json::object()).status, 404);
}

TEST_F(LeadersServing, TheLogHasNoTokensPasswordsOrHashes) {
  const std::string link = invite("Ben");
  set_up(&ben_, link, "the password of Ben");
  const std::string personal = ben_.invite("Ann");
  ben_.post_json("/api/leader/people/1/link", {{"sign_out", true}});
  ben_.post_json("/api/leader/password",
                 {{"old", "the password of Ben"}, {"new", "another password"}});
  const std::string log = lea_.get("/api/leader/log?count=100").body;
  for (const std::string& secret : {token_of(link), token_of(personal), token_hash(token_of(link)),
                                    token_hash(token_of(personal)), std::string("password of"),
                                    std::string("another password"), std::string("argon2")}) {
    EXPECT_EQ(log.find(secret), std::string::npos) << secret;
  }
}

TEST_F(LeadersServing, BodiesOfAnotherKindAreRejected) {
  for (const char* path : {"/api/leader/login", "/api/leader/setup", "/api/leader/setup/check",
                           "/api/leader/leaders", "/api/leader/password"}) {
    for (const Json& body : {Json::object(), Json{{"name", 1}, {"password", 2}, {"token", 3}},
                             Json{{"name", nullptr}, {"token", Json::array()}, {"old", 1}}}) {
      EXPECT_EQ(lea_.post(path, body).status, 400) << path << body;
    }
    EXPECT_EQ(lea_.post(path, Json::object(), {{"X-Manyverbs", "0"}}).status, 403) << path;
  }
}

}  // namespace
}  // namespace manyverbs
