// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "manyverbs/dataset/feature_table.h"
#include "manyverbs/knn/neighbours.h"

namespace manyverbs::knn_internal {

/// Fast products of rows in float32, with a bound on their rounding error.
///
/// A row x is stored as c = x - mean (for cosine, x is normalised first) and a number `floor`,
/// slightly less than |c|^2. For any two rows
///
///   floor(a) + floor(b) - 2 c(a).c(b)  <=  squared distance of a and b
///
/// for any rounding of the products. So rows with a large left side can be excluded, and the
/// rounding of products never affects the result.

/// Consecutive prepared rows; `first` is the position of row 0 in its list.
struct Tile {
  const float* rows;
  const float* floors;
  std::size_t first;
  std::size_t size;
};

/// Prepared rows, in tiles.
class PreparedRows {
 public:
  std::size_t size() const { return floors.size(); }
  /// Tiles of kTileRows rows; the last may be smaller.
  std::vector<Tile> tiles(std::size_t columns) const;

  std::size_t first = 0;
  std::vector<float> rows;
  std::vector<float> floors;
};

inline constexpr std::size_t kTileRows = 512;

class BoundedProducts {
 public:
  /// The mean is that of a sample of `clips`: centring makes bounds tighter; any centre is correct.
  BoundedProducts(const FeatureTable& table, std::span<const ClipRow> clips, Metric metric);

  std::size_t columns() const { return table_.columns(); }

  /// Reads `count` rows, list[first], list[first + 1] … Throws Error for numbers that are not
  /// finite or whose squares overflow float.
  void prepare(std::span<const ClipRow> list, std::size_t first, std::size_t count,
               PreparedRows* prepared) const;

  /// Tells the system that these rows will be read soon.
  void prefetch(std::span<const ClipRow> list, std::size_t first, std::size_t count) const {
    table_.prefetch(list.subspan(first, count));
  }

  /// -2 c(a).c(b) for every row of `a` and of `b`; `out` has a.size * b.size elements. Runs
  /// on one thread if called from several.
  void multiply(const Tile& a, const Tile& b, float* out) const;

 private:
  float prepare_row(float* row, ClipRow table_row) const;

  const FeatureTable& table_;
  Metric metric_;
  std::vector<float> mean_;
  double relative_error_;
  double absolute_error_;
};

}  // namespace manyverbs::knn_internal
