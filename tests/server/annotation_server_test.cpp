// SPDX-License-Identifier: MIT
#include "manyverbs/server/annotation_server.h"

#include <chrono>
#include <set>

#include <gtest/gtest.h>

#include "tests/scratch.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

// A project of four clips, a leader who is signed in, and an annotator who has joined.
class Serving : public testing::Test {
 protected:
  Serving() {
    leader_.set_up(server_.setup_url());
    annotator_.join(leader_.invite("Ann"));
  }
  int status(Visitor* visitor, const std::string& path) { return visitor->get(path).status; }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 4);
  RunningServer server_{project_};
  Visitor leader_{server_.port()};
  Visitor annotator_{server_.port()};
  Visitor stranger_{server_.port()};
};

TEST_F(Serving, AnAnnotatorSeesTheirNameAndProgress) {
  Visitor ned(server_.port());
  ned.open(leader_.invite("Ned"));
  Json me = ned.get_json("/api/annotator");
  EXPECT_EQ(me["key"].get<std::string>().size(), 2U + 16) << me["key"] << ", expected 2-PROJECT";
  EXPECT_TRUE(me["key"].get<std::string>().starts_with("2-"));
  me.erase("key");
  EXPECT_EQ(me, Json::parse(R"({"name": "Ned", "project": "toy", "state": "active",
                                "practised": false, "paused_for": "",
                                "progress": {"done": 0, "total": 4}})"));
  EXPECT_EQ(annotator_.post_json("/api/annotator/practised", Json::object()), Json::object());
  EXPECT_EQ(annotator_.get_json("/api/annotator")["practised"], true);
}

TEST_F(Serving, TheNextClipsHaveShuffledVerbsAndDoNotRevealTheLabel) {
  const auto reply = annotator_.post("/api/annotator/next", Json::object());
  EXPECT_EQ(reply.body.find("clip-"), std::string::npos);
  EXPECT_EQ(reply.body.find("original"), std::string::npos);
  const Json next = Json::parse(reply.body);
  ASSERT_EQ(next["tasks"].size(), 2U);
  EXPECT_EQ(next["tasks"][0]["video"], "/clips/1.mp4");
  EXPECT_EQ(next["waiting"], false);
  std::set<std::string> names;
  for (const Json& verb : next["tasks"][0]["candidates"]) {
    names.insert(verb["name"].get<std::string>());
  }
  EXPECT_EQ(names, (std::set<std::string>{"cut", "peel", "wash", "dry"}));
  EXPECT_EQ(Json::parse(annotator_.post("/api/annotator/next", Json::object()).body), next);
}

TEST_F(Serving, AnAnswerIsSavedShownAgainCorrectedAndSeenByTheLeader) {
  annotator_.post_json("/api/annotator/next", Json::object());
  EXPECT_EQ(annotator_.post_json("/api/annotator/answers", sent_answer(1, {2, 0}))["progress"],
            Json::parse(R"({"done": 1, "total": 4})"));
  annotator_.post_json("/api/annotator/answers", sent_answer(1, {2, 0}));
  const Json earlier = annotator_.get_json("/api/annotator/answers?before=2");
  EXPECT_EQ(earlier["task"]["task"], 1);
  EXPECT_EQ(earlier["answer"]["chosen"], (std::vector{0, 2}));
  EXPECT_TRUE(annotator_.get_json("/api/annotator/answers?before=1")["task"].is_null());
  annotator_.post_json("/api/annotator/answers", sent_answer(1, {}, false));
  const Json overview = leader_.get_json("/api/leader/overview");
  EXPECT_EQ(overview["answers"], 1);
  EXPECT_EQ(overview["clips"]["begun"], 1);
  EXPECT_EQ(overview["people"][0]["verbs_per_clip"], 0.0);
  EXPECT_EQ(overview["people"][0]["seconds_per_clip"], 1.5);
  EXPECT_EQ(overview["answers_per_hour"].size(), 1U);
}

