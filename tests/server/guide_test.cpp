// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/guide.h"

#include <gtest/gtest.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// A project with the classes cut, peel, wash, dry and <b>mix</b>.
class Guide : public testing::Test {
 protected:
  void write(const std::string& file, std::string_view text) { write_file(path(file), text); }
  std::filesystem::path path(const std::string& file) { return scratch_.path() / file; }
  std::string error() {
    return error_of([&] { read_guide(project_); });
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 1);
};

TEST_F(Guide, WithoutFilesHasDefaultInstructionsAndNoDefinitions) {
  EXPECT_EQ(read_guide(project_).instructions, default_instructions("en"));
  EXPECT_TRUE(read_guide(project_).definitions.empty());
  project_.language = "de";
  EXPECT_PRED2(contains, read_guide(project_).instructions, "„Hier passiert nichts“");
}

TEST_F(Guide, IsWhatTheFilesContain) {
  write("instructions.md", "\xEF\xBB\xBF# Sägen\n");
  write("definitions.csv",
        "class,definition\npeel,\" remove the skin,\ncarefully \"\n<b>mix</b>,rühren\n");
  const AnnotatorGuide guide = read_guide(project_);
  EXPECT_EQ(guide.instructions, "# Sägen\n");
  EXPECT_EQ(guide.definitions, (Definitions{{1, "remove the skin,\ncarefully"}, {4, "rühren"}}));
}

TEST_F(Guide, FilesThatAreNotUtf8AreErrorsWithTheirLine) {
  write("instructions.md", "one\ntwo\nS\xE4gen\nfour\n");
  EXPECT_EQ(error(), path("instructions.md").string() +
                         ":3: is not valid UTF-8; save the file with this encoding");
  write("instructions.md", "one");
  write("definitions.csv", "class,definition\ncut,s\xE4gen\n");
  EXPECT_PRED2(contains, error(), "definitions.csv:2: is not valid UTF-8");
}

