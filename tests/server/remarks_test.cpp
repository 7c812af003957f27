// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/remarks.h"

#include <gtest/gtest.h>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/exports.h"
#include "manyverbs/server/internal/statistics.h"
#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

std::string problem_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const HttpError& error) {
    return fmt::format("{}: {}", error.status(), error.what());
  }
  return "";
}

TEST(Remarks, VerbsAreStoredInOneForm) {
  EXPECT_EQ(normalised_verb("  Stir  FRY"), "stir fry");
  EXPECT_EQ(normalised_verb("\tturn\r\non \n"), "turn on");
  EXPECT_EQ(normalised_verb("ÜBERGIESSEN × Å"), "übergiessen × å");
  EXPECT_EQ(normalised_verb("切る"), "切る");
  EXPECT_EQ(normalised_verb(" \n "), "");
  std::string carrots;
  for (int i = 0; i < 40; ++i) carrots += "🥕";
  EXPECT_EQ(normalised_verb(carrots), carrots) << "characters count, not bytes";
  EXPECT_EQ(problem_of([&] { normalised_verb(carrots + "x"); }),
            "400: a verb must have at most 40 characters, found 41");
  EXPECT_EQ(problem_of([] { normalised_verb("a\x1b[2J"); }),
            "400: a verb must not contain control characters");
  EXPECT_EQ(problem_of([] { normalised_verb(std::string("a\0b", 3)); }),
            "400: a verb must not contain control characters");
}

TEST(Remarks, CommentsKeepTheirLettersAndAreOnOneLine) {
  EXPECT_EQ(normalised_comment(" <b>Not</b>\n\nSURE "), "<b>Not</b> SURE");
  EXPECT_EQ(normalised_comment(std::string(500, 'a')).size(), 500U);
  EXPECT_EQ(problem_of([] { normalised_comment(std::string(501, 'a')); }),
            "400: a comment must have at most 500 characters, found 501");
}

Answer entered(const std::string& verb) { return {{}, true, false, 900, true, verb}; }

// Ann and Ben take part, Eve is excluded.
class RemarksOfAProject : public testing::Test {
 protected:
  RemarksOfAProject() {
    Answer old = entered("slice");
    add(1, 1, old);
    answers_.back().current = false;
    add(1, 1, entered("grate"));
    add(2, 1, entered("grate"));
    add(3, 1, entered("grate"));
    add(1, 2, entered("zest"));
    add(2, 2, entered("=1+1"));
    add(1, 3, entered("grate"));
    add(2, 3, {{0}, true, false, 900, false, "", true, ""});
    add(1, 4, {{0, 1}, true, false, 900, false, "", false, "=cmd()"});
    add(3, 4, {{0}, true, false, 900, false, "", true, "spam"});
  }
  void add(int person, int task, const Answer& answer) {
    answers_.push_back({person, task, answer, 1'700'000'000'000 + 1000 * task, true});
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 4);
  std::vector<Person> people_ = {{1, "Ann", PersonState::Active, true, {}},
                                 {2, "+Ben", PersonState::Paused, true, {}},
                                 {3, "Eve", PersonState::Excluded, true, {}}};
  std::vector<StoredAnswer> answers_;
};

TEST_F(RemarksOfAProject, VerbsAreCountedWithTheirClips) {
  EXPECT_EQ(other_verbs(answers_, people_),
            (std::vector<OtherVerb>{
                {"grate", 3, {{1, 2}, {3, 1}}}, {"=1+1", 1, {{2, 1}}}, {"zest", 1, {{2, 1}}}}));
  const ProjectStatistics statistics = project_statistics(project_, answers_, people_, {}, {});
  EXPECT_EQ(statistics.other_verbs, 3);
  EXPECT_EQ(statistics.remarks, 2);
}

TEST_F(RemarksOfAProject, AreExportedForSpreadsheetsWithoutFormulas) {
  const AnnotationResult result{&project_, people_, answers_};
  EXPECT_EQ(export_other_verbs(result, scratch_ / "verbs.csv").written, 3);
  EXPECT_EQ(read_file(scratch_ / "verbs.csv"),
            "verb,clip,answers\ngrate,clip-1,2\ngrate,clip-3,1\n'=1+1,clip-2,1\nzest,clip-2,1\n");
  EXPECT_EQ(export_remarks(result, scratch_ / "comments.csv").written, 2);
  EXPECT_EQ(read_file(scratch_ / "comments.csv"),
            "clip,task,name,flagged,comment,time\n"
            "clip-4,4,Ann,0,'=cmd(),2023-11-14T22:13:24Z\n"
            "clip-3,3,'+Ben,1,,2023-11-14T22:13:23Z\n");
}

TEST_F(RemarksOfAProject, AreInTheExportsOfAnswers) {
  const AnnotationResult result{&project_, people_, answers_};
  export_answers(result, scratch_ / "answers.jsonl");
  const std::string text = read_file(scratch_ / "answers.jsonl");
  EXPECT_NE(text.find(R"("labels":[],"confident":true,"nothing":false,"other":true,)"
                      R"("other_verb":"zest","flagged":false,"comment":"","ms":900)"),
            std::string::npos)
      << text;
  export_label_studio(result, scratch_ / "studio.json");
  const Json tasks = read_json(scratch_ / "studio.json");
  const Json& grated = tasks[0]["annotations"][0]["result"];
  ASSERT_EQ(grated.size(), 3U) << "confidence, no_verb, verb; Label Studio has no empty choice";
  EXPECT_EQ(grated[0]["from_name"], "confidence");
  EXPECT_EQ(grated[1], Json::parse(R"({"from_name": "no_verb", "to_name": "video",
      "type": "choices", "value": {"choices": ["none of these verbs"]}})"));
  EXPECT_EQ(grated[2], Json::parse(R"({"from_name": "verb", "to_name": "video",
      "type": "textarea", "value": {"text": ["grate"]}})"));
  EXPECT_EQ(tasks[2]["annotations"][1]["result"][2]["value"]["choices"][0], "flagged");
  EXPECT_EQ(tasks[3]["annotations"][0]["result"][2]["value"]["text"][0], "=cmd()");
}

