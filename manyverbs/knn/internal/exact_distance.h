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

/// Distances as they are reported and compared: in double, from the features as they are read.
/// Inside the search every distance is a squared length; cosine distance d is 2 d, the squared
/// distance of the two rows at length 1.

/// The sum of a[i] * b[i] in double, always in the same order. {1, 2} and {3, 4} give 11.
double dot_product(const float* a, const float* b, std::size_t count);
/// The sum of (a[i] - b[i])^2 in double, always in the same order. {1, 2} and {3, 4} give 8.
double squared_difference(const float* a, const float* b, std::size_t count);

/// What users see: its root for Euclidean, half of it for cosine.
float reported_distance(double squared, Metric metric);

/// The squared distances from one row of a table to others.
class ExactDistance {
 public:
  ExactDistance(const FeatureTable& table, Metric metric);

  void set_query(ClipRow row);
  double to(ClipRow row);
  /// No row can be nearer to the query: 0, or 2 for a row of zeros under cosine.
  double least_possible() const;

 private:
  const FeatureTable& table_;
  Metric metric_;
  std::vector<float> query_;
  std::vector<float> other_;
  double query_square_ = 0;
};

/// The k nearest seen so far, nearest first; of two at the same distance, the one that stands
/// earlier in the list of clips.
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
  /// Nothing further away can enter: the distance of the k-th, infinite before there are k.
  double limit() const {
    return full() ? entries_.back().squared_distance : std::numeric_limits<double>::infinity();
  }
  std::span<const Entry> entries() const { return entries_; }

 private:
  std::size_t k_;
  std::vector<Entry> entries_;
};

}  // namespace manyverbs::knn_internal
