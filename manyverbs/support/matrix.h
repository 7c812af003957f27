// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

namespace manyverbs {

/// A dense row-major matrix: element (i, j) is data()[i * columns() + j].
template <typename T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns, T value = T{})
      : rows_(rows), columns_(columns), values_(rows * columns, value) {}
  /// Takes values in row-major order: Matrix<int>(2, 3, {1, 2, 3, 4, 5, 6}).
  Matrix(std::size_t rows, std::size_t columns, std::vector<T> values)
      : rows_(rows), columns_(columns), values_(std::move(values)) {
    assert(values_.size() == rows * columns);
  }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T& operator()(std::size_t i, std::size_t j) { return values_[i * columns_ + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return values_[i * columns_ + j]; }
  std::span<T> row(std::size_t i) { return {values_.data() + i * columns_, columns_}; }
  std::span<const T> row(std::size_t i) const { return {values_.data() + i * columns_, columns_}; }
  const std::vector<T>& values() const { return values_; }

  bool operator==(const Matrix&) const = default;

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<T> values_;
};

}  // namespace manyverbs
