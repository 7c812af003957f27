// SPDX-License-Identifier: MIT
#include "manyverbs/reports/report.h"

#include <algorithm>
#include <set>

#include "manyverbs/labels/internal/pseudo_label_file.h"
#include "manyverbs/reports/internal/pseudo_label_charts.h"
#include "manyverbs/reports/internal/report_data.h"
#include "manyverbs/reports/internal/report_page.h"
#include "manyverbs/support/internal/files.h"
#include "tests/one_thread.h"
#include "tests/protocols/kitchen.h"
#include "tests/reports/results.h"
#include "web/pages.h"

namespace manyverbs {
namespace {

std::set<std::string> keys_of(const Json& json) {
  std::set<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.insert(key);
  return keys;
}
using Keys = std::set<std::string>;

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t times = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++times;
  }
  return times;
}

// A finished comparison of AN and P+S on a small kitchen, two seeds each.
class Reports : public testing::Test {
 protected:
  void SetUp() override { compare({"an", "p+s"}, "compare"); }

  ExperimentSettings settings() const {
    ExperimentSettings settings;
    settings.datasets = {scratch_ / "kitchen"};
    settings.seeds = 2;
    settings.run = quick_run("an");
    settings.run.learning_rate = 1e-2;
    settings.run.epochs = 6;
    return settings;
  }
  void compare(const std::vector<std::string>& losses, const std::string& folder) const {
    run_experiment(plan_compare(settings(), losses), scratch_ / folder, 1);
  }
  Results results() const { return read_results(scratch_ / "compare"); }
  ReportData data() const { return report_data({results()}, {}, scratch_.path()); }

  ScratchFolder scratch_;
  Dataset kitchen_ = write_kitchen(scratch_ / "kitchen");
};

TEST_F(Reports, HaveTheKeysThatThePageReads) {
  const Json report = data().json;
  EXPECT_EQ(keys_of(report), (Keys{"format", "title", "program", "datasets", "experiments"}));
  const Json& dataset = report["datasets"][0];
  EXPECT_EQ(keys_of(dataset),
            (Keys{"name", "selection", "clips", "classes", "single", "multi", "labels_per_clip",
                  "cooccurrence", "relabelled", "pseudo_labels"}));
  EXPECT_EQ(keys_of(dataset["cooccurrence"]), (Keys{"order", "rows", "left_out"}));
  const Json& pseudo = dataset["pseudo_labels"].at(0);
  EXPECT_EQ(keys_of(pseudo),
            (Keys{"name", "k", "tau", "space", "metric", "precision", "recall", "clips"}));
  const Json& clip = pseudo["clips"].at(0);
  EXPECT_EQ(keys_of(clip), (Keys{"clip", "label", "truth", "votes", "neighbours"}));
  EXPECT_EQ(keys_of(clip["votes"].at(0)), (Keys{"class", "votes", "share", "suggested"}));
  EXPECT_EQ(keys_of(clip["neighbours"].at(0)), (Keys{"clip", "label", "distance"}));
  const Json& experiment = report["experiments"][0];
  EXPECT_EQ(keys_of(experiment),
            (Keys{"kind", "from", "name", "command", "datasets", "true_labels", "metrics", "rows",
                  "runs", "published_source", "chosen_on_test", "grid", "thresholds", "examples"}));
  EXPECT_EQ(keys_of(experiment["metrics"].at(0)), (Keys{"key", "title", "percent", "meaning"}));
  EXPECT_EQ(keys_of(experiment["rows"].at(0)),
            (Keys{"key", "title", "loss", "pseudo_labelled", "cells", "published"}));
  EXPECT_EQ(keys_of(experiment["rows"][0]["cells"]["f1"]),
            (Keys{"mean", "deviation", "runs", "rank", "best"}));
  EXPECT_EQ(keys_of(experiment["runs"].at(0)), (Keys{"name", "row", "dataset", "seed", "problem",
                                                     "seconds", "best_epoch", "values", "curve"}));
  EXPECT_EQ(keys_of(experiment["runs"][0]["curve"]),
            (Keys{"epoch", "train_loss", "validation_loss", "selection_metric", "score"}));
  EXPECT_EQ(keys_of(experiment["thresholds"].at(0)),
            (Keys{"row", "threshold", "iou", "f1", "labels"}));
  const Json& example = experiment["examples"].at(0);
  EXPECT_EQ(keys_of(example), (Keys{"clip", "truth", "predictions"}));
  EXPECT_EQ(keys_of(example["predictions"].at(0)),
            (Keys{"row", "match", "labels", "more", "missed"}));
}

