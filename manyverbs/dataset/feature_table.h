// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Throws Error when a file holds whole numbers instead of floats, or no columns.
void check_features(const ArrayFile& file);

/// The features of clips: one row a clip, the columns of all streams side by side.
///
///   features/rgb.npy   N x 2048 ┐
///   features/flow.npy  N x 2048 ┴> rows of 4096 numbers: rgb, then flow
///
/// Rows are read from memory-mapped files when they are asked for; nothing is loaded before.
class FeatureTable {
 public:
  /// Throws Error when one of the files fails check_features(), they disagree in their number of
  /// rows, or there is none.
  explicit FeatureTable(std::vector<ArrayFile> streams);
  /// Rows that are in memory already.
  explicit FeatureTable(Matrix<float> rows);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  /// The given rows as float, one after the other; `out` has rows.size() * columns() places.
  /// Throws Error with file and row where a number is NaN or infinite.
  void read(std::span<const int> rows, float* out) const;
  /// Where a number stands, for messages: "features/flow.npy: row 7, column 3".
  std::string place(int row, std::size_t column) const;
  /// Tells the system that these rows are wanted soon.
  void prefetch(std::span<const int> rows) const;

 private:
  std::vector<ArrayFile> streams_;
  Matrix<float> memory_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
};

}  // namespace manyverbs
