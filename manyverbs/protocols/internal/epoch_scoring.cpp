// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/epoch_scoring.h"

#include <utility>

#include "manyverbs/metrics/internal/metric_table.h"

namespace manyverbs {

EpochScorer epoch_scorer(const LabelMatrix& truth, bool is_test, const RunSettings& settings) {
  if (!is_test && settings.protocol == Protocol::Paper) {
    return {{"top1"}, [&truth](const Matrix<float>& probabilities) {
              return std::vector<double>{top1_accuracy(probabilities, truth)};
            }};
  }
  if (!is_test && has_several_labels(truth)) {
    return {{"best_f1", "reciprocal_rank"}, [&truth](const Matrix<float>& probabilities) {
              return std::vector<double>{best_thresholds(probabilities, truth).f1.f1,
                                         reciprocal_rank(probabilities, truth)};
            }};
  }
  if (!is_test) {
    return {{"reciprocal_rank", "top1"}, [&truth](const Matrix<float>& probabilities) {
              return std::vector<double>{reciprocal_rank(probabilities, truth),
                                         top1_accuracy(probabilities, truth)};
            }};
  }
  const bool released = settings.recipe == Recipe::Released;
  const bool on_clips = settings.kind == RunKind::Clips;
  const std::size_t selector = table_metric(!released ? "top1" : on_clips ? "top_set" : "iou");
  std::vector<std::string> names;
  for (const TableMetric& metric : kTableMetrics) names.emplace_back(metric.key);
  std::swap(names[0], names[selector]);
  return {names,
          [&truth, selector, released](const Matrix<float>& probabilities) {
            const TableValues measured =
                table_values(evaluate(probabilities, truth, {}, {.at_least = released}));
            std::vector<double> values(measured.begin(), measured.end());
            std::swap(values[0], values[selector]);
            return values;
          },
          /*on_test=*/true};
}

}  // namespace manyverbs
