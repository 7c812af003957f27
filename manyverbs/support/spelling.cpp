// SPDX-License-Identifier: MIT
#include "manyverbs/support/spelling.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "manyverbs/support/matrix.h"

namespace manyverbs {

int edit_distance(std::string_view a, std::string_view b) {
  Matrix<int> cost(a.size() + 1, b.size() + 1);
  for (std::size_t i = 0; i <= a.size(); ++i) cost(i, 0) = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) cost(0, j) = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = cost(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost(i, j) = std::min({cost(i - 1, j) + 1, cost(i, j - 1) + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost(i, j) = std::min(cost(i, j), cost(i - 2, j - 2) + 1);
      }
    }
  }
  return cost(a.size(), b.size());
}

std::string nearest_spelling(std::string_view word, const std::vector<std::string>& candidates) {
  int best_distance = std::max<int>(1, static_cast<int>(word.size()) / 3) + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_spelling(word, candidates);
  return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
}

std::string did_you_mean_or_list(std::string_view word,
                                 const std::vector<std::string>& candidates) {
  const std::string hint = did_you_mean(word, candidates);
  return hint.empty() ? fmt::format(", right are: {}", fmt::join(candidates, ", ")) : hint;
}

}  // namespace manyverbs
