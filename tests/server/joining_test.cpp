// SPDX-License-Identifier: MIT
//
// Personal links, devices, and the calls that invite, rename and remove people.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/scratch.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

class Joining : public testing::Test {
 protected:
  Joining() { leader_.set_up(server_.setup_url()); }
  Json person(int id) {
    const Json overview = leader_.get_json("/api/leader/overview");
    for (const Json& each : overview["people"]) {
      if (each["id"] == id) return each;
    }
    return nullptr;
  }
  std::string path(int id, const std::string& what) {
    return fmt::format("/api/leader/people/{}/{}", id, what);
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 3);
  RunningServer server_{project_};
  Visitor leader_{server_.port()};
  Visitor phone_{server_.port()};
  Visitor laptop_{server_.port()};
};

TEST_F(Joining, ALinkHasItsTokenInTheFragmentAndSignsInOnce) {
  const std::string link = leader_.invite("Ann");
  const std::string token = token_of(link);
  EXPECT_EQ(link, fmt::format("http://127.0.0.1:{}/join#{}", server_.port(), token));
  EXPECT_EQ(person(1)["link"], "open");
  EXPECT_EQ(person(1)["devices"], 0);
  EXPECT_EQ(phone_.get("/join").status, 200) << "opening the page does not use up the link";
  const ClientReply old = phone_.get("/join/" + token);
  EXPECT_EQ(old.status, 404) << "the form of earlier versions";
  EXPECT_NE(old.body.find("ask for a new one"), std::string::npos) << old.body;
  const ClientReply joined = phone_.use(link);
  EXPECT_EQ(joined.status, 200);
  EXPECT_EQ(Json::parse(joined.body), (Json{{"state", "signed_in"}}));
  EXPECT_EQ(phone_.get_json("/api/annotator")["name"], "Ann");
  EXPECT_EQ(person(1)["link"], "used");
  EXPECT_EQ(person(1)["devices"], 1);
  const ClientReply again = laptop_.use(link);
  EXPECT_EQ(again.status, 404);
  EXPECT_FALSE(again.headers.contains("Set-Cookie"));
  EXPECT_EQ(again.body, laptop_.use("#guess").body) << "the same answer for unknown links";
  EXPECT_EQ(Json::parse(again.body)["error"],
            "this link was already used or has expired; ask for a new one");
}

TEST_F(Joining, OnlyOneOfManyDevicesSignsIn) {
  const std::string link = leader_.invite("Ann");
  std::atomic<int> joined = 0;
  std::vector<std::thread> devices;
  for (int i = 0; i < 8; ++i) {
    devices.emplace_back([&] {
      if (Visitor(server_.port()).use(link).status == 200) ++joined;
    });
  }
  for (std::thread& device : devices) device.join();
  EXPECT_EQ(joined, 1);
}

TEST_F(Joining, OtherSitesCannotSignSomebodyIn) {
  const Json body = {{"token", token_of(leader_.invite("Ann"))}};
  EXPECT_EQ(phone_.post("/api/annotator/join", body, {{"X-Manyverbs", "0"}}).status, 403);
  EXPECT_EQ(phone_.post("/api/annotator/join", body, {{"Origin", "https://evil.example"}}).status,
            403);
  EXPECT_EQ(phone_.post("/api/annotator/join", body).status, 200) << "it was not used up";
  for (const Json& wrong : {Json::object(), Json{{"token", 7}}, Json{{"token", nullptr}}}) {
    EXPECT_EQ(phone_.post("/api/annotator/join", wrong).status, 400) << wrong;
  }
}

