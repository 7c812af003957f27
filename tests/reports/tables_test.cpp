// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/tables.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "manyverbs/reports/internal/table_cells.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/display.h"
#include "tests/reports/results.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

int widest(const std::string& text) {
  int width = 0;
  for (const std::string& line : lines_of(text)) width = std::max(width, display_width(line));
  return width;
}

TEST(Tables, ACellIsMeanAndDeviationInPercent) {
  EXPECT_EQ(cell_text(0.335, 0.002, true, " ± "), "33.5 ± 0.2");
  EXPECT_EQ(cell_text(0.335, 0.002, true, "±"), "33.5±0.2");
  EXPECT_EQ(cell_text(0.335, NAN, true, " ± "), "33.5");
  EXPECT_EQ(cell_text(NAN, NAN, true, " ± "), "-");
  EXPECT_EQ(cell_text(51.5, 0.25, false, " ± "), "51.50 ± 0.25");
}

// AN's values are x - 1 and x + 1 percent: deviation sqrt(2) percent. Mask is better by 30 and 28
// points: 29 ± 12.706 * 1. P+S has one run, so it has no interval.
TEST(Tables, TheTerminalShowsTheFiveMetricsAndThoseNotInThePaper) {
  EXPECT_EQ(table_text(small_comparison()),
            R"(          Top-set        Top-1          IOU           F1          mAP
AN     21.0 ± 1.4   20.0 ± 1.4   19.0 ± 1.4   18.0 ± 1.4   17.0 ± 1.4
---------------------------------------------------------------------
Mask   50.0 ± 0.0   49.0 ± 0.0   48.0 ± 0.0   47.0 ± 0.0   46.0 ± 0.0
P+S          40.0         39.0         38.0         37.0         36.0
in percent, mean ± standard deviation over 1 to 2 runs

Difference        Top-set          Top-1            IOU             F1            mAP
AN                    ref            ref            ref            ref            ref
-------------------------------------------------------------------------------------
Mask         +29.0 ± 12.7   +29.0 ± 12.7   +29.0 ± 12.7   +29.0 ± 12.7   +29.0 ± 12.7
P+S                 +20.0          +20.0          +20.0          +20.0          +20.0
± half of the 95 % interval, paired by seed, over runs
ref: the best row without pseudo-labels; --reference chooses another

Not in the paper   IOU at expected   F1 at expected   F1 at best*   Labels (true 2.35)
AN                      14.0 ± 1.4       13.0 ± 1.4    11.0 ± 1.4          1.50 ± 0.00
--------------------------------------------------------------------------------------
Mask                    43.0 ± 0.0       42.0 ± 0.0    40.0 ± 0.0          1.50 ± 0.00
P+S                           33.0             32.0          30.0                 1.50
expected: the threshold that gives the expected number of labels on the clips that select the epoch
(--expected-labels; default: the ground-truth mean of the test clips)
* upper bound: the best threshold on the test clips
)");
}

TEST(Tables, WhatIsNotSignificantlyWorseThanTheBestIsBoldInATerminal) {
  Results results = small_comparison();
  const std::string text = table_text(results, Emphasis::Ansi);
  EXPECT_NE(text.find("Mask   \x1b[1m50.0 ± 0.0\x1b[0m   "), std::string::npos) << text;
  EXPECT_NE(text.find("P+S          40.0   "), std::string::npos) << text;
  EXPECT_NE(text.find("AN     21.0 ± 1.4   20.0"), std::string::npos) << text;
  EXPECT_NE(text.find("\nbold: not significantly worse than the best (95 % interval of the paired "
                      "difference)\n"),
            std::string::npos)
      << text;
  // P+S is worse by 10 and 5 points: 7.5 ± 12.706 * 2.5.
  results.runs.push_back(run_of("p+s", 2, 0.45));
  const std::string both = table_text(results, Emphasis::Ansi);
  EXPECT_NE(both.find("Mask   \x1b[1m50.0 ± 0.0\x1b[0m   "), std::string::npos) << both;
  EXPECT_NE(both.find("P+S    \x1b[1m42.5 ± 3.5\x1b[0m   "), std::string::npos) << both;
}

