// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/exports.h"

#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "manyverbs/dataset/internal/clip_lists.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"

namespace manyverbs {
namespace {

// Two clips, one of them doubtful, and a corrected answer.
class Exports : public testing::Test {
 protected:
  Exports() {
    const Answer cut{{0}, true, false, 1200};
    const Answer unsure{{0, 2}, false, false, 800};
    result_.answers = {{1, 1, unsure, 1'700'000'000'000, false},
                       {1, 1, {{0, 1}, true, false, 900}, 1'700'000'001'000, true},
                       {2, 1, cut, 1'700'000'002'000, true},
                       {1, 2, unsure, 1'700'000'003'000, true},
                       {2, 2, unsure, 1'700'000'004'000, true}};
  }
  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 3);
  AnnotationResult result_{
      &project_,
      {{1, "Ann", PersonState::Active, true, {}}, {2, "Ben", PersonState::Active, true, {}}},
      {},
      2};
};

TEST_F(Exports, SpmvHasOneListOfVerbsPerClip) {
  const ExportReport report = export_spmv(result_, scratch_ / "spmv.csv");
  EXPECT_EQ(report.written, 1);
  EXPECT_EQ(report.left_out,
            (std::map<Outcome, int>{{Outcome::Doubtful, 1}, {Outcome::Incomplete, 1}}));
  EXPECT_EQ(read_file(scratch_ / "spmv.csv"),
            "narration_id,verb_labels,settled\nclip-1,\"[0, 1]\",0\n");
}

TEST_F(Exports, PosteriorsHaveOneLinePerCandidateOfEachClipWithLabels) {
  const ExportReport report = export_posteriors(result_, scratch_ / "posteriors.csv");
  EXPECT_EQ(report.written, 1);
  const CsvTable table = read_csv(scratch_ / "posteriors.csv");
  EXPECT_EQ(table.header, (std::vector<std::string>{"clip", "verb", "posterior", "chosen",
                                                    "answers", "label", "settled"}));
  ASSERT_EQ(table.rows.size(), 4U);
  const auto& peel = table.rows[0].fields;
  EXPECT_EQ(peel[0] + " " + peel[1], "clip-1 peel");
  EXPECT_EQ(peel[3] + " of " + peel[4], "1 of 2");
  EXPECT_EQ(peel[5], std::stod(peel[2]) >= 0.5 ? "1" : "0");
  EXPECT_EQ(table.rows[1].fields,
            (std::vector<std::string>{"clip-1", "cut", "1.000000", "2", "2", "1", "0"}));
  EXPECT_LT(std::stod(table.rows[2].fields[2]), 0.1) << "nobody chose it";
}

TEST_F(Exports, TheRuleDecidesWhichVerbsAreLabels) {
  // One of two people chose peel, who also chooses everything else everywhere.
  result_.answers.clear();
  for (int task = 1; task <= 3; ++task) {
    result_.answers.push_back({1, task, {{0, 1, 2, 3}, true, false, 900}, 0, true});
    result_.answers.push_back({2, task, {{0}, true, false, 900}, 0, true});
  }
  export_spmv(result_, scratch_ / "half.csv");
  result_.rule = LabelRule::Model;
  export_spmv(result_, scratch_ / "model.csv");
  EXPECT_EQ(read_file(scratch_ / "half.csv").substr(33, 21), "clip-1,\"[0, 1, 2, 3]\"");
  EXPECT_EQ(read_file(scratch_ / "model.csv"),
            "narration_id,verb_labels,settled\nclip-1,[0],0\nclip-2,[0],0\nclip-3,[0],0\n");
}

TEST_F(Exports, JsonLinesContainAllAnswersIncludingCorrectedOnes) {
  EXPECT_EQ(export_answers(result_, scratch_ / "answers.jsonl").written, 5);
  std::ifstream file(scratch_ / "answers.jsonl");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line,
            R"({"annotator":1,"name":"Ann","excluded":false,"task":1,"item":"clip-1","gold":false,)"
            R"("labels":["cut","wash"],"confident":false,"nothing":false,"other":false,)"
            R"("other_verb":"","flagged":false,"comment":"","ms":800,)"
            R"("time":"2023-11-14T22:13:20Z","replaced":true})");
}

