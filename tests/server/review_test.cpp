// SPDX-License-Identifier: MIT
//
// The leader looks at clips and answers, and decides.
#include <gtest/gtest.h>

#include "tests/scratch.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

// Ann chose cut for clips 1 and 2; Ben cut and peel for clip 1, not confident.
class Review : public testing::Test {
 protected:
  Review() {
    leader_.set_up(server_.setup_url());
    ann_.join(leader_.invite("Ann"));
    ben_.join(leader_.invite("Ben"));
    for (Visitor* each : {&ann_, &ben_}) next(each);
    ann_.post_json("/api/annotator/answers", sent_answer(1, {0}));
    ann_.post_json("/api/annotator/answers", sent_answer(2, {0}));
    ben_.post_json("/api/annotator/answers", sent_answer(1, {0, 1}, false));
  }
  static Json next(Visitor* visitor) {
    return visitor->post_json("/api/annotator/next", Json::object());
  }
  Json decide(int task, const std::vector<int>& labels, const std::string& reason) {
    return leader_.post_json("/api/leader/decisions",
                             {{"task", task}, {"labels", labels}, {"reason", reason}});
  }
  std::string refusal(const Json& body) {
    const ClientReply reply = leader_.post("/api/leader/decisions", body);
    EXPECT_EQ(reply.status, 400) << reply.body;
    return Json::parse(reply.body)["error"].get<std::string>();
  }
  // Saves the settings with one of them changed.
  void set(const std::string& key, const Json& value) {
    Json settings = leader_.get_json("/api/leader/overview")["settings"];
    settings[key] = value;
    EXPECT_EQ(leader_.post_json("/api/leader/settings", settings)[key], value);
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 30);
  RunningServer server_{project_};
  Visitor leader_{server_.port()};
  Visitor ann_{server_.port()};
  Visitor ben_{server_.port()};
};

TEST_F(Review, AClipIsFoundByNumberAndByName) {
  const Json by_number = leader_.get_json("/api/leader/clips?find=2");
  EXPECT_EQ(by_number["total"], 12) << "2, 12, 20 to 29";
  EXPECT_EQ(by_number["clips"][0], Json::parse(R"({"task": 2, "clip": "clip-2", "answers": 1,
                                                   "decided": false})"));
  EXPECT_EQ(leader_.get_json("/api/leader/clips?find=CLIP-30")["clips"][0]["task"], 30);
  const Json all = leader_.get_json("/api/leader/clips");
  EXPECT_EQ(all["total"], 30);
  EXPECT_EQ(all["clips"].size(), 20U);
  EXPECT_EQ(leader_.get_json("/api/leader/clips?find=none")["total"], 0);
}

TEST_F(Review, AClipShowsWhoSaidWhat) {
  const Json clip = leader_.get_json("/api/leader/clip?task=1");
  EXPECT_EQ(clip["clip"], "clip-1");
  EXPECT_EQ(clip["original"], "cut");
  EXPECT_EQ(clip["candidates"][0], Json::parse(R"({"class": 0, "name": "cut",
      "chosen_by": ["Ann", "Ben"], "kept": true})"));
  EXPECT_EQ(clip["not_confident"], Json({"Ben"}));
  EXPECT_EQ(clip["decision"], nullptr);
  EXPECT_EQ(clip["classes"], Json({"cut", "peel", "wash", "dry", "<b>mix</b>"}));
  EXPECT_EQ(leader_.get_json("/api/leader/clip?task=30")["answers"], 0);
  EXPECT_EQ(leader_.get("/api/leader/clip?task=31").status, 404);
  EXPECT_EQ(leader_.get("/api/leader/clip?task=x").status, 400);
}

TEST_F(Review, TheAnswersOfAPersonComeNewestFirstWithThoseOfOthers) {
  Json page = leader_.get_json("/api/leader/answers?person=1");
  EXPECT_EQ(page["name"], "Ann");
  EXPECT_EQ(page["total"], 2);
  EXPECT_EQ(page["answers"][0]["clip"]["task"], 2);
  EXPECT_EQ(page["answers"][0]["seconds"], 1.5);
  EXPECT_EQ(page["answers"][1]["chosen"], Json({"cut"}));
  EXPECT_EQ(page["answers"][1]["clip"]["candidates"][1]["chosen_by"], Json({"Ben"}));
  EXPECT_EQ(leader_.get_json("/api/leader/answers?person=1&from=1&count=5")["answers"].size(), 1U);
  leader_.post_json("/api/leader/people/1", {{"state", "excluded"}});
  page = leader_.get_json("/api/leader/answers?person=1");
  EXPECT_EQ(page["state"], "excluded");
  EXPECT_EQ(page["total"], 2) << "the answers are kept";
  EXPECT_EQ(page["answers"][1]["clip"]["answers"], 1) << "but do not count";
  EXPECT_EQ(leader_.get("/api/leader/answers?person=3").status, 404);
}

