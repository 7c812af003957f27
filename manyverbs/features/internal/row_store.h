// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace manyverbs {

/// Rows of a matrix on their way, in a file that outlives a kill: any row may come first, from any
/// thread, and what is there is found again as long as the stamp is the same.
class RowStore {
 public:
  /// Opens what is there, or begins anew when there is nothing or it has another stamp or size.
  /// Throws Error when another process is at work on it.
  RowStore(const std::filesystem::path& path, const std::string& stamp, std::size_t rows,
           std::size_t row_bytes);
  ~RowStore();
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  std::size_t rows() const { return present_.size(); }
  bool has(std::size_t row) const { return present_[row] != 0; }
  /// How many rows are there.
  std::int64_t count() const { return std::count(present_.begin(), present_.end(), 1); }
  /// Each row once, by one thread; different rows by any.
  void put(std::size_t row, const void* bytes);
  /// Takes a row out again.
  void forget(std::size_t row);
  /// A row that is not there is all zero.
  std::vector<char> row(std::size_t row) const;

 private:
  std::size_t row_place(std::size_t row) const;
  void mark(std::size_t row, char present);
  void write_at(std::size_t place, const void* bytes, std::size_t count);

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::size_t header_bytes_;
  std::size_t row_bytes_;
  std::vector<char> present_;
};

}  // namespace manyverbs
