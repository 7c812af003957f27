// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/ranking_text.h"

#include <cmath>

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

Ranking small_ranking() {
  Ranking ranking;
  ranking.datasets = 3;
  ranking.critical_difference = 1.913;
  ranking.p.fill(0.0494);
  ranking.p[table_metric("map")] = NAN;
  ranking.p[table_metric("f1")] = 0.0001;
  ranking.left_out = {"EM"};
  for (const auto& [title, rank] : {std::pair("AN", 3.25), std::pair("Mask", 4.0 / 3)}) {
    Ranking::Row row;
    row.row.key = row.row.title = title;
    row.mean_ranks.fill(rank);
    row.mean_ranks[table_metric("map")] = NAN;
    ranking.rows.push_back(row);
  }
  return ranking;
}

TEST(RankingText, HasMeanRanksTheTestAndTheCriticalDifference) {
  EXPECT_EQ(ranking_text(small_ranking()),
            R"(       Top-set   Top-1     IOU       F1   mAP
AN        3.25    3.25    3.25     3.25     -
Mask      1.33    1.33    1.33     1.33     -
---------------------------------------------
p        0.049   0.049   0.049   <0.001     -
mean rank over 3 data sets, 1 is best
p: probability of such ranks if all rows are equal (Friedman, Iman and Davenport)
critical difference: 1.91 (Nemenyi, 5 %)
left out: EM, which has no run in some experiment
)");
}

TEST(RankingText, RanksNearTheBestAreBoldInATerminal) {
  Ranking ranking = small_ranking();
  const std::string text = ranking_text(ranking, Emphasis::Ansi);
  EXPECT_NE(text.find("AN        3.25    3.25"), std::string::npos) << text;
  EXPECT_NE(text.find("Mask      \x1b[1m1.33\x1b[0m"), std::string::npos) << text;
  EXPECT_NE(text.find("bold: at most the critical difference from the best\n"), std::string::npos);
  ranking.critical_difference = 2;
  EXPECT_NE(ranking_text(ranking, Emphasis::Ansi).find("AN        \x1b[1m3.25"), std::string::npos);
}

TEST(RankingText, JsonHasEveryRankedMetric) {
  const Json json = ranking_json(small_ranking());
  EXPECT_EQ(json["datasets"], 3);
  EXPECT_EQ(json["rows"][0]["key"], "AN");
  EXPECT_EQ(json["rows"][0]["mean_ranks"]["best_f1"], 3.25);
  EXPECT_TRUE(json["rows"][0]["mean_ranks"]["map"].is_null());
  EXPECT_FALSE(json["p"].contains("predicted_labels"));
  EXPECT_EQ(json["critical_difference"], 1.913);
  EXPECT_EQ(json["left_out"], Json::array({"EM"}));
}

}  // namespace
}  // namespace manyverbs