TEST_F(Serving, PracticeShowsTheOriginalLabel) {
  const Json practice = annotator_.get_json("/api/annotator/practice");
  ASSERT_EQ(practice["tasks"].size(), 1U);
  EXPECT_EQ(practice["tasks"][0]["video"], "/clips/p1.mp4");
  const Json wrong = annotator_.post_json("/api/annotator/practice", sent_answer(1, {0}));
  EXPECT_EQ(wrong, Json::parse(R"({"original": {"class": 1, "name": "peel"}, "found": false})"));
  EXPECT_EQ(annotator_.post_json("/api/annotator/practice", sent_answer(1, {0, 1}))["found"], true);
  EXPECT_EQ(status(&annotator_, "/clips/p1.mp4"), 200);
}

TEST_F(Serving, VideosAreSentInTheRequestedRanges) {
  annotator_.post_json("/api/annotator/next", Json::object());
  const auto whole = annotator_.get("/clips/1.mp4");
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.body, "0123456789");
  EXPECT_EQ(whole.headers.value("Content-Type"), "video/mp4");
  EXPECT_EQ(whole.headers.value("Accept-Ranges"), "bytes");
  const auto middle = annotator_.get("/clips/1.mp4", {{"Range", "bytes=2-5"}});
  EXPECT_EQ(middle.status, 206);
  EXPECT_EQ(middle.body, "2345");
  EXPECT_EQ(middle.headers.value("Content-Range"), "bytes 2-5/10");
  EXPECT_EQ(annotator_.get("/clips/1.mp4", {{"Range", "bytes=0-"}}).status, 206)
      << "or browsers take it for a video that cannot be searched";
  const auto rest = annotator_.get("/clips/1.mp4", {{"Range", "bytes=7-"}});
  EXPECT_EQ(rest.body, "789");
  EXPECT_EQ(annotator_.get("/clips/1.mp4", {{"Range", "bytes=10-"}}).status, 416);
  EXPECT_EQ(annotator_.get("/clips/1.mp4", {{"Range", "bytes=8-4000000000"}}).body, "89");
  EXPECT_EQ(annotator_.get("/clips/1.mp4", {{"Range", "bytes=0-1,4-5"}}).body, "0123456789");
  EXPECT_EQ(annotator_.get("/api/annotator", {{"Range", "bytes=900-901"}}).status, 200);
}

TEST_F(Serving, AReplacedVideoIsSentToBrowsersThatCachedTheOldOne) {
  annotator_.post_json("/api/annotator/next", Json::object());
  const auto get = [&](const HttpHeaders& headers) {
    return annotator_.get("/clips/1.mp4", headers);
  };
  const auto first = get({});
  EXPECT_EQ(first.headers.value("Cache-Control"), "private, no-cache");
  const std::string tag = first.headers.value("ETag");
  const auto same = get({{"If-None-Match", tag}, {"Range", "bytes=2-5"}});
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(same.headers.value("ETag"), tag);
  EXPECT_EQ(get({{"If-Range", tag}, {"Range", "bytes=2-5"}}).body, "2345");

  const auto video = scratch_.path() / "clips" / "1.mp4";
  const auto time = std::filesystem::last_write_time(video);
  write_file(video, "abcdefghij");
  std::filesystem::last_write_time(video, time + std::chrono::seconds(1));
  const auto replaced = get({{"If-None-Match", tag}});
  EXPECT_EQ(replaced.status, 200);
  EXPECT_EQ(replaced.body, "abcdefghij");
  EXPECT_NE(replaced.headers.value("ETag"), tag);
  EXPECT_EQ(get({{"If-Range", tag}, {"Range", "bytes=2-5"}}).body, "abcdefghij")
      << "a part of the new video does not fit the parts of the old one";
}

