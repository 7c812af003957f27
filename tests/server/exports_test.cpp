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
  EXPECT_EQ(read_file(scratch_ / "spmv.csv"), "narration_id,verb_labels\nclip-1,\"[0, 1]\"\n");
}

TEST_F(Exports, PosteriorsHaveOneLinePerCandidateOfEachClipWithLabels) {
  const ExportReport report = export_posteriors(result_, scratch_ / "posteriors.csv");
  EXPECT_EQ(report.written, 1);
  const CsvTable table = read_csv(scratch_ / "posteriors.csv");
  EXPECT_EQ(table.header,
            (std::vector<std::string>{"clip", "verb", "posterior", "chosen", "answers", "label"}));
  ASSERT_EQ(table.rows.size(), 4U);
  const auto& peel = table.rows[0].fields;
  EXPECT_EQ(peel[0] + " " + peel[1], "clip-1 peel");
  EXPECT_EQ(peel[3] + " of " + peel[4], "1 of 2");
  EXPECT_EQ(peel[5], std::stod(peel[2]) >= 0.5 ? "1" : "0");
  EXPECT_EQ(table.rows[1].fields,
            (std::vector<std::string>{"clip-1", "cut", "1.000000", "2", "2", "1"}));
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
  EXPECT_EQ(read_file(scratch_ / "half.csv").substr(25, 21), "clip-1,\"[0, 1, 2, 3]\"");
  EXPECT_EQ(read_file(scratch_ / "model.csv"),
            "narration_id,verb_labels\nclip-1,[0]\nclip-2,[0]\nclip-3,[0]\n");
}

TEST_F(Exports, JsonLinesContainAllAnswersIncludingCorrectedOnes) {
  EXPECT_EQ(export_answers(result_, scratch_ / "answers.jsonl").written, 5);
  std::ifstream file(scratch_ / "answers.jsonl");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, R"({"annotator":1,"name":"Ann","excluded":false,"task":1,"item":"clip-1",)"
                  R"("labels":["cut","wash"],"confident":false,"nothing":false,"ms":800,)"
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

}  // namespace
}  // namespace manyverbs
