// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "manyverbs/dataset/feature_table.h"
#include "manyverbs/knn/neighbours.h"

namespace manyverbs::knn_internal {

/// Fast products of rows in float32, with a promise about their rounding.
///
/// A row x is kept as c = x - mean (for cosine x is first brought to length 1), beside one number
/// `floor`, a little less than |c|^2. For any two rows
///
///   floor(a) + floor(b) - 2 c(a).c(b)  <=  squared distance of a and b
///
/// however the products are rounded. So a row for which the left side is too large needs no second
/// look, and which rows the products single out never decides an answer.

/// Some rows one after the other, ready for products; `first` is the place of row 0 in its list.
struct Tile {
  const float* rows;
  const float* floors;
  std::size_t first;
  std::size_t size;
};

/// Rows that belong together, cut into tiles.
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
  /// The mean is that of a sample of `clips`: centring is for narrow bounds, and any centre is
  /// right.
  BoundedProducts(const FeatureTable& table, std::span<const ClipRow> clips, Metric metric);

  std::size_t columns() const { return table_.columns(); }

  /// Reads list[first], list[first + 1] and so on, `count` rows. Throws Error for a row whose
  /// numbers are not finite or so large that their squares overflow float.
  void prepare(std::span<const ClipRow> list, std::size_t first, std::size_t count,
               PreparedRows* prepared) const;

  /// Tells the system that these rows are wanted soon.
  void prefetch(std::span<const ClipRow> list, std::size_t first, std::size_t count) const {
    table_.prefetch(list.subspan(first, count));
  }

  /// -2 c(a).c(b) for every row of `a` and of `b`; `out` has a.size * b.size places. On one thread
  /// when called from several.
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
