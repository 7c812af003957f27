// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace manyverbs {

/// Arrays as NumPy and safetensors store them: elements of one type in memory-mapped bytes.

enum class ElementKind { Float, BFloat, Int, Unsigned, Bool, Text, Bytes };

/// {Float, 4} is float32; {Text, 28} is a text of up to 7 characters of 4 bytes.
struct ElementType {
  ElementKind kind = ElementKind::Float;
  std::size_t bytes = 4;

  bool is_float() const { return kind == ElementKind::Float || kind == ElementKind::BFloat; }
  bool is_text() const { return kind == ElementKind::Text || kind == ElementKind::Bytes; }
  bool operator==(const ElementType&) const = default;
};

/// "float32", "bfloat16", "uint8", "bool", "text".
std::string element_name(ElementType type);

/// The type of a NumPy code such as "<f4", "|S7" or "<U7"; nothing for others, also big-endian
/// ones.
std::optional<ElementType> numpy_element(std::string_view code);

struct StoredArray {
  std::string name;  ///< in its file, such as "clip_features" or "P01_01/rgb"
  ElementType type;
  std::vector<std::int64_t> sizes;
  bool fortran_order = false;  ///< column-major instead of row-major
  const std::byte* data = nullptr;
};

/// "120 x 8 x 2048"; "a single number" without dimensions.
std::string shape_text(std::span<const std::int64_t> sizes);

/// The size of all elements in bytes; nothing if a size is negative or the result exceeds 63 bits.
std::optional<std::size_t> byte_count(ElementType type, std::span<const std::int64_t> sizes);

/// Element i in the order of the file as a number; NaN for a text.
double number_at(const StoredArray& array, std::size_t i);

/// The elements of an array of one dimension as texts: whole numbers as "17". Nothing if an element
/// is another number.
std::optional<std::vector<std::string>> texts_of(const StoredArray& array);

/// One row of features: frames x columns numbers, with strides in bytes.
struct StoredRow {
  const std::byte* data = nullptr;
  ElementType type;
  std::size_t frames = 1;
  std::size_t columns = 0;
  std::ptrdiff_t frame_stride = 0;
  std::ptrdiff_t column_stride = 0;
};

/// The mean over the frames, like numpy.mean(): sums of float16 and float32 in float, frame after
/// frame, of other types in double. {{1, 2}, {3, 6}} gives {2, 4}.
void read_stored_row(const StoredRow& row, float* out);

}  // namespace manyverbs
