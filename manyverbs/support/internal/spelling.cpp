// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/spelling.h"

#include <algorithm>
#include <cctype>
#include <utility>

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

namespace {

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Whether a word contains all letters of another in order.
bool is_within(std::string_view word, std::string_view other) {
  std::size_t found = 0;
  for (const char c : other) {
    if (found < word.size() && c == word[found]) ++found;
  }
  return found == word.size();
}

}  // namespace

std::string nearest_spelling(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string meant = lower(word);
  std::pair nearest(std::max<int>(1, static_cast<int>(word.size()) / 3) + 1, false);
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::string other = lower(candidate);
    const std::pair distance(edit_distance(meant, other), !is_within(meant, other));
    if (distance < nearest) {
      nearest = distance;
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
  return hint.empty() ? fmt::format("; valid values: {}", fmt::join(candidates, ", ")) : hint;
}

}  // namespace manyverbs