TEST_F(Reports, ThresholdCurvesAreTheMeanOverRuns) {
  const Results measured = results();
  const Json curves = data().json["experiments"][0]["thresholds"];
  ASSERT_EQ(curves.size(), 2);
  EXPECT_EQ(curves[1]["row"], "p+s");
  EXPECT_EQ(curves[1]["threshold"][30], 0.5);
  const TableRow row = table_of(measured)[1];
  EXPECT_NEAR(curves[1]["iou"][30], row.cells[table_metric("iou")].mean, 1e-5);
  EXPECT_NEAR(curves[1]["f1"][30], row.cells[table_metric("f1")].mean, 1e-5);
  EXPECT_NEAR(curves[1]["labels"][30], row.cells[table_metric("predicted_labels")].mean, 1e-3);
  EXPECT_EQ(curves[1]["labels"][0], kitchen_.classes.size());
  EXPECT_EQ(curves[1]["labels"][60], 0);
}

TEST_F(Reports, ExamplesAreTestClipsOfManyClassesWithAllRows) {
  const Json examples = data().json["experiments"][0]["examples"];
  ASSERT_EQ(examples.size(), 12);
  std::set<std::string> classes;
  std::set<std::string> clips;
  for (const Json& example : examples) {
    clips.insert(example["clip"]);
    for (const Json& name : example["truth"]) classes.insert(name.get<std::string>());
    ASSERT_EQ(example["predictions"].size(), 2);
    EXPECT_EQ(example["predictions"][0]["row"], "an");
    for (const Json& prediction : example["predictions"]) {
      std::size_t correct = 0;
      for (const Json& label : prediction["labels"]) correct += label["correct"] ? 1 : 0;
      if (prediction["more"] == 0) {
        EXPECT_EQ(correct + prediction["missed"].size(), example["truth"].size());
      }
    }
  }
  EXPECT_EQ(clips.size(), 12);
  EXPECT_GE(classes.size(), 12);
}

TEST_F(Reports, NeighboursAreThoseThatVoted) {
  const Json pseudo = data().json["datasets"][0]["pseudo_labels"];
  ASSERT_EQ(pseudo.size(), 1);
  ASSERT_EQ(pseudo[0]["clips"].size(), 6);
  for (const Json& clip : pseudo[0]["clips"]) {
    std::map<std::string, int> counted;
    for (const Json& neighbour : clip["neighbours"]) ++counted[neighbour["label"]];
    std::map<std::string, int> votes;
    bool suggested = false;
    for (const Json& vote : clip["votes"]) {
      votes[vote["class"]] = vote["votes"];
      suggested = suggested || vote["suggested"];
      EXPECT_NEAR(vote["share"], vote["votes"].get<double>() / 15, 1e-4);
    }
    EXPECT_EQ(counted, votes);
    EXPECT_EQ(clip["neighbours"].size(), 15);
    EXPECT_TRUE(suggested);
  }
}

TEST_F(Reports, NeighboursThatDidNotVoteAreLeftOut) {
  const std::filesystem::path file = scratch_ / "kitchen/neighbours/features-euclidean.npy";
  write_array(file, Matrix<std::int32_t>(kitchen_.clips.size(), 15));
  const Json pseudo = data().json["datasets"][0]["pseudo_labels"];
  EXPECT_TRUE(pseudo[0]["clips"][0]["neighbours"].empty());
  EXPECT_FALSE(pseudo[0]["clips"][0]["votes"].empty());
}

TEST_F(Reports, ExperimentsOnTheSameDataShareIt) {
  ExperimentSettings again = settings();
  again.seeds = 1;
  run_experiment(plan_sweep(again, {"mask"}, {3, 5}, {0.1, 0.3}), scratch_ / "sweep", 1);
  const Json report =
      report_data({results(), read_results(scratch_ / "sweep")}, {}, scratch_.path()).json;
  EXPECT_EQ(report["title"], "compare, sweep");
  ASSERT_EQ(report["datasets"].size(), 1);
  EXPECT_EQ(report["datasets"][0]["pseudo_labels"].size(), 2);
  const Json& sweep = report["experiments"][1];
  EXPECT_EQ(sweep["datasets"], Json::parse("[0]"));
  EXPECT_EQ(sweep["grid"], Json::parse(R"({"ks": [3, 5], "taus": [0.1, 0.3]})"));
  EXPECT_EQ(sweep["rows"][0]["k"], 3);
  EXPECT_TRUE(sweep["thresholds"].empty());
  EXPECT_TRUE(report["experiments"][0]["grid"].is_null());
}

TEST_F(Reports, LeaveOutPartsOfAMissingDataSet) {
  std::filesystem::rename(scratch_ / "kitchen", scratch_ / "moved");
  const ReportData report = data();
  ASSERT_EQ(report.remarks.size(), 1);
  EXPECT_NE(report.remarks[0].find("left out everything that needs the data set: "),
            std::string::npos);
  EXPECT_EQ(report.json["datasets"][0]["name"], "kitchen");
  EXPECT_TRUE(report.json["datasets"][0]["classes"].empty());
  const Json& experiment = report.json["experiments"][0];
  EXPECT_EQ(experiment["rows"].size(), 2);
  EXPECT_TRUE(experiment["thresholds"].empty());
  EXPECT_TRUE(experiment["examples"].empty());
  EXPECT_FALSE(experiment["runs"][0]["curve"].is_null());
}