TEST_F(Guide, InstructionsMayHave32768Bytes) {
  write("instructions.md", std::string(32'768, 'a'));
  EXPECT_EQ(read_guide(project_).instructions.size(), 32'768U);
  write("instructions.md", std::string(32'769, 'a'));
  EXPECT_PRED2(contains, error(), "instructions.md: has 32769 bytes, expected at most 32768");
}

TEST_F(Guide, InvalidDefinitionsAreErrorsWithTheirLine) {
  const auto error_for = [&](const std::string& rows) {
    write("definitions.csv", "class,definition\ncut,divide\n" + rows);
    return error();
  };
  EXPECT_PRED2(contains, error_for("fry,in oil\n"),
               "definitions.csv:3: 'fry' is not a class of the project");
  EXPECT_PRED2(contains, error_for("peel,strip\ncut,again\n"),
               ":4: the definition of 'cut' is given twice");
  EXPECT_PRED2(contains, error_for("peel, \n"), ":3: the definition of 'peel' is empty");
  EXPECT_PRED2(contains, error_for("peel," + std::string(1'001, 'a') + "\n"),
               ":3: the definition of 'peel' has 1001 bytes, expected at most 1000");
  write("definitions.csv", "verb,definition\ncut,divide\n");
  EXPECT_PRED2(contains, error(), "class");
}

TEST_F(Guide, StringsReplaceTextsOfThePageAndKeepTheirValues) {
  write("strings.csv", "key,text\ndone.title,\"Merci, {name}\"\nverbs.group,Activities\n");
  EXPECT_EQ(read_guide(project_).strings,
            (AnnotatorStrings{{"done.title", "Merci, {name}"}, {"verbs.group", "Activities"}}));
}

TEST_F(Guide, InvalidStringsAreErrorsWithTheirLine) {
  const auto error_for = [&](const std::string& rows) {
    write("strings.csv", "key,text\nverbs.group,Activities\n" + rows);
    return error();
  };
  EXPECT_PRED2(contains, error_for("verbs.goup,Activities\n"),
               "strings.csv:3: unknown key 'verbs.goup'; 'manyverbs annotate strings' prints all");
  EXPECT_PRED2(contains, error_for("verbs.group,Acts\n"),
               ":3: the text of 'verbs.group' is given twice");
  EXPECT_PRED2(contains, error_for("answer.send,\n"), ":3: the text of 'answer.send' is empty");
  EXPECT_PRED2(contains, error_for("progress.clips,{done} / {all}\n"),
               ":3: 'progress.clips' has no value {all}; it has {done}, {total}");
  EXPECT_PRED2(contains, error_for("answer.send,Send {name}\n"),
               ":3: 'answer.send' has no value {name}; it has none");
  EXPECT_PRED2(contains, error_for("answer.send,S\xE4\n"), ":3: is not valid UTF-8");
}

TEST(BuiltInStrings, HaveTheSameKeysInAllLanguages) {
  const AnnotatorStrings english = built_in_strings("en");
  EXPECT_EQ(english.at("answer.send"), "Send");
  for (const std::string& language : annotation_languages()) {
    const AnnotatorStrings strings = built_in_strings(language);
    ASSERT_EQ(strings.size(), english.size()) << language;
    for (const auto& [key, text] : english) EXPECT_TRUE(strings.contains(key)) << key;
  }
}

TEST_F(Guide, IsWrittenOnceInTheLanguageOfTheProjectForItsOwnerOnly) {
  project_.language = "de";
  write("given.csv", "class,definition\ncut,teilen\n");
  write_guide(project_, path("given.csv"));
  EXPECT_EQ(read_file(path("instructions.md")), default_instructions("de"));
  EXPECT_EQ(read_guide(project_).definitions, (Definitions{{0, "teilen"}}));
  using std::filesystem::perms;
  for (const char* file : {"instructions.md", "definitions.csv"}) {
    EXPECT_EQ(
        std::filesystem::status(path(file)).permissions() & (perms::group_all | perms::others_all),
        perms::none);
  }
  write("instructions.md", "my own");
  write_guide(project_, {});
  EXPECT_EQ(read_guide(project_).instructions, "my own");
  EXPECT_EQ(read_guide(project_).definitions.size(), 1U);
}

TEST_F(Guide, AProjectOfAnOlderVersionIsInEnglish) {
  Json json = read_json(path("project.json"));
  EXPECT_EQ(json["language"], "en");
  json.erase("language");
  write_json(path("project.json"), json);
  EXPECT_EQ(read_project(scratch_.path()).language, "en");
  json["language"] = "xx";
  write_json(path("project.json"), json);
  EXPECT_EQ(error_of([&] { read_project(scratch_.path()); }),
            path("project.json").string() + ": unknown language 'xx'; valid values: en, de");
}

TEST_F(Guide, IsSentToAnnotatorsOnlyAndThePageIsInTheLanguageOfTheProject) {
  project_.language = "de";
  write("instructions.md", "<b>Alles</b> auswählen");
  write("definitions.csv", "class,definition\nwash,reinigen\n");
  write("strings.csv", "key,text\nanswer.send,Ab damit\n");
  const RunningServer server(project_);
  Visitor leader(server.port());
  leader.set_up(server.setup_url());
  Visitor annotator(server.port());
  EXPECT_EQ(annotator.get("/api/annotator/guide").status, 401);
  annotator.join(leader.invite("Ann"));
  EXPECT_EQ(annotator.get_json("/api/annotator/guide"),
            Json::parse(R"({"instructions": "<b>Alles</b> auswählen",
                            "definitions": [{"class": 2, "definition": "reinigen"}],
                            "strings": {"answer.send": "Ab damit"}})"));
  EXPECT_PRED2(contains, annotator.get("/annotate").body, "<html lang=\"de\">");
  EXPECT_PRED2(contains, leader.get("/lead").body, "<html lang=\"en\">");
}

TEST_F(Guide, AServerDoesNotStartWithInvalidFiles) {
  write("definitions.csv", "class,definition\nfry,in oil\n");
  EXPECT_PRED2(contains, error_of([&] { RunningServer{project_}; }), "definitions.csv:2");
}

}  // namespace
}  // namespace manyverbs
