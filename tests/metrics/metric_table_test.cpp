// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/metric_table.h"

#include <cmath>
#include <set>

#include "tests/scratch.h"

namespace manyverbs {
namespace {

TEST(MetricTable, EveryMetricHasAKeyOfItsOwnATitleAndAMeaning) {
  std::set<std::string_view> keys;
  for (const TableMetric& metric : kTableMetrics) {
    EXPECT_TRUE(keys.insert(metric.key).second) << metric.key;
    EXPECT_FALSE(metric.title.empty()) << metric.key;
    EXPECT_FALSE(metric.meaning.empty() || metric.meaning.ends_with('.')) << metric.key;
  }
}

TEST(MetricTable, AValueStandsAtThePlaceOfItsMetric) {
  Evaluation evaluation{};
  evaluation.top_set = 0.1;
  evaluation.top1 = 0.2;
  evaluation.map = 0.3;
  evaluation.map_interpolated = 0.4;
  evaluation.fixed = {0.5, 0.6, 0.7, 1.8};
  evaluation.expected = {0.25, 0.65, 0.75, 2};
  evaluation.best.iou.iou = 0.85;
  evaluation.best.f1.f1 = 0.95;
  const TableValues values = table_values(evaluation);
  const auto value = [&](const char* key) { return values[table_metric(key)]; };
  EXPECT_EQ(value("top_set"), 0.1);
  EXPECT_EQ(value("top1"), 0.2);
  EXPECT_EQ(value("iou"), 0.6);
  EXPECT_EQ(value("f1"), 0.7);
  EXPECT_EQ(value("map"), 0.3);
  EXPECT_EQ(value("map_interpolated"), 0.4);
  EXPECT_EQ(value("predicted_labels"), 1.8);
  EXPECT_EQ(value("expected_iou"), 0.65);
  EXPECT_EQ(value("expected_f1"), 0.75);
  EXPECT_EQ(value("best_iou"), 0.85);
  EXPECT_EQ(value("best_f1"), 0.95);
}

TEST(MetricTable, AValueOfAClipStandsAtThePlaceOfItsMetric) {
  Evaluation evaluation{};
  evaluation.per_clip = {{.1, 1, .2, .3, .4, .5, .6, .7}, {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}};
  const Matrix<float> values = clip_table_values(evaluation);
  ASSERT_EQ(values.rows(), 2);
  const auto value = [&](const char* key) { return values(0, table_metric(key)); };
  EXPECT_EQ(value("top_set"), .1F);
  EXPECT_EQ(value("top1"), 1.F);
  EXPECT_EQ(value("iou"), .2F);
  EXPECT_EQ(value("f1"), .3F);
  EXPECT_EQ(value("expected_iou"), .4F);
  EXPECT_EQ(value("expected_f1"), .5F);
  EXPECT_EQ(value("best_iou"), .6F);
  EXPECT_EQ(value("best_f1"), .7F);
  EXPECT_TRUE(std::isnan(value("map"))) << "is not a mean over clips";
  EXPECT_TRUE(std::isnan(values(1, table_metric("f1"))));
}

TEST(MetricTable, AnUnknownOneIsAnErrorWithTheNearest) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [] { table_metric("top_sett"); }),
            "unknown metric 'top_sett', did you mean 'top_set'?");
}

}  // namespace
}  // namespace manyverbs
