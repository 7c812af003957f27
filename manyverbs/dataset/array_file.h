// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/support/matrix.h"

namespace manyverbs {

class FileWriter;
class MappedFile;

/// Arrays on disk: NPY files (versions 1 to 3) of NumPy. They are memory-mapped, so that files
/// larger than memory can be used; numbers are converted to float when they are read.

enum class NumberType { Float16, Float32, Float64, Int32, Int64 };

/// A 16-bit float as stored in a file: 1 sign bit, 5 exponent bits, 10 mantissa bits (IEEE 754).
struct Half {
  std::uint16_t bits;
};
/// 0x3c00 is 1, 0x0001 is 2^-24, 0x7c00 infinity.
float to_float(Half half);

/// The header of an NPY file.
struct ArrayShape {
  NumberType type = NumberType::Float32;
  bool fortran_order = false;  ///< column-major instead of row-major
  std::vector<std::int64_t> sizes;
};

std::size_t byte_size(NumberType type);
/// "float16" and so on.
std::string_view type_name(NumberType type);

/// A matrix in an NPY file: two dimensions, row-major. Throws Error for a truncated file, another
/// number of dimensions, Fortran order or another number type.
class ArrayFile {
 public:
  explicit ArrayFile(const std::filesystem::path& path);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  NumberType type() const { return type_; }
  const std::filesystem::path& path() const { return path_; }
  /// The data after the header.
  const std::byte* data() const { return data_; }

  /// Reads row i as float into `out`, which has columns() elements.
  void read_row(std::size_t i, float* out) const;
  void prefetch_row(std::size_t i) const;

 private:
  std::filesystem::path path_;
  std::shared_ptr<const MappedFile> file_;
  const std::byte* data_ = nullptr;
  NumberType type_ = NumberType::Float32;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
};

/// Writes an NPY file: first the header, then rows() x columns() numbers in order.
class ArrayWriter {
 public:
  /// `type` is Float16, Float32 or Int32.
  ArrayWriter(const std::filesystem::path& path, NumberType type, std::size_t rows,
              std::size_t columns);
  ~ArrayWriter();
  /// Appends `count` numbers of the given type from memory.
  void write(const void* numbers, std::size_t count);
  void commit();

 private:
  std::unique_ptr<FileWriter> file_;
  NumberType type_;
  std::size_t expected_;
  std::size_t written_ = 0;
};

void write_array(const std::filesystem::path& path, const Matrix<float>& matrix);
void write_array(const std::filesystem::path& path, const Matrix<std::int32_t>& matrix);
Matrix<std::int32_t> read_int_array(const std::filesystem::path& path);
Matrix<float> read_float_array(const std::filesystem::path& path);

/// Parses an NPY header at the start of `bytes`; `name` is used in errors. Returns the offset of
/// the data.
std::size_t parse_npy_header(std::span<const std::byte> bytes, const std::string& name,
                             ArrayShape* shape);

}  // namespace manyverbs