TEST_F(Reports, LeaveOutMissingRuns) {
  std::filesystem::remove_all(scratch_ / "compare/runs/p+s-1");
  std::filesystem::remove_all(scratch_ / "compare/runs/an-1");
  std::filesystem::remove_all(scratch_ / "compare/runs/an-2");
  const ReportData report = data();
  ASSERT_EQ(report.remarks.size(), 1);
  EXPECT_NE(report.remarks[0].find("left out 3 of 4 runs from threshold curves and examples"),
            std::string::npos)
      << report.remarks[0];
  const Json& experiment = report.json["experiments"][0];
  ASSERT_EQ(experiment["thresholds"].size(), 1);
  EXPECT_EQ(experiment["thresholds"][0]["row"], "p+s");
  EXPECT_EQ(experiment["examples"][0]["predictions"].size(), 1);
  EXPECT_TRUE(experiment["runs"][0]["curve"].is_null());
}

TEST_F(Reports, LeaveOutARunWithADamagedRecord) {
  scratch_.write("compare/runs/p+s-1/run.json", "{");
  const ReportData report = data();
  ASSERT_EQ(report.remarks.size(), 2);
  EXPECT_TRUE(report.remarks[0].starts_with("left out pseudo-labels: ")) << report.remarks[0];
  EXPECT_TRUE(report.remarks[0].ends_with("p+s-1/run.json: is not valid JSON: error at byte 2"));
  EXPECT_EQ(report.json["experiments"][0]["runs"].size(), 4);
  EXPECT_EQ(report.json["datasets"][0]["pseudo_labels"].size(), 1);
}

TEST_F(Reports, AreOnePageWithTheDataInIt) {
  const WrittenReport report =
      write_report({scratch_ / "compare"}, scratch_ / "report.html", {.title = kHostile});
  const std::string page = read_file(scratch_ / "report.html");
  EXPECT_EQ(page.size(), report.bytes);
  EXPECT_LT(page.size(), 5'000'000);
  EXPECT_EQ(page.find("REPORT_DATA"), std::string::npos);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(count(page, "</script>"), count(std::string(kReportPage), "</script>"));
  EXPECT_EQ(error_of(scratch_, [&] { write_report({scratch_ / "kitchen"}, scratch_ / "x", {}); })
                .substr(0, 8),
            "kitchen:");
}

TEST(ReportPage, DataCannotEndTheScriptElement) {
  EXPECT_EQ(script_json({{"a", "</script>"}}), R"({"a":"\u003c/script>"})");
  EXPECT_EQ(script_json({{"a", "x\u2028y\u2029"}}), R"({"a":"x\u2028y\u2029"})");
  EXPECT_EQ(script_json({{"a", "\xff"}}), "{\"a\":\"\uFFFD\"}");
  EXPECT_EQ(filled_page("<p>REPORT_DATA</p>", {{"a", "<REPORT_DATA"}}),
            R"(<p>{"a":"\u003cREPORT_DATA"}</p>)");
  const Json hostile = {{"a", kHostile.substr(0, kHostile.find('\xff'))}};
  EXPECT_EQ(Json::parse(script_json(hostile)), hostile);
}

// Everything that comes from users' files, in one report.
TEST(ReportPage, SpecialNamesAreWrittenUnchanged) {
  const ScratchFolder scratch;
  SyntheticSettings few;
  few.train = 200;
  few.val = 40;
  few.test = 60;
  Dataset dataset = write_kitchen(scratch / "kitchen", few);
  std::vector<std::string> names = dataset.classes.names();
  const std::string hostile = "</script>, \"x\" &_%$ 切る" + std::string(300, 'y');
  names[0] = hostile;
  dataset.classes = Vocabulary(names);
  for (Clip& clip : dataset.clips) clip.name = "<b>\"" + clip.name;
  write_dataset(scratch / "kitchen", dataset);
  ExperimentSettings settings;
  settings.datasets = {scratch / "kitchen"};
  settings.seeds = 1;
  settings.run = quick_run("an");
  run_experiment(plan_compare(settings, {"mask"}), scratch / "<i>", 1);
  const Json report = report_data({read_results(scratch / "<i>")}, {}, scratch.path()).json;
  const std::string shown = report["datasets"][0]["classes"][0];
  EXPECT_EQ(shown.substr(0, 20), hostile.substr(0, 20));
  EXPECT_TRUE(shown.ends_with("…"));
  EXPECT_EQ(report["experiments"][0]["name"], "<i>");
  EXPECT_EQ(script_json(report).find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(script_json(report)), report);
}

}  // namespace
}  // namespace manyverbs