TEST_F(Serving, TheLeaderInvitesPausesExcludesAndGivesANewLink) {
  const Json invited = leader_.post_json("/api/leader/people", {{"name", "Ben"}});
  EXPECT_EQ(invited["person"]["id"], 2);
  EXPECT_EQ(invited["person"]["state"], "active");
  EXPECT_TRUE(invited["person"]["last_seen"].is_null());
  EXPECT_TRUE(invited["person"]["found"].is_null());
  const auto link = invited["link"].get<std::string>();
  EXPECT_EQ(link.find(fmt::format("http://127.0.0.1:{}/join#", server_.port())), 0U);
  Visitor ben(server_.port());
  ben.join(link);
  EXPECT_EQ(leader_.post_json("/api/leader/people/2", {{"state", "paused"}})["state"], "paused");
  EXPECT_EQ(ben.get_json("/api/annotator")["state"], "paused");
  EXPECT_TRUE(ben.post_json("/api/annotator/next", Json::object())["tasks"].empty());
  leader_.post_json("/api/leader/people/2", {{"state", "excluded"}});
  EXPECT_EQ(status(&ben, "/api/annotator"), 403);
  const Json again = leader_.post_json("/api/leader/people/2/link", {{"sign_out", true}});
  EXPECT_EQ(ben.use(again["link"].get<std::string>()).status, 403);
  leader_.post_json("/api/leader/people/2", {{"state", "active"}});
  EXPECT_EQ(status(&ben, "/api/annotator"), 401);
  EXPECT_EQ(ben.use(link).status, 404);
  ben.join(again["link"].get<std::string>());
  EXPECT_EQ(status(&ben, "/api/annotator"), 200);
}

TEST_F(Serving, SettingsAreSavedAndChecked) {
  const Json settings = {{"people", 2},
                         {"hold_minutes", 5},
                         {"least_found", 0.6},
                         {"least_verbs", 1.0},
                         {"most_chosen", 0.5},
                         {"least_seconds", 1.5},
                         {"most_same_keys", 1.0},
                         {"least_agreement", 0.25},
                         {"order", "informative"},
                         {"gold_at_start", 2},
                         {"gold_every", 20},
                         {"gold_answers", 4},
                         {"least_gold", 0.75},
                         {"gold_pauses", true},
                         {"closed", false},
                         {"deadline", nullptr},
                         {"quota", 7},
                         {"link_days", 3}};
  EXPECT_EQ(leader_.post_json("/api/leader/settings", settings), settings);
  EXPECT_EQ(leader_.get_json("/api/leader/overview")["settings"], settings);
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, Json>>{{"people", 0},
                                                 {"people", 2.5},
                                                 {"people", "3"},
                                                 {"hold_minutes", -1},
                                                 {"least_found", 1.5},
                                                 {"least_verbs", nullptr},
                                                 {"most_chosen", 1.1},
                                                 {"least_seconds", -1},
                                                 {"most_same_keys", "often"},
                                                 {"least_agreement", -0.1},
                                                 {"order", "random"},
                                                 {"gold_at_start", 51},
                                                 {"gold_every", -1},
                                                 {"gold_answers", 0},
                                                 {"least_gold", 1.1},
                                                 {"gold_pauses", 1},
                                                 {"link_days", 0},
                                                 {"link_days", 366},
                                                 {"people", 99999999999999}}) {
    Json wrong = settings;
    wrong[key] = value;
    EXPECT_EQ(leader_.post("/api/leader/settings", wrong).status, 400) << wrong;
  }
}

TEST_F(Serving, TheLogListsWhatLeadersDidInPages) {
  leader_.post_json("/api/leader/people/1", {{"state", "paused"}});
  const Json log = leader_.get_json("/api/leader/log?from=0&count=1");
  EXPECT_EQ(log["total"], 3);
  ASSERT_EQ(log["entries"].size(), 1U);
  EXPECT_EQ(log["entries"][0]["action"], "changed the state");
  EXPECT_EQ(log["entries"][0]["subject"], "Ann");
  EXPECT_EQ(log["entries"][0]["details"], "active to paused");
  EXPECT_EQ(leader_.get_json("/api/leader/log?from=1")["entries"][0]["action"], "invited");
  EXPECT_EQ(leader_.get("/api/leader/log?from=-1").status, 400);
}

