// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/table_metrics.h"

#include <algorithm>
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
    throw Error("no metric '{}'{}", key, did_you_mean_or_list(key, keys));
  }
  return static_cast<std::size_t>(found - kTableMetrics.begin());
}

TableValues table_values(const Evaluation& e) {
  return {e.top_set,
          e.top1,
          e.fixed.iou,
          e.fixed.f1,
          e.map,
          e.map_interpolated,
          e.fixed.predicted_labels,
          e.expected.iou,
          e.expected.f1,
          e.best.iou.iou,
          e.best.f1.f1};
}

}  // namespace manyverbs