TEST_F(Joining, AnotherLinkSignsInAnotherDevice) {
  phone_.open(leader_.invite("Ann"));
  const Json second = leader_.post_json(path(1, "link"), Json::object());
  EXPECT_EQ(second["person"]["link"], "open");
  EXPECT_EQ(second["person"]["devices"], 1);
  laptop_.open(second["link"].get<std::string>());
  EXPECT_EQ(phone_.get("/api/annotator").status, 200);
  EXPECT_EQ(person(1)["devices"], 2);
  leader_.post_json(path(1, "link"), {{"sign_out", true}});
  EXPECT_EQ(phone_.get("/api/annotator").status, 401);
  EXPECT_EQ(laptop_.get("/api/annotator").status, 401);
  EXPECT_EQ(leader_.post(path(1, "link"), {{"sign_out", "yes"}}).status, 400);
}

TEST_F(Joining, SigningOutEndsTheSessionOfTheDevice) {
  phone_.open(leader_.invite("Ann"));
  laptop_.open(leader_.post_json(path(1, "link"), Json::object())["link"].get<std::string>());
  const std::string cookies = phone_.cookies();
  const ClientReply reply = phone_.post("/api/annotator/logout", Json::object());
  EXPECT_EQ(Json::parse(reply.body), (Json{{"state", "signed_out"}}));
  EXPECT_NE(reply.headers.value("Set-Cookie").find("=; Path=/; "), std::string::npos);
  EXPECT_NE(reply.headers.value("Set-Cookie").find("Max-Age=0"), std::string::npos);
  phone_.set_cookies(cookies);
  EXPECT_EQ(phone_.get("/api/annotator").status, 401) << "the session has ended";
  EXPECT_EQ(laptop_.get("/api/annotator").status, 200);
  EXPECT_EQ(person(1)["devices"], 1);
  EXPECT_EQ(Visitor(server_.port()).post("/api/annotator/logout", Json::object()).status, 200)
      << "nothing to end";
}

TEST_F(Joining, APageOfAnotherPersonDoesNotSignOut) {
  phone_.open(leader_.invite("Ann"));
  const auto ann = phone_.get_json("/api/annotator")["key"].get<std::string>();
  phone_.open(leader_.invite("Ben"));
  EXPECT_EQ(
      phone_.post("/api/annotator/logout", Json::object(), {{"X-Manyverbs-Person", ann}}).status,
      401);
  EXPECT_EQ(phone_.get_json("/api/annotator")["name"], "Ben");
  EXPECT_EQ(person(1)["devices"], 0) << "Ben uses this browser now";
}

TEST_F(Joining, AnExcludedPersonCanSignOut) {
  phone_.open(leader_.invite("Ann"));
  leader_.post_json("/api/leader/people/1", {{"state", "excluded"}});
  EXPECT_EQ(phone_.post("/api/annotator/logout", Json::object()).status, 200);
  EXPECT_EQ(person(1)["devices"], 0);
}

TEST_F(Joining, ManyAreInvitedAndWhoExistsIsNamed) {
  leader_.invite("Ann");
  const Json reply =
      leader_.post_json("/api/leader/people/many", {{"names", {"Ben", "ann", "Cyd"}}});
  ASSERT_EQ(reply["people"].size(), 3U);
  EXPECT_EQ(reply["people"][0]["person"]["name"], "Ben");
  EXPECT_EQ(reply["people"][0]["existed"], false);
  phone_.open(reply["people"][0]["link"].get<std::string>());
  EXPECT_EQ(phone_.get_json("/api/annotator")["name"], "Ben");
  EXPECT_EQ(reply["people"][1]["person"]["name"], "Ann");
  EXPECT_EQ(reply["people"][1]["existed"], true);
  EXPECT_TRUE(reply["people"][1]["link"].is_null());
  const Json again =
      leader_.post_json("/api/leader/people/many", {{"names", {"Ben", "ann", "Cyd"}}});
  for (const Json& each : again["people"]) EXPECT_EQ(each["existed"], true);
  EXPECT_EQ(leader_.get_json("/api/leader/overview")["people"].size(), 3U);
  const auto twice = leader_.post("/api/leader/people", {{"name", "ANN"}});
  EXPECT_EQ(twice.status, 409);
  EXPECT_EQ(Json::parse(twice.body)["error"], "ANN is already invited");
}

