// SPDX-License-Identifier: MIT
#include "manyverbs/knn/neighbours.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "manyverbs/knn/internal/search.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

constexpr std::array<std::pair<Metric, std::string_view>, 2> kMetrics = {{
    {Metric::Euclidean, "euclidean"},
    {Metric::Cosine, "cosine"},
}};

// `most` is the maximum number of neighbours per clip.
void check(int k, std::size_t clips, std::size_t most) {
  if (k >= 1 && static_cast<std::size_t>(k) <= most) return;
  if (most == 0) {
    throw Error("not enough training clips for {} neighbours: found {}", k, clips);
  }
  throw Error("invalid number of neighbours {}; expected 1 to {} for {} training clips", k, most,
              clips);
}

}  // namespace

std::string_view metric_name(Metric metric) {
  for (const auto& [value, name] : kMetrics) {
    if (value == metric) return name;
  }
  return "";
}

Metric find_metric(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [metric, metric_name] : kMetrics) {
    if (metric_name == name) return metric;
    names.emplace_back(metric_name);
  }
  const std::string hint = did_you_mean(name, names);
  throw Error("unknown metric '{}'{}", name,
              hint.empty() ? "; valid values: euclidean, cosine" : hint);
}

Neighbours neighbours_within(const FeatureTable& table, std::span<const ClipRow> clips, int k,
                             Metric metric) {
  check(k, clips.size(), clips.empty() ? 0 : clips.size() - 1);
  return knn_internal::search_within(table, clips, k, metric).neighbours;
}

Neighbours neighbours_of(const FeatureTable& table, std::span<const ClipRow> queries,
                         std::span<const ClipRow> clips, int k, Metric metric) {
  check(k, clips.size(), clips.size());
  return knn_internal::search_of(table, queries, clips, k, metric).neighbours;
}

}  // namespace manyverbs