// As `import videos --test studio.json` reads them.
TEST_F(Exports, LabelStudioTasksAreReadBackAsAllLabelsOfAllPeople) {
  export_label_studio(result_, scratch_ / "studio.json");
  ClipListImport settings;
  settings.lists = {{scratch_ / "studio.json", Split::Test}};
  const ClipLists lists = read_clip_lists(settings);
  ASSERT_EQ(lists.clips.size(), 2U);
  EXPECT_EQ(lists.clips[0].name, "clip-1");
  EXPECT_EQ(join_labels(lists.clips[0].labels, lists.classes), "cut;peel");
  EXPECT_EQ(join_labels(lists.clips[1].labels, lists.classes), "cut;wash");
}

TEST_F(Exports, LabelStudioTasksHaveOneAnnotationPerPerson) {
  EXPECT_EQ(export_label_studio(result_, scratch_ / "studio.json").written, 2);
  const Json tasks = read_json(scratch_ / "studio.json");
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0]["data"]["clip"], "clip-1");
  ASSERT_EQ(tasks[0]["annotations"].size(), 2U);
  const Json& annotation = tasks[0]["annotations"][0];
  EXPECT_FALSE(annotation.contains("completed_by")) << "it knows only its own users";
  EXPECT_EQ(tasks[0]["data"]["annotators"], Json({"Ann", "Ben"}));
  EXPECT_EQ(annotation["lead_time"], 0.9);
  EXPECT_EQ(annotation["result"][0], Json::parse(R"({"from_name": "verbs", "to_name": "video",
      "type": "choices", "value": {"choices": ["cut", "peel"]}})"));
}

// Clip 1 settled with a verb that is not a candidate, clip 2 left out, clip 3 settled and undone.
class DecidedExports : public Exports {
 protected:
  DecidedExports() {
    result_.decisions = {{1, {2, 4}, "Ann, not Anna, saw it", 1'700'000'005'000, true},
                         {2, {}, "too dark, says Ben", 1'700'000'006'000, true},
                         {3, {0}, "a mistake", 1'700'000'007'000, false}};
  }
};

TEST_F(DecidedExports, SettledLabelsWinAndAreMarked) {
  const ExportReport report = export_spmv(result_, scratch_ / "spmv.csv");
  EXPECT_EQ(report.settled, 1);
  EXPECT_EQ(report.left_out,
            (std::map<Outcome, int>{{Outcome::LeftOut, 1}, {Outcome::Incomplete, 1}}));
  EXPECT_EQ(read_file(scratch_ / "spmv.csv"),
            "narration_id,verb_labels,settled\nclip-1,\"[2, 4]\",1\n");
  export_posteriors(result_, scratch_ / "posteriors.csv");
  const CsvTable table = read_csv(scratch_ / "posteriors.csv");
  ASSERT_EQ(table.rows.size(), 5U);
  EXPECT_EQ(table.rows[1].fields,
            (std::vector<std::string>{"clip-1", "cut", "1.000000", "2", "2", "0", "1"}));
  EXPECT_EQ(table.rows[4].fields,
            (std::vector<std::string>{"clip-1", "<b>mix</b>", "", "0", "2", "1", "1"}));
}