TEST_F(Joining, ListsOfNamesAreChecked) {
  const std::vector<std::string> many(501, "x");
  for (const Json& wrong : {Json::object(), Json{{"names", "Ben"}}, Json{{"names", Json::array()}},
                            Json{{"names", {"Ben", ""}}}, Json{{"names", {"Ben", 7}}},
                            Json{{"names", {"a\nb"}}}, Json{{"names", many}}}) {
    EXPECT_EQ(leader_.post("/api/leader/people/many", wrong).status, 400) << wrong;
  }
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) names.push_back(fmt::format("{:>60}{}", "person", i));
  EXPECT_EQ(leader_.post_json("/api/leader/people/many", {{"names", names}})["people"].size(),
            500U);
  EXPECT_EQ(leader_.get_json("/api/leader/overview")["people"].size(), 500U) << "nobody else";
}

TEST_F(Joining, APersonIsRenamed) {
  phone_.open(leader_.invite("Ann"));
  leader_.invite("Ben");
  EXPECT_EQ(leader_.post_json(path(1, "name"), {{"name", "Anna"}})["name"], "Anna");
  EXPECT_EQ(phone_.get_json("/api/annotator")["name"], "Anna");
  EXPECT_EQ(leader_.post(path(1, "name"), {{"name", "ben"}}).status, 409);
  EXPECT_EQ(leader_.post(path(1, "name"), {{"name", ""}}).status, 400);
  EXPECT_EQ(leader_.post(path(1, "name"), Json::object()).status, 400);
  EXPECT_EQ(leader_.post(path(9, "name"), {{"name", "Eve"}}).status, 404);
}

TEST_F(Joining, ARemovedPersonIsSignedOutAndTheirAnswersStayOrGo) {
  phone_.join(leader_.invite("Ann"));
  laptop_.join(leader_.invite("Ben"));
  for (Visitor* each : {&phone_, &laptop_}) {
    each->post_json("/api/annotator/next", Json::object());
    each->post_json("/api/annotator/answers", sent_answer(1, {0}));
  }
  EXPECT_EQ(leader_.post(path(1, "remove"), Json::object()).status, 400);
  EXPECT_EQ(leader_.post(path(1, "remove"), {{"answers", "burn"}}).status, 400);
  EXPECT_EQ(leader_.post_json(path(1, "remove"), {{"answers", "keep"}}), Json::object());
  EXPECT_EQ(phone_.get("/api/annotator").status, 401);
  Json overview = leader_.get_json("/api/leader/overview");
  EXPECT_EQ(overview["answers"], 2);
  EXPECT_EQ(overview["people"][1]["name"], "former annotator 1");
  EXPECT_EQ(overview["people"][1]["state"], "removed");
  EXPECT_EQ(leader_.post("/api/leader/people/1", {{"state", "active"}}).status, 404);
  EXPECT_EQ(leader_.post("/api/leader/people/2", {{"state", "removed"}}).status, 400);
  leader_.post_json(path(2, "remove"), {{"answers", "delete"}});
  overview = leader_.get_json("/api/leader/overview");
  EXPECT_EQ(overview["answers"], 1);
  EXPECT_EQ(overview["people"].size(), 1U);
  EXPECT_EQ(leader_.get("/api/leader/export?format=jsonl").body.find("Ben"), std::string::npos);
  EXPECT_EQ(leader_.post(path(2, "remove"), {{"answers", "delete"}}).status, 404);
  for (const char* wrong : {"/api/leader/people/x/remove", "/api/leader/people//remove",
                            "/api/leader/people/99999999999/remove", "/api/leader/people/1/burn"}) {
    EXPECT_EQ(leader_.post(wrong, {{"answers", "keep"}}).status, 404) << wrong;
  }
}

}  // namespace
}  // namespace manyverbs
