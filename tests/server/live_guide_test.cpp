// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/live_guide.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "manyverbs/support/internal/files.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

// A project with the classes cut, peel, wash, dry and <b>mix</b>.
class Texts : public testing::Test {
 protected:
  Texts() {
    leader_.set_up(server_.setup_url());
    annotator_.join(leader_.invite("Ann"));
  }
  Json file(const std::string& name) {
    const Json texts = leader_.get_json("/api/leader/texts");
    for (const Json& each : texts["files"]) {
      if (each["file"] == name) return each;
    }
    throw Error("{} is not there", name);
  }
  ClientReply change(const std::string& name, const std::string& text, bool save) {
    return leader_.post(
        "/api/leader/texts",
        {{"file", name}, {"text", text}, {"hash", file(name)["hash"]}, {"save", save}});
  }
  std::string refusal(const std::string& name, const std::string& text) {
    const ClientReply reply = change(name, text, true);
    EXPECT_EQ(reply.status, 400) << reply.body;
    return Json::parse(reply.body)["error"].get<std::string>();
  }
  Json guide() { return annotator_.get_json("/api/annotator/guide"); }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 1);
  RunningServer server_{project_};
  Visitor leader_{server_.port()};
  Visitor annotator_{server_.port()};
};

TEST_F(Texts, SavedOnesTakeEffectAtOnce) {
  EXPECT_EQ(file("instructions.md")["text"], std::string(default_instructions("en")));
  EXPECT_EQ(file("instructions.md")["exists"], false);
  EXPECT_EQ(change("instructions.md", "# New", true).status, 200);
  EXPECT_EQ(change("definitions.csv", "class,definition\npeel,remove the skin\n", true).status,
            200);
  EXPECT_EQ(change("strings.csv", "key,text\nanswer.send,Go\n", true).status, 200);
  EXPECT_EQ(guide(), Json::parse(R"({"instructions": "# New",
      "definitions": [{"class": 1, "definition": "remove the skin"}],
      "strings": {"answer.send": "Go"}})"));
  struct stat status {};
  ASSERT_EQ(stat((scratch_ / "strings.csv").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U) << "readable by their owner only";
  EXPECT_EQ(read_guide(project_).instructions, "# New") << "on disk";
}

TEST_F(Texts, APreviewIsNotSaved) {
  const Json rows = Json::parse(change("strings.csv", "key,text\nanswer.send,Go\n", false).body);
  EXPECT_EQ(rows["rows"],
            Json::parse(R"([{"name": "answer.send", "text": "Go", "before": "Send"}])"));
  EXPECT_EQ(file("strings.csv")["exists"], false);
  EXPECT_TRUE(guide()["strings"].empty());
}

TEST_F(Texts, InvalidOnesAreRejectedWithTheirLineAndNotSaved) {
  EXPECT_EQ(refusal("definitions.csv", "class,definition\npeel,x\nfry,y\n"),
            "definitions.csv:3: 'fry' is not a class of the project");
  EXPECT_EQ(refusal("strings.csv", "key,text\nanswer.send,{no}\n"),
            "strings.csv:2: 'answer.send' has no value {no}; it has none");
  EXPECT_EQ(refusal("instructions.md", std::string(32'769, 'x')),
            "instructions.md: has 32769 bytes, expected at most 32768");
  for (const char* name : {"instructions.md", "definitions.csv", "strings.csv"}) {
    EXPECT_FALSE(std::filesystem::exists(scratch_ / name)) << name;
  }
  EXPECT_EQ(leader_
                .post("/api/leader/texts",
                      {{"file", "../tasks.csv"}, {"text", ""}, {"hash", ""}, {"save", true}})
                .status,
            404);
}

TEST_F(Texts, ABlankFileIsRemoved) {
  change("definitions.csv", "class,definition\npeel,x\n", true);
  EXPECT_EQ(change("definitions.csv", " \n", true).status, 200);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "definitions.csv"));
  EXPECT_TRUE(guide()["definitions"].empty());
}

TEST_F(Texts, ChangesOfSomebodyElseAreNotOverwritten) {
  const Json before = file("instructions.md");
  change("instructions.md", "# Ben's", true);
  const ClientReply reply = leader_.post(
      "/api/leader/texts",
      {{"file", "instructions.md"}, {"text", "# Ann's"}, {"hash", before["hash"]}, {"save", true}});
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(guide()["instructions"], "# Ben's");
}

TEST_F(Texts, AnInvalidFileOfAnEditorKeepsThePreviousText) {
  change("definitions.csv", "class,definition\npeel,x\n", true);
  ASSERT_EQ(guide()["definitions"].size(), 1U);
  write_file(scratch_ / "definitions.csv", "class,definition\nfry,y\n");
  EXPECT_EQ(guide()["definitions"].size(), 1U);
  EXPECT_EQ(file("definitions.csv")["problem"],
            "definitions.csv:2: 'fry' is not a class of the project");
  write_file(scratch_ / "definitions.csv", "class,definition\ncut,a\ndry,bb\n");
  EXPECT_EQ(guide()["definitions"].size(), 2U);
}

}  // namespace
}  // namespace manyverbs
