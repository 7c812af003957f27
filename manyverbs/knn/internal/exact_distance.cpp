// SPDX-License-Identifier: MIT
#include "manyverbs/knn/internal/exact_distance.h"

#include <algorithm>
#include <cmath>

#include "manyverbs/support/internal/vectorised.h"

namespace manyverbs::knn_internal {
namespace {

// Sums are bit-identical on all machines: this file is compiled without fused multiply-add, which
// rounds once less.
[[gnu::always_inline]] inline double dot_product_of(const float* a, const float* b,
                                                    std::size_t count) {
  double lanes[16] = {};
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int lane = 0; lane < 16; ++lane) {
      lanes[lane] += static_cast<double>(a[i + lane]) * b[i + lane];
    }
  }
  double sum = 0;
  for (; i < count; ++i) sum += static_cast<double>(a[i]) * b[i];
  for (const double lane : lanes) sum += lane;
  return sum;
}

[[gnu::always_inline]] inline double squared_difference_of(const float* a, const float* b,
                                                           std::size_t count) {
  double lanes[16] = {};
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int lane = 0; lane < 16; ++lane) {
      const double difference = static_cast<double>(a[i + lane]) - b[i + lane];
      lanes[lane] += difference * difference;
    }
  }
  double sum = 0;
  for (; i < count; ++i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    sum += difference * difference;
  }
  for (const double lane : lanes) sum += lane;
  return sum;
}

}  // namespace

double dot_product(const float* a, const float* b, std::size_t count) {
  return vectorised<dot_product_of>(a, b, count);
}

double squared_difference(const float* a, const float* b, std::size_t count) {
  return vectorised<squared_difference_of>(a, b, count);
}

float reported_distance(double squared, Metric metric) {
  return static_cast<float>(metric == Metric::Euclidean ? std::sqrt(squared) : squared / 2);
}

ExactDistance::ExactDistance(const FeatureTable& table, Metric metric)
    : table_(table), metric_(metric), query_(table.columns()), other_(table.columns()) {}

void ExactDistance::set_query(ClipRow row) {
  table_.read(std::span(&row, 1), query_.data());
  if (metric_ == Metric::Cosine) {
    query_square_ = dot_product(query_.data(), query_.data(), query_.size());
  }
}

double ExactDistance::to(ClipRow row) {
  table_.read(std::span(&row, 1), other_.data());
  if (metric_ == Metric::Euclidean) {
    return squared_difference(query_.data(), other_.data(), query_.size());
  }
  const double other_square = dot_product(other_.data(), other_.data(), other_.size());
  if (query_square_ == 0 || other_square == 0) return 2;
  // For equal rows all three sums are equal, and the square root of a square is exact: 0.
  const double cosine = dot_product(query_.data(), other_.data(), query_.size()) /
                        std::sqrt(query_square_ * other_square);
  return std::max(0.0, 2 * (1 - cosine));
}

double ExactDistance::least_possible() const {
  return metric_ == Metric::Cosine && query_square_ == 0 ? 2 : 0;
}

void NearestList::insert(double squared_distance, std::size_t place) {
  const Entry entry{squared_distance, static_cast<std::int32_t>(place)};
  if (full() && !(entry < entries_.back())) return;
  entries_.insert(std::upper_bound(entries_.begin(), entries_.end(), entry), entry);
  if (entries_.size() > k_) entries_.pop_back();
}

}  // namespace manyverbs::knn_internal
