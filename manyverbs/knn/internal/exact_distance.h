// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "manyverbs/dataset/feature_table.h"
#include "manyverbs/knn/neighbours.h"

namespace manyverbs::knn_internal {

/// Exact distances, computed in double from the features. The search uses squared distances; a
/// cosine distance d is 2 d, the squared distance of the normalised rows.

/// The sum of a[i] * b[i] in double, always in the same order. {1, 2} and {3, 4} give 11.
double dot_product(const float* a, const float* b, std::size_t count);
/// The sum of (a[i] - b[i])^2 in double, always in the same order. {1, 2} and {3, 4} give 8.
double squared_difference(const float* a, const float* b, std::size_t count);

/// The distance shown to users: the root for Euclidean, half of it for cosine.
float reported_distance(double squared, Metric metric);

/// The squared distances from one row of a table to others.
class ExactDistance {
 public:
  ExactDistance(const FeatureTable& table, Metric metric);

  void set_query(ClipRow row);
  double to(ClipRow row);
  /// A lower bound for all rows: 0, or 2 for a query of zeros with cosine.
  double least_possible() const;

 private:
  const FeatureTable& table_;
  Metric metric_;
  std::vector<float> query_;
  std::vector<float> other_;
  double query_square_ = 0;
};

/// The k nearest so far, nearest first; equal distances are ordered by position in the list of
/// clips.
class NearestList {
 public:
  struct Entry {
    double squared_distance;
    std::int32_t place;

    bool operator<(const Entry& other) const {
      return squared_distance < other.squared_distance ||
             (squared_distance == other.squared_distance && place < other.place);
    }
  };

  explicit NearestList(std::size_t k) : k_(k) { entries_.reserve(k + 1); }

  void insert(double squared_distance, std::size_t place);
  bool full() const { return entries_.size() == k_; }
  /// Larger distances are not inserted: the distance of the k-th, infinite if there are fewer than
  /// k.
  double limit() const {
    return full() ? entries_.back().squared_distance : std::numeric_limits<double>::infinity();
  }
  std::span<const Entry> entries() const { return entries_; }

 private:
  std::size_t k_;
  std::vector<Entry> entries_;
};

}  // namespace manyverbs::knn_internal