// With an SQLite file and with a PostgreSQL server.
class RemarksOnAServer : public testing::TestWithParam<std::string> {
 protected:
  std::string database() {
    return GetParam() == "sqlite" ? "" : PostgresServer::shared().new_database();
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 4);
};

TEST_P(RemarksOnAServer, AreSavedCorrectedAndSeenByTheLeaderOnly) {
  const RunningServer server(project_, {.database = database()});
  Visitor leader(server.port());
  leader.set_up(server.setup_url());
  Visitor ann(server.port());
  ann.join(leader.invite("Ann"));
  ann.post_json("/api/annotator/next", Json::object());
  Json answer = sent_answer(1, {});
  answer["answer"]["nothing"] = false;
  answer["answer"]["other"] = true;
  answer["answer"]["other_verb"] = " Grate ";
  answer["answer"]["comment"] = "<script>alert(1)</script>";
  ann.post_json("/api/annotator/answers", answer);
  ann.post_json("/api/annotator/answers", answer);  // sent twice, counts once
  const Json kept = ann.get_json("/api/annotator/answers")["answer"];
  EXPECT_EQ(kept, Json::parse(R"({"chosen": [], "confident": true, "nothing": false,
      "milliseconds": 1500, "other": true, "other_verb": "grate", "flagged": false,
      "comment": "<script>alert(1)</script>"})"));
  Json remarks = leader.get_json("/api/leader/remarks");
  EXPECT_EQ(remarks["verbs"], Json::parse(R"([{"verb": "grate", "answers": 1, "clips": [
      {"task": 1, "clip": "clip-1", "video": "/clips/1.mp4"}]}])"));
  EXPECT_EQ(remarks["total"], 1);
  EXPECT_EQ(remarks["remarks"][0]["comment"], "<script>alert(1)</script>");
  EXPECT_EQ(remarks["remarks"][0]["name"], "Ann");
  EXPECT_TRUE(leader.get_json("/api/leader/remarks?from=1")["remarks"].empty());
  EXPECT_EQ(ann.get("/api/leader/remarks").status, 401);

  Json corrected = sent_answer(1, {0});
  corrected["answer"]["flagged"] = true;
  ann.post_json("/api/annotator/answers", corrected);
  remarks = leader.get_json("/api/leader/remarks");
  EXPECT_TRUE(remarks["verbs"].empty());
  EXPECT_EQ(remarks["remarks"][0]["flagged"], true);
  EXPECT_EQ(remarks["remarks"][0]["comment"], "");
  EXPECT_EQ(remarks["remarks"][0]["chosen"], (std::vector<std::string>{"cut"}));
  const Json overview = leader.get_json("/api/leader/overview");
  EXPECT_EQ(overview["remarks"], 1);
  EXPECT_EQ(overview["other_verbs"], 0);
}

TEST_P(RemarksOnAServer, AnswersThatContradictThemselvesOrAreTooLongAreRejected) {
  const RunningServer server(project_, {.database = database()});
  Visitor leader(server.port());
  leader.set_up(server.setup_url());
  Visitor ann(server.port());
  ann.join(leader.invite("Ann"));
  ann.post_json("/api/annotator/next", Json::object());
  const auto refused = [&](const Json& changes, const std::vector<int>& chosen) {
    Json wrong = sent_answer(1, chosen);
    wrong["answer"].update(changes);
    const ClientReply reply = ann.post("/api/annotator/answers", wrong);
    EXPECT_EQ(reply.status, 400) << wrong;
    return Json::parse(reply.body)["error"].get<std::string>();
  };
  EXPECT_EQ(refused({{"other", true}}, {0}),
            "expected one of: verbs, 'nothing happens', 'none of these verbs'; found 2");
  EXPECT_EQ(refused({{"other", true}}, {}),
            "expected one of: verbs, 'nothing happens', 'none of these verbs'; found 2");
  EXPECT_EQ(refused({{"nothing", false}}, {}),
            "expected one of: verbs, 'nothing happens', 'none of these verbs'; found 0");
  EXPECT_EQ(refused({{"other_verb", "grate"}}, {0}),
            "a verb can be entered only with 'none of these verbs'");
  EXPECT_EQ(refused({{"comment", std::string(501, 'a')}}, {0}),
            "a comment must have at most 500 characters, found 501");
  EXPECT_EQ(refused({{"comment", 7}}, {0}), "the key 'comment' has an invalid value");
  EXPECT_EQ(refused({{"flagged", "yes"}}, {0}), "the key 'flagged' has an invalid value");
  EXPECT_EQ(leader.get_json("/api/leader/overview")["answers"], 0);
}

INSTANTIATE_TEST_SUITE_P(Databases, RemarksOnAServer, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace manyverbs
