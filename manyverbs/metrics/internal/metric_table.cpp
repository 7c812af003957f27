// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/metric_table.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {

std::size_t table_metric(std::string_view key) {
  const auto found = std::find_if(kTableMetrics.begin(), kTableMetrics.end(),
                                  [&](const TableMetric& metric) { return metric.key == key; });
  if (found == kTableMetrics.end()) {
    std::vector<std::string> keys;
    for (const TableMetric& metric : kTableMetrics) keys.emplace_back(metric.key);
    throw Error("unknown metric '{}'{}", key, did_you_mean_or_list(key, keys));
  }
  return static_cast<std::size_t>(found - kTableMetrics.begin());
}

TableValues table_values(const Evaluation& evaluation) {
  TableValues values;
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    values[m] = kTableMetrics[m].value(evaluation);
  }
  return values;
}

Matrix<float> clip_table_values(const Evaluation& evaluation) {
  Matrix<float> values(evaluation.per_clip.size(), kTableMetrics.size(), NAN);
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
      const auto of_clip = kTableMetrics[m].of_clip;
      if (of_clip != nullptr) values(i, m) = static_cast<float>(evaluation.per_clip[i].*of_clip);
    }
  }
  return values;
}

}  // namespace manyverbs
