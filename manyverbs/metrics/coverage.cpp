// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/coverage.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>

#include "manyverbs/metrics/internal/shares.h"
#include "manyverbs/metrics/internal/undefined.h"
#include "manyverbs/metrics/metrics.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

using metrics_internal::kUndefined;
using metrics_internal::shares;

// ceil((clips + 1) coverage), where 10 x 0.7 is 7 although 0.7 is not exact.
std::size_t required_labels(std::size_t clips, double coverage) {
  return static_cast<std::size_t>(std::ceil(static_cast<double>(clips + 1) * coverage - 1e-9));
}

std::size_t required_clips(double coverage) {
  auto clips = static_cast<std::size_t>(coverage / (1 - coverage));
  while (required_labels(clips, coverage) > clips) ++clips;
  return clips;
}

}  // namespace

CoverageRule coverage_rule(const Matrix<float>& probabilities, std::span<const ClassId> labels,
                           double coverage) {
  assert(probabilities.rows() == labels.size());
  if (!(coverage > 0 && coverage < 1)) {
    throw Error("invalid coverage {}; expected a number above 0 and below 1", coverage);
  }
  const std::size_t k = required_labels(labels.size(), coverage);
  if (k > labels.size()) {
    throw Error("a coverage of {} requires {} or more validation clips, found {}", coverage,
                required_clips(coverage), labels.size());
  }
  require_finite(probabilities);
  std::vector<double> label_shares;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    label_shares.push_back(shares(probabilities.row(i))[labels[i]]);
  }
  const auto place = label_shares.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(label_shares.begin(), place, label_shares.end(), std::greater<>());
  return {coverage, *place, static_cast<int>(labels.size())};
}

std::vector<ClassId> covering_set(std::span<const float> probabilities, const CoverageRule& rule) {
  const std::vector<double> share = shares(probabilities);
  std::vector<ClassId> order(share.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](ClassId a, ClassId b) { return share[a] > share[b]; });
  const auto end = std::find_if(order.begin() + 1, order.end(),
                                [&](ClassId c) { return share[c] < rule.least_share; });
  order.erase(end, order.end());
  return order;
}

MeasuredCoverage measured_coverage(const Matrix<float>& probabilities,
                                   std::span<const std::vector<ClassId>> labels,
                                   const CoverageRule& rule) {
  assert(probabilities.rows() == labels.size());
  require_finite(probabilities);
  MeasuredCoverage measured{rule, 0, 0, 0};
  int labelled = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::vector<ClassId> set = covering_set(probabilities.row(i), rule);
    measured.labels_per_set += static_cast<double>(set.size());
    if (labels[i].size() > 1) ++measured.clips_with_several;
    if (labels[i].empty()) continue;
    ++labelled;
    const auto hits = std::count_if(labels[i].begin(), labels[i].end(), [&](ClassId label) {
      return std::find(set.begin(), set.end(), label) != set.end();
    });
    measured.covered += static_cast<double>(hits) / static_cast<double>(labels[i].size());
  }
  measured.covered = labelled == 0 ? kUndefined : measured.covered / labelled;
  measured.labels_per_set =
      labels.empty() ? kUndefined : measured.labels_per_set / static_cast<double>(labels.size());
  return measured;
}

}  // namespace manyverbs
