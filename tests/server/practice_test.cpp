// SPDX-License-Identifier: MIT
//
// The practice is required by the server: a client of one's own cannot skip it.
#include <gtest/gtest.h>

#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

// Three practice clips.
AnnotationProject project_with_practice(const std::filesystem::path& folder) {
  AnnotationProject project = write_toy_project(folder, 4);
  for (int number : {2, 3}) {
    AnnotationTask task = project.practice.front();
    task.number = number;
    task.video = fmt::format("clips/p{}.mp4", number);
    write_file(folder / task.video, "abcdefghij");
    project.practice.push_back(task);
  }
  write_project_tasks(project);
  return project;
}

// With an SQLite file and with a PostgreSQL server.
class PracticeOnAServer : public testing::TestWithParam<std::string> {
 protected:
  PracticeOnAServer() {
    leader_.set_up(server_.setup_url());
    ann_.open(leader_.invite("Ann"));
  }
  static std::string database() {
    return GetParam() == "sqlite" ? "" : PostgresServer::shared().new_database();
  }
  ClientReply practise(int task) {
    return ann_.post("/api/annotator/practice", sent_answer(task, {0}));
  }
  ClientReply finish() { return ann_.post("/api/annotator/practised", Json::object()); }

  ScratchFolder scratch_;
  AnnotationProject project_ = project_with_practice(scratch_.path());
  ServeSettings settings_{.database = database()};
  RunningServer server_{project_, settings_};
  Visitor leader_{server_.port()};
  Visitor ann_{server_.port()};
};

TEST_P(PracticeOnAServer, NoClipIsAssignedShownOrAnsweredBeforeIt) {
  const ClientReply next = ann_.post("/api/annotator/next", Json::object());
  EXPECT_EQ(next.status, 403);
  EXPECT_EQ(Json::parse(next.body)["error"], "finish the practice first");
  EXPECT_EQ(ann_.get("/clips/1.mp4").status, 403);
  EXPECT_EQ(ann_.post("/api/annotator/answers", sent_answer(1, {0})).status, 403);
  EXPECT_EQ(ann_.post("/api/annotator/reports", {{"task", 1}}).status, 403);
  EXPECT_EQ(ann_.get("/clips/p1.mp4").status, 200) << "to practise on";
  EXPECT_EQ(leader_.get_json("/api/leader/overview")["answers"], 0);
}

TEST_P(PracticeOnAServer, ItIsFinishedWhenEveryPracticeClipIsAnswered) {
  EXPECT_EQ(finish().status, 409);
  EXPECT_EQ(practise(1).status, 200);
  EXPECT_EQ(practise(1).status, 200) << "again, after a change";
  EXPECT_EQ(practise(3).status, 200);
  EXPECT_EQ(Json::parse(finish().body)["error"], "answer all practice clips first: found 2 of 3");
  EXPECT_EQ(practise(9).status, 404);
  EXPECT_EQ(ann_.post("/api/annotator/practice", sent_answer(2, {3})).status, 400)
      << "3 is no candidate, so clip 2 is not answered";
  EXPECT_EQ(finish().status, 409);
  EXPECT_EQ(ann_.get_json("/api/annotator/practice")["answered"], (std::vector{1, 3}));
  EXPECT_EQ(ann_.post("/api/annotator/next", Json::object()).status, 403);
  EXPECT_EQ(practise(2).status, 200);
  EXPECT_EQ(ann_.post("/api/annotator/next", Json::object()).status, 403) << "not finished yet";
  EXPECT_EQ(finish().status, 200);
  EXPECT_EQ(ann_.get_json("/api/annotator")["practised"], true);
  EXPECT_EQ(ann_.post_json("/api/annotator/next", Json::object())["tasks"].size(), 2U);
  EXPECT_EQ(ann_.get("/clips/1.mp4").status, 200);
}

TEST_P(PracticeOnAServer, AnotherServerOfTheProjectKnowsIt) {
  practise(1);
  practise(2);
  ServeSettings same = settings_;
  const RunningServer second(project_, same);
  Visitor ann(second.port());
  ann.set_cookies(ann_.cookies());
  EXPECT_EQ(ann.get_json("/api/annotator/practice")["answered"], (std::vector{1, 2}));
  EXPECT_EQ(ann.post("/api/annotator/practice", sent_answer(3, {0})).status, 200);
  EXPECT_EQ(finish().status, 200);
}

TEST_P(PracticeOnAServer, TheAnswersOfOthersDoNotCountAndALeaderCanEndIt) {
  Visitor ben(server_.port());
  ben.join(leader_.invite("Ben"));
  EXPECT_EQ(finish().status, 409);
  EXPECT_EQ(leader_.get_json("/api/leader/overview")["people"][0]["practised"], false);
  EXPECT_EQ(ann_.post("/api/leader/people/1/practised", Json::object()).status, 401);
  EXPECT_EQ(leader_.post("/api/leader/people/9/practised", Json::object()).status, 404);
  EXPECT_EQ(leader_.post_json("/api/leader/people/1/practised", Json::object())["practised"], true);
  EXPECT_EQ(ann_.post("/api/annotator/next", Json::object()).status, 200);
}

INSTANTIATE_TEST_SUITE_P(Databases, PracticeOnAServer, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

TEST(Practice, WithoutPracticeClipsItIsFinishedAtOnce) {
  const ScratchFolder scratch;
  AnnotationProject project = write_toy_project(scratch.path(), 2);
  project.practice.clear();
  write_project_tasks(project);
  const RunningServer server(project);
  Visitor leader(server.port());
  leader.set_up(server.setup_url());
  Visitor ann(server.port());
  ann.open(leader.invite("Ann"));
  EXPECT_EQ(ann.post("/api/annotator/next", Json::object()).status, 403)
      << "the instructions are not confirmed yet";
  EXPECT_EQ(ann.post("/api/annotator/practised", Json::object()).status, 200);
  EXPECT_EQ(ann.post("/api/annotator/next", Json::object()).status, 200);
}

}  // namespace
}  // namespace manyverbs