TEST_F(DecidedExports, JsonLinesEndWithTheDecisions) {
  EXPECT_EQ(export_answers(result_, scratch_ / "answers.jsonl").written, 5);
  std::ifstream file(scratch_ / "answers.jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[5], R"({"decision":"settled","task":1,"item":"clip-1","labels":["wash",)"
                      R"("<b>mix</b>"],"reason":"Ann, not Anna, saw it",)"
                      R"("time":"2023-11-14T22:13:25Z","undone":false})");
  EXPECT_EQ(lines[6].substr(0, 23), R"({"decision":"left_out",)");
  EXPECT_EQ(Json::parse(lines[7])["undone"], true);
}

TEST_F(DecidedExports, LabelStudioGetsGroundTruthWhichIsReadBack) {
  result_.videos = "/data/local-files/?d=project/";
  result_.decisions[0].labels = {0, 4};
  const ExportReport report = export_label_studio(result_, scratch_ / "studio.json");
  EXPECT_EQ(report.settled, 1);
  const Json tasks = read_json(scratch_ / "studio.json");
  ASSERT_EQ(tasks.size(), 1U) << "clip 2 is left out, clip 3 has no answers";
  EXPECT_EQ(tasks[0]["data"]["video"], "/data/local-files/?d=project/clips/1.mp4");
  EXPECT_EQ(tasks[0]["data"]["annotators"], Json({"Ann", "Ben", "leader"}));
  EXPECT_EQ(tasks[0]["data"]["options"].size(), 5U) << "all that was chosen can be shown";
  const Json& settled = tasks[0]["annotations"][2];
  EXPECT_EQ(settled["ground_truth"], true);
  EXPECT_EQ(settled["result"][0]["value"]["choices"], Json({"cut", "<b>mix</b>"}));
  ClipListImport settings;
  settings.lists = {{scratch_ / "studio.json", Split::Test}};
  const ClipLists lists = read_clip_lists(settings);
  EXPECT_EQ(join_labels(lists.clips.at(0).labels, lists.classes), "cut;<b>mix</b>") << "not peel";
}

TEST_F(DecidedExports, CvatGetsOneTaskPerClipWithTagsOfItsFirstFrame) {
  const ExportReport report = export_cvat(result_, scratch_ / "cvat");
  EXPECT_EQ(report.written, 1);
  EXPECT_EQ(report.settled, 1);
  EXPECT_EQ(read_file(scratch_ / "cvat" / "tasks.csv"),
            "task,annotations,video,settled,clip\n1,annotations/1.xml,clips/1.mp4,1,clip-1\n");
  const Json labels = read_json(scratch_ / "cvat" / "labels.json");
  EXPECT_EQ(labels.size(), 5U);
  EXPECT_EQ(labels[0], Json::parse(R"({"name": "cut", "type": "tag", "attributes": []})"));
  const std::string xml = read_file(scratch_ / "cvat" / "annotations" / "1.xml");
  EXPECT_TRUE(
      xml.starts_with("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n"
                      "  <version>1.1</version>\n"));
  EXPECT_TRUE(
      xml.ends_with("  <image id=\"0\" name=\"frame_000000\">\n"
                    "    <tag label=\"wash\" source=\"manual\"></tag>\n"
                    "    <tag label=\"&lt;b&gt;mix&lt;/b&gt;\" source=\"manual\"></tag>\n"
                    "  </image>\n</annotations>\n"))
      << xml;
}

TEST_F(DecidedExports, WithPseudonymsNoFileContainsAName) {
  AnnotationResult other = result_;
  use_pseudonyms("secret", &result_);
  const std::string ann = result_.people[0].name;
  // printf 'secret 1' | sha256sum
  EXPECT_EQ(ann, "p-5485cb5d03");
  EXPECT_EQ(result_.decisions[0].reason, ann + ", not Anna, saw it");
  for (const ExportFormat& format : export_formats()) {
    if (format.name == "dataset") continue;  // in whole_round_test.cpp
    const std::filesystem::path out = scratch_ / format.name;
    format.write(result_, out);
    std::vector<std::filesystem::path> files = {out};
    if (std::filesystem::is_directory(out)) {
      files = {out / "tasks.csv", out / "labels.json", out / "annotations" / "1.xml"};
    }
    for (const auto& file : files) {
      const std::string text = read_file(file);
      for (const char* name : {"\"Ann\"", "Ann,", "Ben"}) {
        EXPECT_EQ(text.find(name), std::string::npos) << file << text;
      }
    }
  }
  std::ifstream file(scratch_ / "jsonl");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(Json::parse(line)["annotator"], ann);
  EXPECT_FALSE(Json::parse(line).contains("name"));
  use_pseudonyms("another secret", &other);
  EXPECT_NE(other.people[0].name, ann);
}

}  // namespace
}  // namespace manyverbs