TEST(Tables, TheReferenceCanBeGiven) {
  Results results = small_comparison();
  results.reference = "mask";
  const std::string text = table_text(results);
  EXPECT_NE(text.find("\nAN           -29.0 ± 12.7   "), std::string::npos) << text;
  EXPECT_NE(text.find("\nMask                  ref   "), std::string::npos) << text;
  EXPECT_EQ(text.find("ref: "), std::string::npos) << text;
}

TEST(Tables, WithoutARunOfTheReferenceThereAreNoDifferences) {
  Results results = small_comparison();
  results.reference = "p+s";
  results.runs[4].problem = "out of memory";
  const std::string text = table_text(results);
  EXPECT_NE(text.find("\nMask               -       -     -    -     -\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("ref"), std::string::npos) << text;
}

TEST(Tables, DifferencesSayWhatTheirIntervalsCover) {
  Results results = small_comparison();
  for (RunResult& run : results.runs) {
    run.clips = Matrix<float>(3, kTableMetrics.size(), 0.25F);
    run.clips(0, 0) = static_cast<float>(run.values[0]);
  }
  const auto covers = [&](const std::string& what) {
    return table_text(results).find("paired by seed, " + what + "\n") != std::string::npos;
  };
  results.runs.pop_back();
  EXPECT_TRUE(covers("over runs and test clips; mAP: over runs")) << table_text(results);
  results.runs = {results.runs[0], results.runs[2]};
  EXPECT_TRUE(covers("over test clips (one seed); mAP: no interval (one seed)"))
      << table_text(results);
}

TEST(Tables, OneRowHasNoDifferences) {
  Results results = small_comparison();
  results.rows.resize(1);
  results.runs.resize(2);
  EXPECT_EQ(table_text(results).find("Difference"), std::string::npos);
}

TEST(Tables, PublishedValuesAreBesideMeasuredOnes) {
  Results results = small_comparison();
  results.published = "epic";
  const std::string text = table_text(results);
  const std::vector<std::string> lines = lines_of(text);
  EXPECT_EQ(lines[0].find("Top-set") < lines[0].find("paper"), true);
  // F1 of P+S: 44.9 ± 0.3 in the paper, 37.0 here.
  EXPECT_NE(lines[4].find(" 37.0 44.9±0.3"), std::string::npos) << lines[4];
  EXPECT_NE(text.find("paper: the paper, EPIC-Kitchens-100-SPMV; its mAP is interpolated"),
            std::string::npos)
      << text;
  EXPECT_LE(widest(text), 110);
}

// P+S measured 36.0 step by step and 35.0 interpolated; the paper's 25.8 is interpolated.
TEST(Tables, BesideThePublishedMapIsTheInterpolatedOne) {
  Results results = small_comparison();
  results.published = "epic";
  const std::vector<std::string> lines = lines_of(table_text(results));
  EXPECT_TRUE(lines[0].ends_with(" mAP interp.    paper")) << lines[0];
  EXPECT_TRUE(lines[4].ends_with(" 35.0 25.8±0.8")) << lines[4];
  const CsvTable csv = parse_csv(table_csv(results), "table.csv");
  EXPECT_EQ(csv.rows[2].fields[csv.column("published_map_interpolated")], "0.258");
  EXPECT_EQ(csv.find_column("published_map"), -1);
  const Json published = table_json(results)["rows"][2]["published"];
  EXPECT_DOUBLE_EQ(published["map_interpolated"]["mean"], 0.258);
  EXPECT_FALSE(published.contains("map"));
  const std::string latex = table_latex(results);
  EXPECT_NE(latex.find("\\multicolumn{2}{c}{mAP interp.} \\\\"), std::string::npos) << latex;
  EXPECT_NE(latex.find(" & 35.0 & 25.8 $\\pm$ 0.8 \\\\"), std::string::npos) << latex;
}

TEST(Tables, ASweepIsOneGridPerLoss) {
  EXPECT_EQ(table_text(small_sweep()),
            R"(Mask, F1
tau \ K      5     10
0.1       30.0   31.0
0.2       28.0      -

in percent, at most one run each

3 of 4 runs are finished
)");
}

TEST(Tables, ValidationClipsChooseTheSettingsOfASweep) {
  Results results = small_sweep();
  for (RunResult& run : results.runs) run.validation_score = 0.4;
  results.runs[1].validation_score = 0.45;  // K 5, tau 0.2: the lowest F1 on test
  EXPECT_NE(table_text(results).find("\nbest on the validation clips: Mask K 5, tau 0.2\n"),
            std::string::npos)
      << table_text(results);
  EXPECT_EQ(table_json(results)["chosen"], Json::parse(R"(["mask-k5-tau0.2"])"));
  results.runs.push_back(results.runs[1]);
  results.runs.back().seed = 2;
  results.runs.back().validation_score = 0.34;  // mean 0.395
  EXPECT_EQ(table_json(results)["chosen"], Json::parse(R"(["mask-k5-tau0.1"])"));
}

TEST(Tables, NothingIsChosenIfTestClipsSelectedTheEpoch) {
  EXPECT_EQ(table_text(small_sweep()).find("validation clips"), std::string::npos);
  EXPECT_EQ(table_json(small_sweep())["chosen"], Json::array());
}

// Against 31.0, 30.0 is lower by 0 and 2 points on two clips, 28.0 by 3 points on both.
TEST(Tables, TheMapOfTheReleasedRecipeIsInterpolated) {
  Results results = small_comparison();
  EXPECT_EQ(table_text(results).find("mAP interp."), std::string::npos);
  results.recipe = Recipe::Released;
  const std::string text = table_text(results);
  EXPECT_NE(text.find("mAP interp."), std::string::npos) << text;
  EXPECT_NE(text.find("recipe: the released code of the paper\n"), std::string::npos) << text;
  EXPECT_NE(table_latex(results).find("mAP interp."), std::string::npos);
}

TEST(Tables, PublishedValuesAreBesideThoseOfASweep) {
  Results results = small_sweep();
  results.published = "epic";
  EXPECT_EQ(table_text(results), R"(Mask, F1
tau \ K      5 paper     10 paper
0.1       30.0  30.5   31.0  31.0
0.2       28.0  23.8      -  26.3

in percent, at most one run each
paper: the paper, EPIC-Kitchens-100-SPMV, one run each

3 of 4 runs are finished
)");
}

TEST(Tables, BestCellsOfASweepAreBold) {
  Results results = small_sweep();
  const std::size_t f1 = table_metric("f1");
  const auto set = [&](std::size_t run, float first, float second) {
    results.runs[run].clips = Matrix<float>(2, kTableMetrics.size());
    results.runs[run].clips(0, f1) = first;
    results.runs[run].clips(1, f1) = second;
  };
  set(0, 0.31F, 0.29F);
  set(1, 0.28F, 0.28F);
  set(2, 0.31F, 0.31F);
  const std::string text = table_text(results, Emphasis::Ansi);
  EXPECT_NE(text.find("\x1b[1m30.0\x1b[0m   \x1b[1m31.0\x1b[0m\n0.2       28.0 "),
            std::string::npos)
      << text;
  const std::string latex = table_latex(results);
  EXPECT_NE(latex.find("0.1 & \\textbf{30.0} & \\textbf{31.0} \\\\\n0.2 & 28.0 & - "),
            std::string::npos)
      << latex;
}

TEST(Tables, FailedRunsAreListedWithTheirError) {
  Results results = small_comparison();
  results.runs[4].problem = "the loss is not a number\nsecond line";
  const std::string text = table_text(results);
  EXPECT_NE(text.find("P+S             -            -"), std::string::npos) << text;
  EXPECT_NE(text.find("\n1 of 5 runs failed:\n  p+s-1: the loss is not a number second line\n"),
            std::string::npos)
      << text;
}

TEST(Tables, FailedRunsAreNotFinished) {
  Results results = small_comparison();
  results.runs[4].problem = "the loss is not a number";
  EXPECT_EQ(table_json(results)["planned"], 5);
  EXPECT_EQ(table_json(results)["done"], 4);
  EXPECT_EQ(table_text(results).find("runs are finished"), std::string::npos);
  results.planned = 7;
  EXPECT_NE(table_text(results).find("\n4 of 7 runs are finished\n"), std::string::npos);
}

TEST(Tables, WithoutRunsTheTableHasDashes) {
  Results results = small_comparison();
  results.runs.clear();
  const std::string text = table_text(results);
  EXPECT_NE(text.find("in percent, no run is finished yet\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0 of 5 runs are finished\n"), std::string::npos) << text;
  results.rows.clear();
  EXPECT_EQ(table_text(results), "\n0 of 5 runs are finished\n");
}

TEST(Tables, SpecialNamesDoNotBreakTextTables) {
  Results results = small_comparison();
  results.published = "epic";
  const std::size_t lines = lines_of(table_text(results)).size();
  results.rows[0].title = kHostile;
  results.runs[0].problem = kHostile;
  results.runs[0].name = kHostile;
  const std::string text = table_text(results);
  EXPECT_EQ(lines_of(text).size(), lines + 3);
  EXPECT_NE(text.find("…"), std::string::npos);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
  EXPECT_LE(widest(text), 220);
  const std::vector<std::string> all = lines_of(text);
  EXPECT_EQ(display_width(all[1]), display_width(all[3]));
  EXPECT_LE(display_width(all[1]), 110);
}

TEST(Tables, CsvHasFractionsAndIsReadBack) {
  Results results = small_comparison();
  results.rows[0].title = kHostile;
  results.published = "epic";
  const CsvTable table = parse_csv(table_csv(results), "table.csv");
  ASSERT_EQ(table.rows.size(), 3);
  const auto field = [&](int row, const char* name) {
    return table.rows[row].fields[table.column(name)];
  };
  EXPECT_EQ(field(0, "row"), "an");
  EXPECT_EQ(field(0, "title"), kHostile);
  EXPECT_EQ(field(0, "runs"), "2");
  EXPECT_NEAR(std::stod(field(0, "top_set")), 0.21, 1e-12);
  EXPECT_NEAR(std::stod(field(0, "top_set_deviation")), std::sqrt(0.0002), 1e-12);
  EXPECT_EQ(field(2, "runs"), "1");
  EXPECT_EQ(field(2, "f1_deviation"), "");
  EXPECT_EQ(field(2, "published_f1"), "0.449");
  EXPECT_EQ(field(2, "published_f1_deviation"), "0.003");
  EXPECT_EQ(table.header[4], "top_set");
  EXPECT_EQ(field(0, "top_set_best"), "0");
  EXPECT_EQ(field(1, "top_set_best"), "1");
  EXPECT_EQ(field(1, "predicted_labels_best"), "0");
}

TEST(Tables, CsvOfASweepHasKAndTau) {
  const CsvTable table = parse_csv(table_csv(small_sweep()), "table.csv");
  EXPECT_EQ(table.rows[2].fields[table.column("k")], "10");
  EXPECT_EQ(table.rows[2].fields[table.column("tau")], "0.1");
  EXPECT_EQ(table.rows[3].fields[table.column("f1")], "");
  EXPECT_EQ(table.find_column("published_f1"), -1);
}

TEST(Tables, CsvOfDifferencesHasALinePerRowAndMetric) {
  const CsvTable table = parse_csv(differences_csv(small_comparison()), "differences.csv");
  // Two rows besides the reference, all metrics except the number of labels.
  ASSERT_EQ(table.rows.size(), 2 * (kTableMetrics.size() - 1));
  const auto field = [&](std::size_t row, const char* name) {
    return table.rows[row].fields[table.column(name)];
  };
  EXPECT_EQ(field(0, "row"), "mask");
  EXPECT_EQ(field(0, "reference"), "an");
  EXPECT_EQ(field(0, "metric"), "top_set");
  EXPECT_EQ(field(0, "pairs"), "2");
  EXPECT_NEAR(std::stod(field(0, "difference")), 0.29, 1e-12);
  EXPECT_NEAR(std::stod(field(0, "low")), 0.29 - 0.12706205, 1e-8);
  EXPECT_NEAR(std::stod(field(0, "high")), 0.29 + 0.12706205, 1e-8);
  EXPECT_EQ(field(0, "over_runs"), "1");
  EXPECT_EQ(field(0, "over_clips"), "0");
  EXPECT_EQ(field(10, "row"), "p+s");
  EXPECT_EQ(field(10, "low"), "");
}

TEST(Tables, CsvOfRunsLeavesFailedOnesEmpty) {
  Results results = small_comparison();
  results.runs[1].problem = kHostile;
  results.runs[0].values[table_metric("map")] = NAN;
  const CsvTable table = parse_csv(runs_csv(results), "runs.csv");
  ASSERT_EQ(table.rows.size(), 5);
  const auto field = [&](int row, const char* name) {
    return table.rows[row].fields[table.column(name)];
  };
  EXPECT_EQ(field(0, "run"), "an-1");
  EXPECT_EQ(field(0, "dataset"), "/data/kitchen");
  EXPECT_EQ(field(0, "seconds"), "2.5");
  EXPECT_EQ(field(0, "map"), "");
  EXPECT_EQ(field(0, "validation_score"), "");
  EXPECT_EQ(field(1, "problem"), kHostile);
  EXPECT_EQ(field(1, "top_set"), "");
  EXPECT_EQ(field(1, "best_epoch"), "");
}

TEST(Tables, JsonHasEveryRowAndFailure) {
  Results results = small_comparison();
  results.runs[1].problem = "out of memory";
  results.published = "epic";
  const Json json = table_json(results);
  EXPECT_EQ(json["kind"], "compare");
  EXPECT_EQ(json["folder"], "tables/first");
  EXPECT_EQ(json["planned"], 5);
  const Json& an = json["rows"][0];
  EXPECT_EQ(an["metrics"]["f1"]["runs"], 1);
  EXPECT_TRUE(an["metrics"]["f1"]["deviation"].is_null());
  EXPECT_EQ(an["metrics"]["f1"]["rank"], 3);
  EXPECT_TRUE(an["metrics"]["predicted_labels"]["rank"].is_null());
  EXPECT_TRUE(an["metrics"]["f1"]["difference"].is_null()) << "it is the reference";
  EXPECT_FALSE(an["metrics"]["f1"]["best"]);
  const Json mask = json["rows"][1]["metrics"]["f1"]["difference"];
  EXPECT_EQ(mask["reference"], "an");
  EXPECT_NEAR(mask["mean"], 0.3, 1e-12);
  EXPECT_TRUE(mask["low"].is_null()) << "one pair is left";
  EXPECT_EQ(mask["pairs"], 1);
  EXPECT_EQ(json["rows"][2]["published"]["f1"]["mean"], 0.449);
  EXPECT_EQ(json["failed"], Json::parse(R"([{"run": "an-2", "row": "an", "seed": 2,
                                              "problem": "out of memory"}])"));
  EXPECT_FALSE(an.contains("k"));
  EXPECT_EQ(table_json(small_sweep())["rows"][0]["k"], 5);
}

TEST(Tables, AreWrittenIntoTheFolderOfTheExperiment) {
  const ScratchFolder scratch;
  Results results = small_comparison();
  results.folder = scratch.path();
  write_tables(results);
  EXPECT_EQ(scratch.names(),
            (std::vector<std::string>{"differences.csv", "runs.csv", "table.csv", "table.tex"}));
}

}  // namespace
}  // namespace manyverbs
