// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/array_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <memory>

#include "manyverbs/dataset/internal/npy_header.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/vectorised.h"

namespace manyverbs {
namespace {

struct TypeRow {
  NumberType type;
  std::string_view name;
  std::string_view code;  // in NumPy headers
  std::size_t bytes;
};

constexpr std::array<TypeRow, 5> kTypes = {{
    {NumberType::Float16, "float16", "<f2", 2},
    {NumberType::Float32, "float32", "<f4", 4},
    {NumberType::Float64, "float64", "<f8", 8},
    {NumberType::Int32, "int32", "<i4", 4},
    {NumberType::Int64, "int64", "<i8", 8},
}};

// Shifted into a float, its exponent is 112 too small; infinity and NaN have the largest exponent
// of either type.
[[gnu::always_inline]] inline float as_float(Half half) {
  const std::uint32_t sign = (half.bits & 0x8000U) << 16;
  const float size = std::bit_cast<float>((half.bits & 0x7fffU) << 13) * 0x1p112F;
  const std::uint32_t not_finite = size >= 0x1p16F ? 0x7f800000U : 0;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | not_finite | sign);
}
float as_float(double value) { return static_cast<float>(value); }
float as_float(std::int32_t value) { return static_cast<float>(value); }
float as_float(std::int64_t value) { return static_cast<float>(value); }

template <typename T>
[[gnu::always_inline]] inline void convert(const std::byte* in, float* __restrict out,
                                           std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, in + i * sizeof(T), sizeof(T));
    out[i] = as_float(value);
  }
}

template <typename T>
Matrix<T> read_array_of(const std::filesystem::path& path, NumberType type) {
  const ArrayFile file(path);
  if (file.type() != type) {
    throw Error("{}: expected {}, found {}", path.string(), type_name(type),
                type_name(file.type()));
  }
  Matrix<T> matrix(file.rows(), file.columns());
  std::memcpy(matrix.data(), file.data(), file.rows() * file.columns() * sizeof(T));
  return matrix;
}

}  // namespace

float to_float(Half half) { return as_float(half); }

std::size_t byte_size(NumberType type) { return kTypes[static_cast<int>(type)].bytes; }
std::string_view type_name(NumberType type) { return kTypes[static_cast<int>(type)].name; }

std::size_t parse_npy_header(std::span<const std::byte> bytes, const std::string& name,
                             ArrayShape* shape) {
  const NpyHeader header = read_npy_header(bytes, name);
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const TypeRow& row) { return header.code == row.code; });
  if (type == kTypes.end()) {
    throw Error("{}: expected float16, float32 or float64 (little-endian), found '{}'", name,
                header.code);
  }
  shape->type = type->type;
  shape->fortran_order = header.fortran_order;
  shape->sizes = header.sizes;
  return header.length;
}

ArrayFile::ArrayFile(const std::filesystem::path& path)
    : path_(path), file_(std::make_shared<const MappedFile>(path)) {
  const std::span<const std::byte> bytes = file_->bytes();
  ArrayShape shape;
  const std::size_t start = parse_npy_header(bytes, path.string(), &shape);
  data_ = bytes.data() + start;
  if (shape.sizes.size() != 2) {
    throw Error("{}: expected 2 dimensions with one row per clip, found {}", path.string(),
                shape.sizes.size());
  }
  if (shape.fortran_order) {
    throw Error("{}: is in Fortran order; convert it with 'manyverbs import arrays'",
                path.string());
  }
  type_ = shape.type;
  rows_ = static_cast<std::size_t>(shape.sizes[0]);
  columns_ = static_cast<std::size_t>(shape.sizes[1]);
  // Divides instead of multiplying: the size in a damaged header may overflow 64 bits.
  const std::size_t present = (bytes.size() - start) / byte_size(type_);
  if (columns_ > 0 && present / columns_ < rows_) {
    throw Error("{}: the file is truncated: expected {} x {} {}, found only {} complete rows",
                path.string(), rows_, columns_, type_name(type_), present / columns_);
  }
}

void ArrayFile::read_row(std::size_t i, float* out) const {
  const std::byte* row = data() + i * columns_ * byte_size(type_);
  switch (type_) {
    case NumberType::Float16:
      return vectorised<convert<Half>>(row, out, columns_);
    case NumberType::Float32:
      std::memcpy(out, row, columns_ * sizeof(float));
      return;
    case NumberType::Float64:
      return convert<double>(row, out, columns_);
    case NumberType::Int32:
      return convert<std::int32_t>(row, out, columns_);
    case NumberType::Int64:
      return convert<std::int64_t>(row, out, columns_);
  }
}

void ArrayFile::prefetch_row(std::size_t i) const {
  const std::size_t row_bytes = columns_ * byte_size(type_);
  const auto start = static_cast<std::size_t>(data_ - file_->bytes().data());
  file_->prefetch(start + i * row_bytes, row_bytes);
}

ArrayWriter::ArrayWriter(const std::filesystem::path& path, NumberType type, std::size_t rows,
                         std::size_t columns)
    : file_(std::make_unique<FileWriter>(path)), type_(type), expected_(rows * columns) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                                   kTypes[static_cast<int>(type)].code, rows, columns);
  // The data starts at a multiple of 64 bytes, as in NumPy.
  const std::size_t unpadded = kNpyMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  file_->write(kNpyMagic);
  file_->write(std::string_view("\x01\x00", 2));
  file_->write(&length, sizeof length);
  file_->write(header);
}

ArrayWriter::~ArrayWriter() = default;

void ArrayWriter::write(const void* numbers, std::size_t count) {
  written_ += count;
  file_->write(numbers, count * byte_size(type_));
}

void ArrayWriter::commit() {
  assert(written_ == expected_);
  file_->commit();
}

void write_array(const std::filesystem::path& path, const Matrix<float>& matrix) {
  ArrayWriter writer(path, NumberType::Float32, matrix.rows(), matrix.columns());
  writer.write(matrix.data(), matrix.rows() * matrix.columns());
  writer.commit();
}

void write_array(const std::filesystem::path& path, const Matrix<std::int32_t>& matrix) {
  ArrayWriter writer(path, NumberType::Int32, matrix.rows(), matrix.columns());
  writer.write(matrix.data(), matrix.rows() * matrix.columns());
  writer.commit();
}

Matrix<std::int32_t> read_int_array(const std::filesystem::path& path) {
  return read_array_of<std::int32_t>(path, NumberType::Int32);
}

Matrix<float> read_float_array(const std::filesystem::path& path) {
  return read_array_of<float>(path, NumberType::Float32);
}

}  // namespace manyverbs