TEST_F(Serving, DisputesSayWhoChoseWhat) {
  Visitor ben(server_.port());
  ben.join(leader_.invite("Ben"));
  for (Visitor* visitor : {&annotator_, &ben}) {
    visitor->post_json("/api/annotator/next", Json::object());
  }
  annotator_.post_json("/api/annotator/answers", sent_answer(1, {0, 1}));
  ben.post_json("/api/annotator/answers", sent_answer(1, {1, 2}, false));
  annotator_.post_json("/api/annotator/answers", sent_answer(2, {0}));
  ben.post_json("/api/annotator/answers", sent_answer(2, {0}));
  const Json disputes = leader_.get_json("/api/leader/disputes?from=0&count=20");
  EXPECT_EQ(disputes["total"], 1);
  EXPECT_EQ(disputes["clips"][0], Json::parse(R"({
      "task": 1, "clip": "clip-1", "video": "/clips/1.mp4", "original": "cut", "answers": 2,
      "candidates": [{"class": 1, "name": "peel", "chosen_by": ["Ann", "Ben"], "kept": true},
                     {"class": 0, "name": "cut", "chosen_by": ["Ann"], "kept": true},
                     {"class": 2, "name": "wash", "chosen_by": ["Ben"], "kept": true},
                     {"class": 3, "name": "dry", "chosen_by": [], "kept": false}],
      "not_confident": ["Ben"], "nothing": [], "other": [], "reported_by": [], "outcome": "kept",
      "decision": null})"));
  EXPECT_TRUE(leader_.get_json("/api/leader/disputes?from=1")["clips"].empty());
}

TEST_F(Serving, ReportsOfClipsThatDoNotPlayAreListedAndDeleted) {
  annotator_.post_json("/api/annotator/next", Json::object());
  const Json saved = annotator_.post_json("/api/annotator/reports", {{"task", 1}});
  EXPECT_EQ(saved["progress"]["done"], 0);
  const Json expected = Json::parse(R"({"clips": [{"task": 1, "clip": "clip-1",
      "video": "/clips/1.mp4", "answers": 0, "reported_by": ["Ann"], "given_up": false}]})");
  EXPECT_EQ(leader_.get_json("/api/leader/reports"), expected);
  Json overview = leader_.get_json("/api/leader/overview");
  EXPECT_EQ(overview["reported"], 1);
  EXPECT_EQ(overview["answers"], 0);
  EXPECT_EQ(overview["clips"]["unplayable"], 0) << "others may still play it";
  Json settings = overview["settings"];
  settings["people"] = 1;
  leader_.post_json("/api/leader/settings", settings);
  EXPECT_EQ(leader_.get_json("/api/leader/overview")["clips"]["unplayable"], 1);
  EXPECT_EQ(leader_.get_json("/api/leader/reports")["clips"][0]["given_up"], true);
  const Json left = leader_.post_json("/api/leader/reports/forget", {{"task", 1}});
  EXPECT_TRUE(left["clips"].empty());
  EXPECT_EQ(leader_.get_json("/api/leader/overview")["reported"], 0);
  for (const auto& [task, status] : std::map<int, int>{{4, 403}, {9, 404}}) {
    EXPECT_EQ(annotator_.post("/api/annotator/reports", {{"task", task}}).status, status);
  }
  EXPECT_EQ(leader_.post("/api/leader/reports/forget", {{"task", 9}}).status, 404);
  EXPECT_EQ(stranger_.get("/api/leader/reports").status, 401);
  EXPECT_EQ(annotator_.post("/api/leader/reports/forget", {{"task", 1}}).status, 401);
}

