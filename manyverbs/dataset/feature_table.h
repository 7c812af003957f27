// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/clip.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Throws Error if a file contains integers instead of floats, or has no columns.
void check_features(const ArrayFile& file);

/// The features of clips: one row per clip, with the columns of all streams side by side.
///
///   features/rgb.npy   N x 2048 ┐
///   features/flow.npy  N x 2048 ┴> rows of 4096 numbers: rgb, then flow
///
/// Rows are read from memory-mapped files on demand.
class FeatureTable {
 public:
  /// Throws Error if a file fails check_features(), the numbers of rows differ, or there are no
  /// files.
  explicit FeatureTable(std::vector<ArrayFile> streams);
  /// Uses rows in memory.
  explicit FeatureTable(Matrix<float> rows);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  /// Reads the given rows as float, one after the other; `out` has rows.size() * columns()
  /// elements. Throws Error with file and row for NaN and infinite numbers.
  void read(std::span<const ClipRow> rows, float* out) const;
  /// The location of a number for messages: "features/flow.npy: row 7, column 3".
  std::string place(ClipRow row, std::size_t column) const;
  /// Starts to read these rows ahead.
  void prefetch(std::span<const ClipRow> rows) const;

 private:
  std::vector<ArrayFile> streams_;
  Matrix<float> memory_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
};

}  // namespace manyverbs
