// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace manyverbs {

/// An incomplete matrix in a file that survives a kill. Rows can be written in any order and from
/// any thread; they are found again if the stamp is the same.
class RowStore {
 public:
  /// Opens the file, or starts an empty one if it does not exist or has another stamp or size.
  /// Throws Error if another process uses it.
  RowStore(const std::filesystem::path& path, const std::string& stamp, std::size_t rows,
           std::size_t row_bytes);
  ~RowStore();
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  std::size_t rows() const { return present_.size(); }
  bool has(std::size_t row) const { return present_[row] != 0; }
  /// The number of rows written.
  std::int64_t count() const { return std::count(present_.begin(), present_.end(), 1); }
  /// Writes a row. Different threads may write different rows.
  void put(std::size_t row, const void* bytes);
  /// Removes a row.
  void forget(std::size_t row);
  /// Zeros for a row that was not written.
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