TEST_F(Serving, InvalidAnswersAreRejectedAndNotSaved) {
  annotator_.post_json("/api/annotator/next", Json::object());
  Json both = sent_answer(1, {0});
  both["answer"]["nothing"] = true;
  Json neither = sent_answer(1, {});
  neither["answer"]["nothing"] = false;
  Json slow = sent_answer(1, {0});
  slow["answer"]["milliseconds"] = -5;
  Json text = sent_answer(1, {0});
  text["answer"]["chosen"] = "cut";
  for (const Json& wrong : {both, neither, slow, text, sent_answer(1, {4}), sent_answer(1, {0, 0}),
                            Json{{"task", 1}}, Json{{"task", "1"}}, Json::object()}) {
    EXPECT_EQ(annotator_.post("/api/annotator/answers", wrong).status, 400) << wrong;
  }
  EXPECT_EQ(annotator_.post("/api/annotator/answers", sent_answer(9, {0})).status, 404);
  EXPECT_EQ(annotator_.post("/api/annotator/answers", sent_answer(4, {0})).status, 403);
  for (const std::string body : {"", "[]", "{", "null", "\xff\xfe", "{\"task\": 1e999}"}) {
    EXPECT_EQ(annotator_.post_text("/api/annotator/answers", body).status, 400) << body;
  }
  EXPECT_EQ(leader_.get_json("/api/leader/overview")["answers"], 0);
}

TEST_F(Serving, ThePasswordIsSetOnceAndSignsInAndOut) {
  EXPECT_EQ(server_.setup_url(), "");
  EXPECT_EQ(stranger_.get_json("/api/leader")["state"], "signed_out");
  EXPECT_EQ(leader_.get_json("/api/leader")["state"], "signed_in");
  EXPECT_EQ(stranger_.sign_in("wrong").status, 403);
  EXPECT_EQ(Json::parse(stranger_.sign_in().body),
            Json::parse(R"({"state": "signed_in", "name": "leader"})"));
  EXPECT_EQ(stranger_.get_json("/api/leader")["state"], "signed_in");
  const std::string cookies = stranger_.cookies();
  stranger_.post_json("/api/leader/logout", Json::object());
  stranger_.set_cookies(cookies);
  EXPECT_EQ(stranger_.get_json("/api/leader")["state"], "signed_out") << "the session has ended";
}

TEST(ServingTwice, SessionsAnswersAndPasswordSurviveARestart) {
  const ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(scratch.path(), 2);
  std::string leader_cookie;
  std::string annotator_cookie;
  {
    const RunningServer server(project);
    Visitor leader(server.port());
    leader.set_up(server.setup_url());
    Visitor annotator(server.port());
    annotator.join(leader.invite("Ann"));
    annotator.post_json("/api/annotator/next", Json::object());
    annotator.post_json("/api/annotator/answers", sent_answer(1, {0}));
    leader_cookie = leader.cookies();
    annotator_cookie = annotator.cookies();
  }
  const RunningServer server(project, {.password = "another password"});
  Visitor annotator(server.port());
  annotator.set_cookies(annotator_cookie);
  EXPECT_EQ(annotator.get_json("/api/annotator")["progress"]["done"], 1);
  Visitor leader(server.port());
  leader.set_cookies(leader_cookie);
  EXPECT_EQ(leader.get_json("/api/leader")["state"], "signed_out") << "the password has changed";
  EXPECT_EQ(leader.sign_in("another password").status, 200);
  EXPECT_EQ(leader.get_json("/api/leader/overview")["answers"], 1);
}

TEST(ServingTwice, TheSamePasswordOfTheCommandLineUndoesNoChange) {
  const ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(scratch.path(), 1);
  const ServeSettings settings{.password = kPassword};
  {
    const RunningServer server(project, settings);
    Visitor leader(server.port());
    leader.sign_in();
    leader.post_json("/api/leader/password", {{"old", kPassword}, {"new", "a new password"}});
  }
  {
    const RunningServer server(project, settings);
    Visitor leader(server.port());
    EXPECT_EQ(leader.sign_in().status, 403);
    EXPECT_EQ(leader.sign_in("a new password").status, 200);
  }
  const RunningServer server(project, {.password = "another password"});
  EXPECT_EQ(Visitor(server.port()).sign_in("another password").status, 200);
}

TEST_F(Serving, APortThatAnotherServerHasIsAnError) {
  EXPECT_EQ(
      error_of(scratch_, [&] { const AnnotationServer other(project_, {.port = server_.port()}); }),
      fmt::format("127.0.0.1:{}: cannot listen on this address; is another server running?",
                  server_.port()));
}

}  // namespace
}  // namespace manyverbs