TEST_F(Review, ADecisionSettlesAClipAndCanBeUndone) {
  EXPECT_EQ(leader_.get_json("/api/leader/disputes")["total"], 1);
  const Json settled = decide(1, {4, 2}, "mixed in the sink");
  EXPECT_EQ(settled["decision"]["labels"],
            Json::parse(R"([{"class": 2, "name": "wash"}, {"class": 4, "name": "<b>mix</b>"}])"));
  EXPECT_EQ(settled["decision"]["reason"], "mixed in the sink");
  EXPECT_EQ(settled["outcome"], "kept");
  EXPECT_EQ(leader_.get_json("/api/leader/disputes")["total"], 0);
  decide(5, {}, "black");
  Json overview = leader_.get_json("/api/leader/overview");
  EXPECT_EQ(overview["clips"]["settled"], 1);
  EXPECT_EQ(overview["clips"]["left_out"], 1);
  EXPECT_EQ(overview["clips"]["complete"], 2);
  const Json decisions = leader_.get_json("/api/leader/decisions");
  EXPECT_EQ(decisions["total"], 2);
  leader_.post_json("/api/leader/decisions/undo", {{"task", 5}});
  const Json undone = leader_.post_json("/api/leader/decisions/undo", {{"task", 1}});
  EXPECT_EQ(undone["decision"], nullptr);
  overview = leader_.get_json("/api/leader/overview");
  EXPECT_EQ(overview["clips"]["settled"], 0);
  EXPECT_EQ(overview["clips"]["complete"], 0);
  EXPECT_EQ(leader_.get_json("/api/leader/disputes")["total"], 1);
}

TEST_F(Review, InvalidDecisionsAreRejected) {
  const Json body = {{"task", 1}, {"labels", {0}}, {"reason", ""}};
  const auto with = [&](const std::string& key, const Json& value) {
    Json changed = body;
    changed[key] = value;
    return changed;
  };
  EXPECT_EQ(refusal(with("labels", {5})), "class 5 does not exist");
  EXPECT_EQ(refusal(with("labels", {-1})), "class -1 does not exist");
  EXPECT_EQ(refusal(with("labels", {1, 1})), "class 1 is chosen twice");
  EXPECT_EQ(refusal(with("labels", Json::array())), "give a reason why the clip is left out");
  EXPECT_EQ(refusal(with("reason", "two\nlines")),
            "a reason must have at most 1000 characters on one line");
  EXPECT_EQ(refusal(with("reason", std::string(1001, 'x'))),
            "a reason must have at most 1000 characters on one line");
  EXPECT_EQ(refusal({{"task", 1}}), "the key 'labels' is missing");
  EXPECT_EQ(leader_.post("/api/leader/decisions", with("task", 31)).status, 404);
  EXPECT_EQ(leader_.post("/api/leader/decisions/undo", {{"task", 31}}).status, 404);
  EXPECT_EQ(leader_.get_json("/api/leader/decisions")["total"], 0);
}

TEST_F(Review, AClosedRoundAndAQuotaTellAnnotatorsWhyThereIsNoClip) {
  EXPECT_EQ(next(&ann_)["over"], nullptr);
  set("quota", 2);
  EXPECT_EQ(next(&ann_)["over"], "quota");
  EXPECT_EQ(next(&ben_)["over"], nullptr) << "one answer so far";
  set("deadline", "2020-01-31T14:00:00Z");
  EXPECT_EQ(next(&ben_)["over"], "closed");
  set("deadline", nullptr);
  EXPECT_EQ(next(&ben_)["over"], nullptr);
  set("closed", true);
  EXPECT_EQ(next(&ben_)["over"], "closed");
  EXPECT_EQ(ben_.post("/api/annotator/answers", sent_answer(2, {0})).status, 200)
      << "an answer on its way is saved";
}

TEST_F(Review, InvalidEndsOfARoundAreRejected) {
  const Json settings = leader_.get_json("/api/leader/overview")["settings"];
  for (const auto& [key, value] : {std::pair<std::string, Json>{"quota", -1},
                                   {"quota", 1.5},
                                   {"closed", 1},
                                   {"deadline", "tomorrow"},
                                   {"deadline", "2026-02-30T00:00:00Z"},
                                   {"deadline", 5}}) {
    Json changed = settings;
    changed[key] = value;
    EXPECT_EQ(leader_.post("/api/leader/settings", changed).status, 400) << key << value;
  }
}

}  // namespace
}  // namespace manyverbs
