// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/co_occurrence.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

namespace manyverbs {
namespace {

// The clusters during merging: their rows, and the summed similarity between any two clusters.
class Clusters {
 public:
  explicit Clusters(const Matrix<double>& similarity) : similarity_(similarity), sums_(similarity) {
    members_.resize(similarity.rows());
    for (std::size_t i = 0; i < members_.size(); ++i) members_[i] = {static_cast<int>(i)};
  }

  std::vector<int> joined() {
    for (std::size_t left = members_.size(); left > 1; --left) join_most_alike();
    return members_.empty() ? std::vector<int>() : members_.front();
  }

 private:
  double average(std::size_t a, std::size_t b) const {
    return sums_(a, b) / static_cast<double>(members_[a].size() * members_[b].size());
  }

  // Merges the later cluster into the earlier one.
  void join_most_alike() {
    std::pair<std::size_t, std::size_t> best{0, 0};
    double highest = -1;
    for (std::size_t a = 0; a < members_.size(); ++a) {
      if (members_[a].empty()) continue;
      for (std::size_t b = a + 1; b < members_.size(); ++b) {
        if (members_[b].empty() || average(a, b) <= highest) continue;
        highest = average(a, b);
        best = {a, b};
      }
    }
    const auto [a, b] = best;
    members_[a] = concatenated(std::move(members_[a]), std::exchange(members_[b], {}));
    for (std::size_t c = 0; c < members_.size(); ++c) {
      sums_(a, c) += sums_(b, c);
      sums_(c, a) = sums_(a, c);
    }
  }

  // Of the four ways to concatenate two lists, takes the one with the most similar inner ends.
  std::vector<int> concatenated(std::vector<int> a, std::vector<int> b) const {
    const std::array<double, 4> meeting = {
        similarity_(a.back(), b.front()), similarity_(a.back(), b.back()),
        similarity_(a.front(), b.front()), similarity_(a.front(), b.back())};
    const auto way = std::max_element(meeting.begin(), meeting.end()) - meeting.begin();
    if (way == 2 || way == 3) std::reverse(a.begin(), a.end());
    if (way == 1 || way == 3) std::reverse(b.begin(), b.end());
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  const Matrix<double>& similarity_;
  Matrix<double> sums_;
  std::vector<std::vector<int>> members_;  ///< empty if merged into another
};

struct Counts {
  std::vector<int> clips;  ///< number of clips per class
  std::map<std::pair<ClassId, ClassId>, int>
      together;                          ///< number of clips with both classes, in either order
  std::vector<std::int64_t> companions;  ///< sum over `together` per class
};

Counts count_together(std::span<const std::vector<ClassId>> sets, int num_classes) {
  Counts counts{std::vector<int>(num_classes), {}, std::vector<std::int64_t>(num_classes)};
  for (const std::vector<ClassId>& set : sets) {
    for (const ClassId first : set) {
      ++counts.clips[first];
      for (const ClassId second : set) {
        if (first == second) continue;
        ++counts.together[{first, second}];
        ++counts.companions[first];
      }
    }
  }
  return counts;
}

std::vector<ClassId> most_accompanied(const Counts& counts, std::size_t most) {
  std::vector<ClassId> classes(counts.companions.size());
  std::iota(classes.begin(), classes.end(), 0);
  std::erase_if(classes, [&](ClassId id) { return counts.companions[id] == 0; });
  std::stable_sort(classes.begin(), classes.end(), [&](ClassId a, ClassId b) {
    return counts.companions[a] > counts.companions[b];
  });
  classes.resize(std::min(classes.size(), most));
  std::sort(classes.begin(), classes.end());
  return classes;
}

Matrix<double> shares_of(const Counts& counts, const std::vector<ClassId>& classes) {
  Matrix<double> shares(classes.size(), classes.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (std::size_t j = 0; j < classes.size(); ++j) {
      const auto found = counts.together.find({classes[i], classes[j]});
      const int together = found == counts.together.end() ? 0 : found->second;
      shares(i, j) = i == j ? 1 : static_cast<double>(together) / counts.clips[classes[i]];
    }
  }
  return shares;
}

}  // namespace

std::vector<int> block_order(const Matrix<double>& similarity) {
  assert(similarity.rows() == similarity.columns());
  return Clusters(similarity).joined();
}

CoOccurrenceMatrix co_occurrence_matrix(std::span<const std::vector<ClassId>> sets, int num_classes,
                                        std::size_t most) {
  const Counts counts = count_together(sets, num_classes);
  const std::vector<ClassId> classes = most_accompanied(counts, most);
  const Matrix<double> shares = shares_of(counts, classes);
  Matrix<double> similarity(classes.size(), classes.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (std::size_t j = 0; j < classes.size(); ++j) {
      similarity(i, j) = (shares(i, j) + shares(j, i)) / 2;
    }
  }
  CoOccurrenceMatrix result;
  for (const int place : block_order(similarity)) result.order.push_back(classes[place]);
  result.shares = shares_of(counts, result.order);
  result.left_out = num_classes - static_cast<int>(classes.size());
  return result;
}

}  // namespace manyverbs
