// SPDX-License-Identifier: MIT
#pragma once

#include <numeric>
#include <span>
#include <vector>

namespace manyverbs::metrics_internal {

/// Each number divided by their sum; equal shares if all are 0. {.8, .4, .4}: {.5, .25, .25}.
template <typename T>
std::vector<double> shares(std::span<const T> numbers) {
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  std::vector<double> shares(numbers.size(), 1.0 / static_cast<double>(numbers.size()));
  if (sum == 0) return shares;
  for (std::size_t c = 0; c < shares.size(); ++c) shares[c] = numbers[c] / sum;
  return shares;
}

}  // namespace manyverbs::metrics_internal
